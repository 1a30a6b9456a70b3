/** The tables of a statement. On a narrow screen a row is two lines, whose cells repeat the names of their columns. */
import type { ReactNode } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { ENTRY_LABELS } from '#shared/entry-labels.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import { wasNeverCharged } from '#shared/tip-states.ts';
import type { Transaction } from '#shared/tips.ts';
import { hasFees } from '../signed-in/told-fees.ts';
import { showCount } from './counts.ts';
import { showDate, showDay, showMoment, showMonth, showWeekday } from './dates.ts';
import styles from './tables.module.css';

interface TableProps {
  readonly caption: string;
  /** False stands for a column that is left out. */
  readonly columns: readonly (false | readonly [name: string, kind?: Kind])[];
  readonly children: ReactNode;
}

/** `main` is the sum that leads a row, `sum` is for other amounts and counts, `id` for what nobody reads aloud. */
type Kind = 'main' | 'sum' | 'id';

const CLASSES = {
  main: [styles.sum, styles.main].join(' '),
  sum: styles.sum,
  id: styles.id,
} as const satisfies Readonly<Record<Kind, unknown>>;

export function Table({ caption, columns, children }: TableProps) {
  return (
    <table className={styles.table}>
      <caption className={styles.caption}>{caption}</caption>
      <thead>
        <tr>
          {columns
            .filter((column) => column !== false)
            .map(([name, kind]) => (
              <th key={name} scope="col" className={kind && CLASSES[kind]}>
                {name}
              </th>
            ))}
        </tr>
      </thead>
      {children}
    </table>
  );
}

interface CellProps {
  readonly of: string;
  readonly kind?: Kind;
  readonly children: ReactNode;
}

export function Cell({ of, kind, children }: CellProps) {
  return (
    <td data-label={of} className={kind && CLASSES[kind]}>
      {children}
    </td>
  );
}

interface SumProps {
  readonly of: string;
  readonly amount: Cents;
  readonly kind?: Kind;
}

export function Sum({ of, amount, kind = 'sum' }: SumProps) {
  return (
    <Cell of={of} kind={kind}>
      {formatMoney(amount)}
    </Cell>
  );
}

interface TipsProps {
  readonly tips: readonly Transaction[];
}

export function ReceivedTips({ tips }: TipsProps) {
  const feeOf = (tip: Transaction) => cents(tip.amountCents - tip.netAmountCents);
  const isFeeTold = hasFees('received', tips.map(feeOf));
  return (
    <Table
      caption="Every tip"
      columns={[
        ['Date and time'],
        ['Service'],
        ['Tip', 'sum'],
        isFeeTold && ['Fee', 'sum'],
        ['Net', 'sum'],
        ['Transaction', 'id'],
      ]}
    >
      <tbody>
        {tips.map((tip) => (
          <TipRow key={tip.id} tip={tip}>
            <Cell of="Service">
              {CATEGORY_LABELS[tip.serviceCategory]}
              <ChangeNote tip={tip} />
            </Cell>
            <Sum of="Tip" amount={tip.amountCents} />
            {isFeeTold && <Sum of="Fee" amount={feeOf(tip)} />}
            <Sum of="Net" kind="main" amount={tip.netAmountCents} />
          </TipRow>
        ))}
      </tbody>
    </Table>
  );
}

export function SentTips({ tips }: TipsProps) {
  const isFeeTold = hasFees(
    'sent',
    tips.map(({ giverFeeCents }) => giverFeeCents),
  );
  return (
    <Table
      caption="Every tip"
      columns={[
        ['Date and time'],
        ['To'],
        ['Tip', 'sum'],
        isFeeTold && ['Fee', 'sum'],
        ['Total paid', 'sum'],
        ['Transaction', 'id'],
      ]}
    >
      <tbody>
        {tips.map((tip) => (
          <TipRow key={tip.id} tip={tip}>
            <Cell of="To">
              <bdi>{tip.receiverName}</bdi>, {CATEGORY_LABELS[tip.serviceCategory]}
              <ChangeNote tip={tip} />
            </Cell>
            <Sum of="Tip" amount={tip.amountCents} />
            {isFeeTold && <Sum of="Fee" amount={tip.giverFeeCents} />}
            <Sum of="Total paid" kind="main" amount={cents(tip.amountCents + tip.giverFeeCents)} />
          </TipRow>
        ))}
      </tbody>
    </Table>
  );
}

function TipRow({ tip, children }: { readonly tip: Transaction; readonly children: ReactNode }) {
  const { id, createdAt } = tip;
  return (
    <tr>
      <th scope="row">
        <time dateTime={createdAt}>{showMoment(createdAt)}</time>
      </th>
      {children}
      <Cell of="Transaction" kind="id">
        {id}
      </Cell>
    </tr>
  );
}

function ChangeNote({ tip }: { readonly tip: Transaction }) {
  const { status, refundedAt } = tip;
  const last = tip.changes.at(-1);
  if (status === 'refunded')
    return (
      <span className={styles.note}>
        {wasNeverCharged(tip) ? ENTRY_LABELS.canceled : 'Refunded'}{' '}
        {refundedAt !== null && showDay(refundedAt)}
      </span>
    );
  if (!last) return null;
  return (
    <span className={styles.note}>
      {ENTRY_LABELS[last.kind]} {showDay(last.at)}
    </span>
  );
}

type Books = Pick<Insights['books'], 'tips' | 'changes'>;

/** The columns that not every statement has. */
interface Optional {
  /** The name of the column of changes; null without any. */
  readonly refunds: string | null;
  readonly isFeeTold: boolean;
}

function BookCells({
  books: { tips, changes },
  optional: { refunds, isFeeTold },
}: {
  readonly books: Books;
  readonly optional: Optional;
}) {
  return (
    <>
      <Cell of="Tips" kind="sum">
        {showCount(tips.count)}
      </Cell>
      {refunds !== null && (
        <Cell of={refunds} kind="sum">
          {showCount(changes.count)}
        </Cell>
      )}
      <Sum of="Gross" amount={cents(tips.grossCents + changes.grossCents)} />
      {isFeeTold && <Sum of="Fees" amount={cents(tips.feeCents + changes.feeCents)} />}
      <Sum of="Net" kind="main" amount={cents(tips.netCents + changes.netCents)} />
    </>
  );
}

interface EarningsProps {
  readonly earnings: Insights;
  /** What the changes of the period are called. */
  readonly refunds: string;
}

function optionalOf({ earnings, refunds }: EarningsProps): Optional {
  const services = earnings.bars.flatMap(({ books }) => books.byService);
  return {
    refunds: earnings.books.changes.count > 0 ? refunds : null,
    isFeeTold: hasFees(
      'received',
      services.flatMap(({ tips, changes }) => [tips.feeCents, changes.feeCents]),
    ),
  };
}

const columnsOf = ({ refunds, isFeeTold }: Optional): TableProps['columns'] => [
  ['Tips', 'sum'],
  refunds !== null && [refunds, 'sum'],
  ['Gross', 'sum'],
  isFeeTold && ['Fees', 'sum'],
  ['Net', 'sum'],
];

interface TotalRowProps {
  readonly books: Books;
  readonly optional: Optional;
  readonly span: number;
}

function TotalRow({ books, optional, span }: TotalRowProps) {
  return (
    <tbody className={styles.total}>
      <tr>
        <th scope="row" colSpan={span}>
          Total
        </th>
        <BookCells books={books} optional={optional} />
      </tr>
    </tbody>
  );
}

export function Months(props: EarningsProps) {
  const { earnings } = props;
  const optional = optionalOf(props);
  return (
    <Table caption="By month and service" columns={[['Month'], ['Service'], ...columnsOf(optional)]}>
      <tbody>
        {earnings.bars.flatMap(({ from, books }) =>
          books.byService.map(({ serviceCategory, ...ofService }) => (
            <tr key={`${from} ${serviceCategory}`}>
              <th scope="row">{showMonth(from)}</th>
              <Cell of="Service">{CATEGORY_LABELS[serviceCategory]}</Cell>
              <BookCells books={ofService} optional={optional} />
            </tr>
          )),
        )}
      </tbody>
      <TotalRow span={2} books={earnings.books} optional={optional} />
    </Table>
  );
}

/** Earnings by day, as tax offices ask for them: a refund counts on the day on which it was made. */
export function DailyRecord(props: EarningsProps) {
  const { earnings } = props;
  const optional = optionalOf(props);
  return (
    <Table caption="Daily tip record" columns={[['Date'], ...columnsOf(optional)]}>
      <tbody>
        {earnings.bars
          .filter(({ books }) => books.tips.count + books.changes.count > 0)
          .map(({ from, books }) => (
            <tr key={from}>
              <th scope="row">
                {showWeekday(from)}, {showDate(from)}
              </th>
              <BookCells books={books} optional={optional} />
            </tr>
          ))}
      </tbody>
      <TotalRow span={1} books={earnings.books} optional={optional} />
    </Table>
  );
}
