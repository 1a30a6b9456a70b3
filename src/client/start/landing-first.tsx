/** What the rendered landing page begins with; the route table is fetched when somebody leaves it. */
import type { ComponentType } from 'react';
import { Landing } from '../landing/landing.tsx';
import { useAddress } from '../navigation.ts';
import { paths } from '../paths.ts';
import { SignedOutOnly } from '../session/guards.tsx';

export function LandingFirst({ elsewhere: Elsewhere }: { readonly elsewhere: ComponentType }) {
  return useAddress().pathname === paths.home ? <SignedOutOnly screen={Landing} /> : <Elsewhere />;
}
