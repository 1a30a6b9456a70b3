/** What a rendered tip page begins with; the route table is fetched when somebody leaves it. */
import type { ComponentType } from 'react';
import { useAddress } from '../navigation.ts';
import { isTipPage, qrIdFrom } from '../paths.ts';
import { useSession } from '../session/session.ts';
import { Tip } from '../tip/tip.tsx';

export function TipFirst({ elsewhere: Elsewhere }: { readonly elsewhere: ComponentType }) {
  const { pathname } = useAddress();
  const session = useSession();
  // The route table leads to changing it, and back.
  if (session.status === 'signed-in' && session.user.mustChangePassword) return <Elsewhere />;
  return isTipPage(pathname) ? <Tip key={pathname} qrId={qrIdFrom(pathname)} /> : <Elsewhere />;
}
