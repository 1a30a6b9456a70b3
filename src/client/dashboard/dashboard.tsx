/** The dashboard of a signed-in account: an overview, or a code that fills the screen in shift mode. */
import { lazy, useEffect, useEffectEvent, useState } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { keepDashboardPage, startWorker } from '../api-client/service-worker.ts';
import { call, verifySession } from '../calls.ts';
import { SHOWN } from '../later/addresses.ts';
import { become, presentSession, useSession } from '../session/session.ts';
import {
  type KeptUser,
  keepDashboard,
  markOfSession,
  readKeptDashboard,
} from '../signed-in/kept-dashboard.ts';
import type { Part } from '../signed-in/part.ts';
import { SignedInData } from '../signed-in/signed-in-data.tsx';
import { Later } from '../ui/boundary.tsx';
import { FailedScreen } from '../ui/failed-screen.tsx';
import { LoadingScreen } from '../ui/loading-screen.tsx';
import { useOpenTab } from './dashboard-tabs.tsx';
import { type LiveTips, useLiveTips } from './live/live-tips.ts';
import { Overview } from './overview.tsx';
import { noteCodeShown } from './shared/code-shown.ts';
import { useDashboardData } from './shared/queries.ts';
import { CodeOnScreen } from './shift/code-on-screen.tsx';

const Shift = lazy(() => import('./shift/shift.tsx').then(({ Shift }) => ({ default: Shift })));

const UNREACHABLE_WAIT_MS = 5_000;

/** The provider whose codes this device keeps; null where the address shows something else. */
export function keptUser(): KeptUser | null {
  const kept = readKeptDashboard();
  const query = new URLSearchParams(window.location.search);
  const shown = query.get(SHOWN);
  const isKept =
    shown === null
      ? (query.get('tab') ?? 'qr-codes') === 'qr-codes'
      : kept?.codes.some(({ id }) => id === shown);
  return kept && isKept ? kept.user : null;
}

export function Dashboard({ user }: { readonly user: User | KeptUser }) {
  return (
    <SignedInData user={user}>
      <LiveDashboard user={user} />
    </SignedInData>
  );
}

/** Keeps the data up to date on both screens, so that nothing is loaded again between them. */
function LiveDashboard({ user }: { readonly user: KeptUser }) {
  const shown = new URLSearchParams(useSearch()).get(SHOWN);
  const isQuiet = shown !== null;
  const tab = useOpenTab(user);
  const isVerified = useSession().status === 'signed-in';
  const data = useDashboardData(user, { isQuiet: isQuiet || !isVerified });
  const { qrCodes, transactions } = data;
  const newest =
    transactions.status === 'ready' ? (transactions.data.transactions[0]?.id ?? null) : undefined;
  const shownService =
    qrCodes.status === 'ready' ? qrCodes.data.find(({ id }) => id === shown)?.serviceCategory : undefined;
  const live = useLiveTips(user, newest, { announced: shownService ?? null, isQuiet });
  const isUnreachable = useUnreachable(data.retry);
  useKeptDashboard(user, qrCodes);
  useEffect(() => {
    window.addEventListener('focus', askAgain);
    return () => window.removeEventListener('focus', askAgain);
  }, []);

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

  const seen: LiveTips = isUnreachable ? { ...live, connection: 'lost' } : live;
  if (shown === null) return <Overview user={user} tab={tab} data={data} live={seen} />;
  const code = qrCodes.status === 'ready' ? qrCodes.data.find(({ id }) => id === shown) : undefined;
  const onScreen = code?.status === 'active' && (
    <CodeOnScreen code={code} name={code.displayName ?? user.fullName} />
  );
  return (
    <Later meanwhile={onScreen || <LoadingScreen />} otherwise={onScreen || <FailedScreen />}>
      <Shift user={user} shown={shown} codes={qrCodes} live={seen} onRetry={data.retry} />
    </Later>
  );
}

/** Looks whether another tab or device has changed the account. Without an answer everything stays as it was. */
async function askAgain(): Promise<void> {
  const asked = presentSession();
  if (asked.status !== 'signed-in') return;
  const outcome = await call((api) => api.auth.me.query());
  // A change that was made here meanwhile, or another session, may be newer than the answer.
  if (outcome.failure !== null || asked !== presentSession()) return;
  if (JSON.stringify(outcome.answer) !== JSON.stringify(asked.user))
    become({ ...asked, user: outcome.answer });
}

/** Whether the server could not be asked about the session. It is asked again until it answers. */
function useUnreachable(retry: () => void): boolean {
  const { status } = useSession();
  const [isUnreachable, setUnreachable] = useState(status === 'unreachable');
  // While it is asked once more nothing changes.
  if (status !== 'checking' && isUnreachable !== (status === 'unreachable')) setUnreachable(!isUnreachable);
  const load = useEffectEvent(retry);
  useEffect(() => {
    if (!isUnreachable) return;
    const ask = () => void verifySession();
    const timer = setInterval(ask, UNREACHABLE_WAIT_MS);
    window.addEventListener('online', ask);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', ask);
      load();
    };
  }, [isUnreachable]);
  return isUnreachable;
}

/** Keeps the codes on this device for the next time, and lets the worker keep what shows them. */
function useKeptDashboard(user: KeptUser, qrCodes: Part<readonly QrCode[]>): void {
  const { status } = useSession();
  const [of, setOf] = useState(() => ({ user, mark: markOfSession() }));
  // After a change of the password, also in another tab, the account goes on in another session.
  if (of.user !== user) setOf({ user, mark: markOfSession() });
  const codes =
    status === 'signed-in' && user.isServiceProvider && qrCodes.status === 'ready' ? qrCodes.data : null;
  useEffect(() => {
    if (codes !== null) keepDashboard(of.user, codes, of.mark);
  }, [of, codes]);
  const hasCodes = codes !== null && codes.length > 0;
  useEffect(() => {
    if (hasCodes) keepDashboardPage().catch(() => {});
  }, [hasCodes]);
}
