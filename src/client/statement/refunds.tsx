/** Changes made in the period, and later ones of its tips; and how the two ways to count agree. */
import type { BookEntry } from '#shared/books.ts';
import { dateAt } from '#shared/calendar.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { ENTRY_LABELS, nameOfChanges } from '#shared/entry-labels.ts';
import { cents } from '#shared/money.ts';
import { timeZoneHere } from '../signed-in/time-here.ts';
import { hasFees } from '../signed-in/told-fees.ts';
import { showDate, showMoment } from './dates.ts';
import { booksOf, MAX_LISTED, type StatementData } from './load-statement.ts';
import type { StatementQuery } from './period.ts';
import styles from './statement.module.css';
import tables from './tables.module.css';
import { Cell, Sum, Table } from './tables.tsx';

interface RefundsProps {
  readonly query: StatementQuery;
  readonly data: StatementData;
}

export function Refunds({ query, data }: RefundsProps) {
  const { changes, since } = data;
  const isReceived = query.direction === 'received';
  return (
    <>
      {changes.length > 0 && (
        <div className={styles.part}>
          <Changes caption={`${nameOfChanges(changes)} in this period`} changes={changes} query={query} />
          <p className={styles.soft}>
            A refund counts on the day it was made, so the totals of a month that is over never change. The
            CSV adds up to the same totals
            {isReceived && ', and so do “Tips given” and the last three columns of the daily record'}.
          </p>
        </div>
      )}
      {since.length > 0 && (
        <div className={styles.part}>
          <Changes caption="Changed since this period" changes={since} query={query} />
          <p className={styles.soft}>
            These changes were made after this period, and count on the day they were made.
          </p>
        </div>
      )}
      {(changes.length > 0 || since.length > 0) && <Today query={query} data={data} />}
    </>
  );
}

interface ChangesProps {
  readonly caption: string;
  readonly changes: readonly BookEntry[];
  readonly query: StatementQuery;
}

function Changes({ caption, changes, query }: ChangesProps) {
  const isReceived = query.direction === 'received';
  const main = isReceived ? 'Net' : 'Total paid';
  const feeOf = (change: BookEntry) => (isReceived ? change.receiverFeeCents : change.giverFeeCents);
  const isFeeTold = hasFees(query.direction, changes.map(feeOf));
  // The statement of that day has the tip.
  const dayOf = (time: string) => showDate(dateAt(Date.parse(time), timeZoneHere(), query.dayStartHour));
  return (
    <Table
      caption={caption}
      columns={[
        ['Date and time'],
        ['What'],
        ['Date of tip'],
        ['Tip', 'sum'],
        isFeeTold && ['Fee', 'sum'],
        [main, 'sum'],
        ['Transaction', 'id'],
      ]}
    >
      <tbody>
        {changes.map((change) => {
          const { id, kind, createdAt, transaction, amountCents, giverFeeCents, netAmountCents } = change;
          return (
            <tr key={id}>
              <th scope="row">
                <time dateTime={createdAt}>{showMoment(createdAt)}</time>
              </th>
              <Cell of="What">
                {ENTRY_LABELS[kind]}, {CATEGORY_LABELS[transaction.serviceCategory]}
              </Cell>
              <Cell of="Date of tip">
                <span className={tables.ofTip}>Tip of </span>
                <time dateTime={transaction.createdAt}>{dayOf(transaction.createdAt)}</time>
              </Cell>
              <Sum of="Tip" amount={amountCents} />
              {isFeeTold && <Sum of="Fee" amount={feeOf(change)} />}
              <Sum
                of={main}
                kind="main"
                amount={isReceived ? netAmountCents : cents(amountCents + giverFeeCents)}
              />
              <Cell of="Transaction" kind="id">
                {transaction.id}
              </Cell>
            </tr>
          );
        })}
      </tbody>
    </Table>
  );
}

/** From the total of the period to what its tips come to today, step by step. */
function Today({ query, data: { sums, changes } }: RefundsProps) {
  const isReceived = query.direction === 'received';
  const books = booksOf(sums, query);
  const total = books.tips.cents + books.changes.cents;
  const today = isReceived ? sums.receivedCents : sums.paidCents;
  const atTheEnd = today - books.since.cents;
  const ofEarlier = atTheEnd - total;
  const name = nameOfChanges(changes);
  // A dispute that was won brings money, which is not added back.
  const whatOfEarlier = `${name} of earlier tips, ${name === 'Refunds' ? 'added back' : 'left out'}`;
  const lines: readonly (readonly [string, number])[] = [
    [`Total of this statement (${isReceived ? 'net' : 'paid'})`, total],
    ...(ofEarlier === 0 ? [] : ([[whatOfEarlier, ofEarlier]] as const)),
    ...(books.since.count === 0
      ? []
      : ([
          ['These tips when the period ended', atTheEnd],
          ['Changed since', books.since.cents],
        ] as const)),
    ['These tips today', today],
  ];
  return (
    <div className={styles.part}>
      <Table
        caption="As these tips count today"
        columns={[['What'], [isReceived ? 'Net' : 'Total paid', 'main']]}
      >
        <tbody>
          {lines.map(([name, amount]) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <Sum of="" kind="main" amount={cents(amount)} />
            </tr>
          ))}
        </tbody>
      </Table>
      <p className={styles.soft}>
        Your dashboard and insights take each refund off the day of its tip. Here is how they get to their
        number.
      </p>
      {changes.length >= MAX_LISTED && (
        <p className={styles.soft}>Only the newest refunds are listed here. The CSV has all of them.</p>
      )}
    </div>
  );
}
