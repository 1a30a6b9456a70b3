/** What the rendered login and sign-up page begins with; the route table is fetched when somebody leaves it. */
import type { ComponentType } from 'react';
import { Auth } from '../auth/auth.tsx';
import { useAddress } from '../navigation.ts';
import { paths } from '../paths.ts';
import { SignedOutOnly } from '../session/guards.tsx';

export function AuthFirst({ elsewhere: Elsewhere }: { readonly elsewhere: ComponentType }) {
  return useAddress().pathname === paths.auth ? <SignedOutOnly screen={Auth} /> : <Elsewhere />;
}
