/** What a rendered tip page begins with; the route table is fetched when somebody leaves it. */
import type { ComponentType } from 'react';
import { useAddress } from './navigation.ts';
import { isTipPage, qrIdFrom } from './paths.ts';
import { Tip } from './tip/tip.tsx';

export function TipFirst({ elsewhere: Elsewhere }: { readonly elsewhere: ComponentType }) {
  const { pathname } = useAddress();
  return isTipPage(pathname) ? <Tip key={pathname} qrId={qrIdFrom(pathname)} /> : <Elsewhere />;
}
