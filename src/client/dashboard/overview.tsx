/** The first screen of the dashboard: a welcome, the state of the connection, a customer's statistics, and the tabs. */
import { ScanLine } from 'lucide-react';
import { lazy } from 'react';
import { paymentMode } from '../installation.ts';
import type { DashboardTab } from '../later/addresses.ts';
import { paths } from '../paths.ts';
import type { KeptUser } from '../signed-in/kept-dashboard.ts';
import { useLogout } from '../signed-in/logout.ts';
import { Button } from '../ui/button.tsx';
import { ButtonLink } from '../ui/button-link.tsx';
import { ScreenHeading } from '../ui/heading.tsx';
import { Screen } from '../ui/screen.tsx';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { DashboardTabs, hasFailed } from './dashboard-tabs.tsx';
import { ArrivalCard } from './live/arrival-card.tsx';
import { ConnectionSign } from './live/connection-sign.tsx';
import type { LiveTips } from './live/live-tips.ts';
import styles from './overview.module.css';
import { Fetched, focusHeading } from './shared/fetched.tsx';
import { accountTypeOf } from './shared/labels.ts';
import type { DashboardData } from './shared/queries.ts';
import { Stats } from './stats.tsx';

const Payouts = lazy(() => import('./payouts/payouts.tsx').then(({ Payouts }) => ({ default: Payouts })));
const loadQuestion = () => import('../signed-in/later/password-again.ts');

interface OverviewProps {
  readonly user: KeptUser;
  readonly tab: DashboardTab;
  readonly data: DashboardData;
  readonly live: LiveTips;
}

export function Overview({ user, tab, data, live }: OverviewProps) {
  return (
    <Screen title="Dashboard" unseenCount={live.unseenCount} actions={<Actions user={user} />}>
      <div className={styles.welcome}>
        <ScreenHeading className={styles.heading}>
          Welcome, <bdi>{user.fullName}</bdi>
        </ScreenHeading>
        <Standing user={user} tab={tab} data={data} live={live} />
      </div>
      {!user.isServiceProvider && tab === 'transactions' && <Stats isServiceProvider={false} data={data} />}
      {user.isServiceProvider && paymentMode() !== 'simulated' && (
        <Fetched sketch={null}>
          <Payouts user={user} place="above" loadQuestion={loadQuestion} />
        </Fetched>
      )}
      <div className={styles.arrival}>
        <ArrivalCard arrival={live.arrival} isDrawn={tab !== 'qr-codes'}>
          {/* The other tabs say it themselves. */}
          {tab === 'profile' && <SimulatedMoney />}
        </ArrivalCard>
      </div>
      <DashboardTabs user={user} tab={tab} data={data} />
    </Screen>
  );
}

function Actions({ user }: Pick<OverviewProps, 'user'>) {
  const { logout, isLoggingOut } = useLogout();
  return (
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
  );
}

/**
 * One line is always there, so that nothing moves when it changes. A screen reader announces only what comes into a
 * region that was there before.
 */
function Standing({ user, tab, data, live }: OverviewProps) {
  const isOld = !data.isLoading && data.isFailing && !hasFailed(tab, data);
  const retry = () => {
    focusHeading();
    data.retry();
  };
  return (
    <>
      <p role="status" className={styles.standing}>
        {data.isLoading && 'Loading Dashboard...'}
        {isOld && (
          <>
            Not everything could be loaded.{' '}
            <button type="button" className={styles.retry} onClick={retry}>
              Retry
            </button>
          </>
        )}
      </p>
      {!data.isLoading && !isOld && (
        <ConnectionSign connection={live.connection}>
          <bdi>@{user.username}</bdi> · {accountTypeOf(user)}
        </ConnectionSign>
      )}
    </>
  );
}
