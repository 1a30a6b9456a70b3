/**
 * The dashboard: the sums, a provider's codes, and the transactions and the profile of everybody. The open tab stands in the
 * address.
 */
import { ScanLine } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { startWorker } from '../api/service-worker.ts';
import { Tabs } from '../controls/tabs.tsx';
import { paymentMode } from '../installation.ts';
import { DASHBOARD_TABS, type DashboardTab, dashboardTab, paths, SHOWN } from '../paths.ts';
import { useLogout } from '../signed-in/logout.ts';
import { SignedInData } from '../signed-in/signed-in-data.tsx';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { LoadingScreen } from '../ui/loading-screen.tsx';
import { Screen } from '../ui/screen.tsx';
import { Loading } from '../ui/states.tsx';
import { accountTypeOf } from './account/account-type.ts';
import { QrCodesSketch } from './codes/qr-codes-sketch.tsx';
import styles from './dashboard.module.css';
import { ArrivalCard } from './live/arrival-card.tsx';
import { ConnectionSign } from './live/connection-sign.tsx';
import { type Connection, useLiveTips } from './live/live-tips.ts';
import { Fetched, LoadFailed } from './shared/fetched.tsx';
import { useDashboardData } from './shared/queries.ts';
import { Stats } from './stats.tsx';
import { TransactionsSketch } from './transactions/transactions-sketch.tsx';

const Profile = lazy(() => import('./account/profile.tsx').then(({ Profile }) => ({ default: Profile })));
const Insights = lazy(() =>
  import('./insights/insights.tsx').then(({ Insights }) => ({ default: Insights })),
);
const loadCodes = () => import('./provider-codes.tsx');
const ProviderCodes = lazy(() => loadCodes().then(({ ProviderCodes }) => ({ default: ProviderCodes })));
const loadTransactions = () => import('./transactions/transactions.tsx');
const Transactions = lazy(() => loadTransactions().then(({ Transactions }) => ({ default: Transactions })));
const Payouts = lazy(() => import('./payouts/payouts.tsx').then(({ Payouts }) => ({ default: Payouts })));
const loadQuestion = () => import('../signed-in/later/password-again.ts');
const Shift = lazy(() => import('./shift/shift.tsx').then(({ Shift }) => ({ default: Shift })));

/** The tabs that customers have no use for. */
const OF_PROVIDERS: ReadonlySet<DashboardTab> = new Set(['qr-codes', 'insights']);

export function Dashboard({ user }: { readonly user: User }) {
  return (
    <SignedInData user={user}>
      <Overview user={user} />
    </SignedInData>
  );
}

function Overview({ user }: { readonly user: User }) {
  const query = new URLSearchParams(useSearch());
  const tab = tabIn(query, user);
  const shown = query.get(SHOWN);
  const { logout, isLoggingOut } = useLogout();
  const { summary, qrCodes, transactions, isLoading, isFailing, retry } = useDashboardData(user, {
    isQuiet: shown !== null,
  });
  const newest =
    transactions.status === 'ready' ? (transactions.data.transactions[0]?.id ?? null) : undefined;
  const shownService =
    qrCodes.status === 'ready' ? qrCodes.data.find(({ id }) => id === shown)?.serviceCategory : undefined;
  const live = useLiveTips(user, newest, { announced: shownService ?? null, isQuiet: shown !== null });

  useEffect(() => {
    // The tab is fetched while its data load.
    if (tab === 'transactions') loadTransactions().catch(() => {});
    if (tab === 'qr-codes') loadCodes().catch(() => {});
  }, [tab]);
  useEffect(() => {
    startWorker(() => {
      import('./notifications/keep-notifications.ts')
        .then(({ keepNotices }) => keepNotices(user.id))
        .catch(() => {});
    });
  }, [user.id]);
  useEffect(() => {
    // The toaster is fetched ahead, because a toast may have to say that the connection is lost.
    import('../ui/later/toaster.tsx').catch(() => {});
  }, []);

  const panels = {
    'qr-codes': {
      label: 'QR Codes',
      hasFailed: qrCodes.status === 'failed',
      draw: () =>
        qrCodes.status === 'ready' ? (
          <Fetched sketch={<QrCodesSketch user={user} />}>
            <ProviderCodes user={user} codes={qrCodes.data} />
          </Fetched>
        ) : (
          <NotReady status={qrCodes.status} sketch={<QrCodesSketch user={user} />} onRetry={retry} />
        ),
    },
    transactions: {
      label: 'Transactions',
      hasFailed: transactions.status === 'failed',
      draw: () =>
        transactions.status === 'ready' ? (
          <Fetched sketch={<TransactionsSketch />}>
            <Transactions
              user={user}
              listing={transactions.data}
              isReceiver={
                user.isServiceProvider ||
                (summary.status === 'ready' && summary.data.totalTipsReceivedCents > 0)
              }
            />
          </Fetched>
        ) : (
          <NotReady status={transactions.status} sketch={<TransactionsSketch />} onRetry={retry} />
        ),
    },
    insights: {
      label: 'Insights',
      hasFailed: false,
      draw: () => (
        <Fetched sketch={<Loading text="Loading insights..." />}>
          <Insights user={user} />
        </Fetched>
      ),
    },
    profile: {
      label: 'Profile',
      hasFailed: false,
      draw: () => (
        <Fetched sketch={<Loading text="Loading profile..." />}>
          <Profile user={user} />
        </Fetched>
      ),
    },
  } satisfies Record<DashboardTab, unknown>;

  if (shown !== null) {
    return (
      <Suspense fallback={<LoadingScreen />}>
        <Shift user={user} shown={shown} codes={qrCodes} live={live} onRetry={retry} />
      </Suspense>
    );
  }

  return (
    <Screen
      title="Dashboard"
      unseenCount={live.unseenCount}
      actions={
        <>
          {!user.isServiceProvider && (
            <ButtonLink href={paths.scan}>
              <ScanLine aria-hidden /> Scan QR
            </ButtonLink>
          )}
          <Button look="quiet" aria-disabled={isLoggingOut} onClick={() => void logout()}>
            Logout
          </Button>
        </>
      }
    >
      <div className={styles.welcome}>
        <ScreenHeading className={styles.heading}>
          Welcome, <bdi>{user.fullName}</bdi>
        </ScreenHeading>
        <Standing
          user={user}
          connection={live.connection}
          isLoading={isLoading}
          // The panel that is shown has a Retry of its own when it failed.
          isIncomplete={isFailing && !panels[tab].hasFailed}
          onRetry={retry}
        />
      </div>
      <Stats
        isServiceProvider={user.isServiceProvider}
        summary={summary}
        activeCodes={
          qrCodes.status === 'ready' ? { ...qrCodes, data: qrCodes.data.filter(isActive).length } : qrCodes
        }
      />
      {user.isServiceProvider && paymentMode() !== 'simulated' && (
        <Fetched sketch={null}>
          <Payouts user={user} place="above" loadQuestion={loadQuestion} />
        </Fetched>
      )}
      <div className={styles.arrival}>
        <ArrivalCard arrival={live.arrival} />
      </div>
      <Tabs
        label="Your dashboard"
        value={tab}
        tabs={tabsOf(user).map((value) => ({
          value,
          href: dashboardTab(value),
          label: panels[value].label,
          panel: value === tab ? panels[value].draw() : null,
        }))}
      />
    </Screen>
  );
}

interface StandingProps {
  readonly user: User;
  readonly connection: Connection;
  readonly isLoading: boolean;
  readonly isIncomplete: boolean;
  readonly onRetry: () => void;
}

/** The status line. It is always there, so that nothing moves when it changes. */
function Standing({ user, connection, isLoading, isIncomplete, onRetry }: StandingProps) {
  if (isLoading) return <p role="status">Loading Dashboard...</p>;
  if (isIncomplete) {
    return (
      <p>
        Not everything could be loaded.{' '}
        <button type="button" className={styles.retry} onClick={onRetry}>
          Retry
        </button>
      </p>
    );
  }
  return (
    <ConnectionSign connection={connection}>
      <bdi>@{user.username}</bdi> · {accountTypeOf(user)}
    </ConnectionSign>
  );
}

interface NotReadyProps {
  readonly status: 'loading' | 'failed';
  readonly sketch: ReactNode;
  readonly onRetry: () => void;
}

function NotReady({ status, sketch, onRetry }: NotReadyProps) {
  if (status === 'loading') return <div aria-busy="true">{sketch}</div>;
  return <LoadFailed onRetry={onRetry} />;
}

/** The tabs of an account, the one first that opens by default. */
function tabsOf({ isServiceProvider }: User): DashboardTab[] {
  return DASHBOARD_TABS.filter((tab) => isServiceProvider || !OF_PROVIDERS.has(tab));
}

/** The tab that the address names, else the first; Back returns to the tab before. */
function tabIn(query: URLSearchParams, user: User): DashboardTab {
  const named = query.get('tab');
  const tabs = tabsOf(user);
  const [first = 'transactions'] = tabs;
  return tabs.find((tab) => tab === named) ?? first;
}

function isActive({ status }: QrCode): boolean {
  return status === 'active';
}
