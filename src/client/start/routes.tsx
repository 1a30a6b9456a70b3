/**
 * The route table: which screen stands at which address, and who may see it. Each screen is fetched when it is first
 * gone to.
 */
import { lazy } from 'react';
import { useAddress } from '../navigation.ts';
import { isTipPage, paths, qrIdFrom } from '../paths.ts';
import { SignedInOnly, SignedOutOnly } from '../session/guards.tsx';
import { useSession } from '../session/session.ts';

const Landing = lazy(() => import('../landing/landing.tsx').then(({ Landing }) => ({ default: Landing })));
const Auth = lazy(() => import('../auth/auth.tsx').then(({ Auth }) => ({ default: Auth })));
const Dashboard = lazy(() =>
  import('../dashboard/dashboard.tsx').then(({ Dashboard }) => ({ default: Dashboard })),
);
const OwnPassword = lazy(() =>
  import('../dashboard/account/own-password.tsx').then(({ OwnPassword }) => ({ default: OwnPassword })),
);
const Scan = lazy(() => import('../scan/scan.tsx').then(({ Scan }) => ({ default: Scan })));
const Tip = lazy(() => import('../tip/tip.tsx').then(({ Tip }) => ({ default: Tip })));
const NotFound = lazy(() => import('../ui/not-found.tsx').then(({ NotFound }) => ({ default: NotFound })));

export function Routes() {
  const { pathname } = useAddress();
  const session = useSession();
  if (session.status === 'signed-in' && session.user.mustChangePassword)
    return <OwnPassword user={session.user} />;
  if (isTipPage(pathname)) return <Tip key={pathname} qrId={qrIdFrom(pathname)} />;
  switch (pathname) {
    case paths.home:
      return <SignedOutOnly screen={Landing} />;
    case paths.auth:
      return <SignedOutOnly screen={Auth} />;
    case paths.dashboard:
      return <SignedInOnly screen={Dashboard} />;
    case paths.scan:
      return <SignedInOnly screen={Scan} />;
    default:
      return <NotFound />;
  }
}
