/** The frame of a statement: whose it is and of which period, which on paper stands at the head of every page. */
import type { ReactNode } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { paymentMode } from '../installation.ts';
import { hourName, timeZoneHere } from '../signed-in/time-here.ts';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { showMoment, showPeriod } from './dates.ts';
import type { StatementData } from './load-statement.ts';
import type { StatementQuery } from './period.ts';
import styles from './statement.module.css';

interface SheetFrameProps {
  readonly user: User;
  readonly query: StatementQuery;
  readonly data: StatementData;
  readonly children: ReactNode;
}

export function SheetFrame({ user, query, data, children }: SheetFrameProps) {
  const isHourTold = query.dayStartHour > 0 || (user.dayStartHour ?? 0) > 0;
  return (
    <article className={styles.sheet} aria-label="Statement">
      <header className={styles.about}>
        <h2>
          Tips {query.direction}, {showPeriod(query.from, query.to)}
        </h2>
        <p>
          <bdi>{user.fullName}</bdi> · <bdi>@{user.username}</bdi>
          {query.serviceCategory !== null && <> · {CATEGORY_LABELS[query.serviceCategory]} only</>}
        </p>
        <p className={styles.soft}>
          All times in {timeZoneHere()}. {isHourTold && `Days end at ${hourName(query.dayStartHour)}. `}
          Made {showMoment(data.madeAt)}.
        </p>
        <MoneyNote data={data} />
      </header>
      <div className={styles.parts}>{children}</div>
    </article>
  );
}

/** How the listed money was paid: the installation may have kept its books when it got keys of Stripe, or lost them. */
function MoneyNote({ data: { tips, changes, since } }: Pick<SheetFrameProps, 'data'>) {
  const modes = new Set(
    [...tips, ...[...changes, ...since].map(({ transaction }) => transaction)].map(
      ({ paymentMode }) => paymentMode,
    ),
  );
  const [mode = paymentMode()] = modes;
  if (modes.size > 1 && modes.has('live'))
    return <p className={styles.soft}>Not all of this money is real: the CSV tells how each tip was paid.</p>;
  return <SimulatedMoney mode={mode} />;
}
