/** The dashboard of a signed-in account: an overview, or a code that fills the screen in shift mode. */
import { lazy, Suspense, useEffect } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { startWorker } from '../api-client/service-worker.ts';
import { SHOWN } from '../paths.ts';
import { SignedInData } from '../signed-in/signed-in-data.tsx';
import { LoadingScreen } from '../ui/loading-screen.tsx';
import { useOpenTab } from './dashboard-tabs.tsx';
import { useLiveTips } from './live/live-tips.ts';
import { Overview } from './overview.tsx';
import { noteCodeShown } from './shared/code-shown.ts';
import { useDashboardData } from './shared/queries.ts';

const Shift = lazy(() => import('./shift/shift.tsx').then(({ Shift }) => ({ default: Shift })));

export function Dashboard({ user }: { readonly user: User }) {
  return (
    <SignedInData user={user}>
      <LiveDashboard user={user} />
    </SignedInData>
  );
}

/** Keeps the data up to date on both screens, so that nothing is loaded again between them. */
function LiveDashboard({ user }: { readonly user: User }) {
  const shown = new URLSearchParams(useSearch()).get(SHOWN);
  const isQuiet = shown !== null;
  const tab = useOpenTab(user);
  const data = useDashboardData(user, { isQuiet });
  const { qrCodes, transactions } = data;
  const newest =
    transactions.status === 'ready' ? (transactions.data.transactions[0]?.id ?? null) : undefined;
  const shownService =
    qrCodes.status === 'ready' ? qrCodes.data.find(({ id }) => id === shown)?.serviceCategory : undefined;
  const live = useLiveTips(user, newest, { announced: shownService ?? null, isQuiet });

  useEffect(() => {
    // The toaster is fetched ahead, because a toast may have to say that the connection is lost.
    import('../ui/later/toaster.tsx').catch(() => {});
    startWorker(() => {
      import('./notifications/keep-notifications.ts')
        .then(({ keepNotifications }) => keepNotifications(user.id))
        .catch(() => {});
    });
  }, [user.id]);

  const isCodeShown = shownService !== undefined;
  useEffect(() => {
    if (isCodeShown) noteCodeShown();
  }, [isCodeShown]);

  if (shown === null) return <Overview user={user} tab={tab} data={data} live={live} />;
  return (
    <Suspense fallback={<LoadingScreen />}>
      <Shift user={user} shown={shown} codes={qrCodes} live={live} onRetry={data.retry} />
    </Suspense>
  );
}
