/** The tabs of the dashboard. The address names the open one, whose module is fetched when it is opened. */
import { type ComponentType, lazy, type ReactNode, useEffect } from 'react';
import { useSearch } from 'wouter';
import type { User } from '#shared/accounts.ts';
import { Tabs } from '../controls/tabs.tsx';
import { DASHBOARD_TABS, type DashboardTab, dashboardTab } from '../later/addresses.ts';
import { useSession } from '../session/session.ts';
import type { KeptUser } from '../signed-in/kept-dashboard.ts';
import { Later } from '../ui/boundary.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { Loading } from '../ui/states.tsx';
import codes from './codes/qr-codes.module.css';
import { QrCodes } from './codes/qr-codes.tsx';
import { Fetched, Loaded, LoadFailed } from './shared/fetched.tsx';
import { TAB_LABELS } from './shared/labels.ts';
import type { DashboardData } from './shared/queries.ts';
import { QrCodesSketch, TransactionsSketch } from './sketches.tsx';
import { Stats } from './stats.tsx';

const loadTransactions = () => import('./transactions/transactions.tsx');
const Transactions = lazy(() => loadTransactions().then(({ Transactions }) => ({ default: Transactions })));
const Insights = lazy(() =>
  import('./insights/insights.tsx').then(({ Insights }) => ({ default: Insights })),
);
const Profile = lazy(() => import('./account/profile.tsx').then(({ Profile }) => ({ default: Profile })));

const LastTipPlace = lazy(() =>
  import('./live/last-tip-place.tsx').then(({ LastTipPlace }) => ({ default: LastTipPlace })),
);

interface PanelProps {
  readonly user: KeptUser;
  readonly data: DashboardData;
}

interface Tab {
  readonly Panel: ComponentType<PanelProps>;
  /** The part of the data that the panel shows; left out where the panel loads its own. */
  readonly part?: 'qrCodes' | 'transactions';
  readonly load?: () => Promise<unknown>;
}

const TABS: Readonly<Record<DashboardTab, Tab>> = {
  'qr-codes': { Panel: QrCodesPanel, part: 'qrCodes' },
  transactions: { Panel: TransactionsPanel, part: 'transactions', load: loadTransactions },
  insights: { Panel: InsightsPanel },
  profile: { Panel: ProfilePanel },
};

const CUSTOMER_TABS = ['transactions', 'profile'] as const;

interface DashboardTabsProps extends PanelProps {
  readonly tab: DashboardTab;
}

export function DashboardTabs({ user, tab, data }: DashboardTabsProps) {
  const { Panel } = TABS[tab];
  return (
    <Tabs
      label="Your dashboard"
      value={tab}
      tabs={tabsOf(user).map((value) => ({
        value,
        href: dashboardTab(value),
        label: TAB_LABELS[value],
        panel: value === tab ? <Panel user={user} data={data} /> : null,
      }))}
    />
  );
}

/** Reads the open tab from the address, the first by default. Its module is fetched while its data load. */
export function useOpenTab(user: KeptUser): DashboardTab {
  const named = new URLSearchParams(useSearch()).get('tab');
  const tabs = tabsOf(user);
  const [first = 'transactions'] = tabs;
  const tab = tabs.find((one) => one === named) ?? first;
  useEffect(() => {
    TABS[tab].load?.().catch(() => {});
  }, [tab]);
  return tab;
}

/** Whether the tab's own panel shows that its data could not be loaded. */
export function hasFailed(tab: DashboardTab, data: DashboardData): boolean {
  const { part } = TABS[tab];
  return part !== undefined && data[part].status === 'failed';
}

function tabsOf({ isServiceProvider }: KeptUser): readonly DashboardTab[] {
  return isServiceProvider ? DASHBOARD_TABS : CUSTOMER_TABS;
}

function QrCodesPanel({ user, data }: PanelProps) {
  const stats = <Stats isServiceProvider data={data} />;
  const tips = data.transactions.status === 'ready' ? data.transactions.data.transactions : [];
  if (data.qrCodes.status === 'failed') {
    return (
      <div className={codes.tab}>
        <LoadFailed onRetry={data.retry} />
        {stats}
      </div>
    );
  }
  return (
    <Loaded
      part={data.qrCodes}
      sketch={<QrCodesSketch user={user}>{stats}</QrCodesSketch>}
      onRetry={data.retry}
    >
      {(codes) => (
        <>
          <QrCodes user={user} codes={codes}>
            {stats}
          </QrCodes>
          {tips.some(({ receiverId }) => receiverId === user.id) && (
            <Later>
              <LastTipPlace user={user} transactions={tips} />
            </Later>
          )}
        </>
      )}
    </Loaded>
  );
}

function TransactionsPanel({ user, data: { summary, transactions, retry } }: PanelProps) {
  const sketch = <TransactionsSketch />;
  const hasReceived = summary.status === 'ready' && summary.data.totalTipsReceivedCents > 0;
  return (
    <Loaded part={transactions} sketch={sketch} onRetry={retry}>
      {(listing) => (
        <div className={codes.tab}>
          {/* The statistics of a customer say above the tabs that money is simulated. */}
          {user.isServiceProvider && <SimulatedMoney />}
          <Verified sketch={sketch}>
            {(verified) => (
              <Transactions
                user={verified}
                listing={listing}
                isReceiver={user.isServiceProvider || hasReceived}
                sketch={sketch}
              />
            )}
          </Verified>
        </div>
      )}
    </Loaded>
  );
}

function InsightsPanel() {
  return (
    <Verified sketch={<Loading text="Loading insights..." />}>
      {(user) => (
        <div className={codes.tab}>
          <SimulatedMoney />
          <Insights user={user} />
        </div>
      )}
    </Verified>
  );
}

function ProfilePanel() {
  return (
    <Verified sketch={<Loading text="Loading profile..." />}>{(user) => <Profile user={user} />}</Verified>
  );
}

interface VerifiedProps {
  readonly sketch: ReactNode;
  readonly children: (user: User) => ReactNode;
}

/** A panel that has to know more of the account than this device keeps. */
function Verified({ sketch, children }: VerifiedProps) {
  const session = useSession();
  return (
    <Fetched sketch={sketch}>{session.status === 'signed-in' ? children(session.user) : sketch}</Fetched>
  );
}
