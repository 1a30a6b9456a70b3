/** The frame of a statement: whose it is and of which period, which on paper stands at the head of every page. */
import type { ReactNode } from 'react';
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { hourName, timeZoneHere } from '../signed-in/time-here.ts';
import { SimulatedMoney } from '../ui/simulated-money.tsx';
import { showMoment, showPeriod } from './dates.ts';
import type { StatementQuery } from './period.ts';
import styles from './statement.module.css';

interface SheetFrameProps {
  readonly user: User;
  readonly query: StatementQuery;
  readonly madeAt: Date;
  readonly children: ReactNode;
}

export function SheetFrame({ user, query, madeAt, children }: SheetFrameProps) {
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
          Made {showMoment(madeAt)}.
        </p>
        <SimulatedMoney />
      </header>
      <div className={styles.parts}>{children}</div>
    </article>
  );
}
