/**
 * The route table: the path of each screen, and who may see it. A screen is fetched when it is first visited.
 */
import { lazy } from 'react';
import { Route, Switch } from 'wouter';
import { paths, TIP_PAGE } from '../paths.ts';
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
const NotFound = lazy(() => import('./not-found.tsx').then(({ NotFound }) => ({ default: NotFound })));

export function Routes() {
  const session = useSession();
  if (session.status === 'signed-in' && session.user.mustChangePassword)
    return <OwnPassword user={session.user} />;
  return (
    <Switch>
      <Route path={TIP_PAGE}>
        <Tip />
      </Route>
      <Route path={paths.home}>
        <SignedOutOnly screen={Landing} />
      </Route>
      <Route path={paths.auth}>
        <SignedOutOnly screen={Auth} />
      </Route>
      <Route path={paths.dashboard}>
        <SignedInOnly screen={Dashboard} />
      </Route>
      <Route path={paths.scan}>
        <SignedInOnly screen={Scan} />
      </Route>
      <Route>
        <NotFound />
      </Route>
    </Switch>
  );
}
