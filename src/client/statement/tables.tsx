/**
 * The tables of a statement. On a narrow screen each row becomes a block whose cells repeat the names of
 * their columns.
 */
import type { ReactNode } from 'react';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import { type Cents, cents, formatUsd } from '#shared/money.ts';
import type { Insights } from '#shared/records.ts';
import type { Transaction } from '#shared/tips.ts';
import { showDate, showDay, showMoment, showMonth, showWeekday } from './dates.ts';
import styles from './tables.module.css';

interface TableProps {
  readonly caption: string;
  readonly columns: readonly (readonly [name: string, kind?: Kind])[];
  readonly children: ReactNode;
}

/** `sum` is for amounts and counts, `id` for text that nobody reads aloud. */
type Kind = 'sum' | 'id';

function Table({ caption, columns, children }: TableProps) {
  return (
    <table className={styles.table}>
      <caption className={styles.caption}>{caption}</caption>
      <thead>
        <tr>
          {columns.map(([name, kind]) => (
            <th key={name} scope="col" className={kind && styles[kind]}>
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

function Cell({ of, kind, children }: CellProps) {
  return (
    <td data-label={of} className={kind && styles[kind]}>
      {children}
    </td>
  );
}

function Sum({ of, amount }: { readonly of: string; readonly amount: Cents }) {
  return (
    <Cell of={of} kind="sum">
      {formatUsd(amount)}
    </Cell>
  );
}

interface TipsProps {
  readonly tips: readonly Transaction[];
}

export function ReceivedTips({ tips }: TipsProps) {
  return (
    <Table
      caption="Every tip"
      columns={[
        ['Date and time'],
        ['Service'],
        ['Tip', 'sum'],
        ['Fee', 'sum'],
        ['Net', 'sum'],
        ['Transaction', 'id'],
      ]}
    >
      <tbody>
        {tips.map((tip) => (
          <TipRow key={tip.id} tip={tip}>
            <Cell of="Service">
              {CATEGORY_LABELS[tip.serviceCategory]}
              <RefundNote tip={tip} />
            </Cell>
            <Sum of="Tip" amount={tip.amountCents} />
            <Sum of="Fee" amount={cents(tip.amountCents - tip.netAmountCents)} />
            <Sum of="Net" amount={tip.netAmountCents} />
          </TipRow>
        ))}
      </tbody>
    </Table>
  );
}

export function SentTips({ tips }: TipsProps) {
  return (
    <Table
      caption="Every tip"
      columns={[
        ['Date and time'],
        ['To'],
        ['Tip', 'sum'],
        ['Fee', 'sum'],
        ['Total paid', 'sum'],
        ['Transaction', 'id'],
      ]}
    >
      <tbody>
        {tips.map((tip) => (
          <TipRow key={tip.id} tip={tip}>
            <Cell of="To">
              <bdi>{tip.receiverName}</bdi>, {CATEGORY_LABELS[tip.serviceCategory]}
              <RefundNote tip={tip} />
            </Cell>
            <Sum of="Tip" amount={tip.amountCents} />
            <Sum of="Fee" amount={tip.giverFeeCents} />
            <Sum of="Total paid" amount={cents(tip.amountCents + tip.giverFeeCents)} />
          </TipRow>
        ))}
      </tbody>
    </Table>
  );
}

function TipRow({ tip, children }: { readonly tip: Transaction; readonly children: ReactNode }) {
  const { id, createdAt, status } = tip;
  return (
    <tr data-refunded={status === 'refunded'}>
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

function RefundNote({ tip: { status, refundedAt } }: { readonly tip: Transaction }) {
  if (status !== 'refunded') return null;
  return <span className={styles.note}>Refunded {refundedAt !== null && showDay(refundedAt)}</span>;
}

type Takings = Pick<Insights, 'count' | 'grossCents' | 'feeCents' | 'netCents'>;

function TakingsCells({ count, grossCents, feeCents, netCents }: Takings) {
  return (
    <>
      <Cell of="Tips" kind="sum">
        {count}
      </Cell>
      <Sum of="Gross" amount={grossCents} />
      <Sum of="Fees" amount={feeCents} />
      <Sum of="Net" amount={netCents} />
    </>
  );
}

const TAKINGS_COLUMNS = [
  ['Tips', 'sum'],
  ['Gross', 'sum'],
  ['Fees', 'sum'],
  ['Net', 'sum'],
] as const;

function TotalRow({ span, takings }: { readonly span: number; readonly takings: Takings }) {
  return (
    <tbody className={styles.total}>
      <tr>
        <th scope="row" colSpan={span}>
          Total
        </th>
        <TakingsCells {...takings} />
      </tr>
    </tbody>
  );
}

export function Months({ takings }: { readonly takings: Insights }) {
  return (
    <Table caption="By month and service" columns={[['Month'], ['Service'], ...TAKINGS_COLUMNS]}>
      <tbody>
        {takings.bars.flatMap(({ from, byService }) =>
          byService.map((taken) => (
            <tr key={`${from} ${taken.serviceCategory}`}>
              <th scope="row">{showMonth(from)}</th>
              <Cell of="Service">{CATEGORY_LABELS[taken.serviceCategory]}</Cell>
              <TakingsCells {...taken} />
            </tr>
          )),
        )}
      </tbody>
      <TotalRow span={2} takings={takings} />
    </Table>
  );
}

/** Earnings by day, as tax offices ask for them. */
export function DailyRecord({ takings }: { readonly takings: Insights }) {
  return (
    <Table caption="Daily tip record" columns={[['Date'], ...TAKINGS_COLUMNS]}>
      <tbody>
        {takings.bars
          .filter(({ count }) => count > 0)
          .map(({ from, ...taken }) => (
            <tr key={from}>
              <th scope="row">
                {showWeekday(from)}, {showDate(from)}
              </th>
              <TakingsCells {...taken} />
            </tr>
          ))}
      </tbody>
      <TotalRow span={1} takings={takings} />
    </Table>
  );
}
