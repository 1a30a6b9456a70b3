/** What the rendered landing page begins with; the route table is fetched when somebody leaves it. */
import type { ComponentType } from 'react';
import { SignedOutOnly } from './guards.tsx';
import { Landing } from './landing/landing.tsx';
import { useAddress } from './navigation.ts';
import { paths } from './paths.ts';

export function LandingFirst({ elsewhere: Elsewhere }: { readonly elsewhere: ComponentType }) {
  return useAddress().pathname === paths.home ? <SignedOutOnly screen={Landing} /> : <Elsewhere />;
}
