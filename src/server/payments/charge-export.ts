/** The movements of charges as CSV, in which each column of amounts adds up to what was kept of it. */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import { dateAt, isoTime } from '#shared/calendar.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import type { MovedCharge } from './payment-books.ts';

const COLUMNS = [
  'Date',
  'Movement',
  'Tip',
  'Code',
  'Charge',
  'Reference',
  'Balance transactions',
  'Transfer',
  'Payout',
  'Payout arrives',
  'Currency',
  'Charged',
  'Service fee',
  'Application fee',
  'To provider',
];

export const exportHeading = (): string => CSV_BOM + csvLine(COLUMNS);

/** The payout is that of the charge itself, and stands in its row. @param payment null where the ledger has none. */
export function exportRows(
  { chargeId, transactionId, movements, payout }: MovedCharge,
  payment: Pick<PaymentRecord, 'id' | 'qrCodeId'> | null,
  currency: string,
  spell: (cents: number) => string,
): string {
  return movements
    .map((one) => {
      const paidOut = one.kind === 'charge' ? payout : null;
      return csvLine([
        isoTime(one.atMs),
        one.kind,
        payment?.id ?? transactionId ?? '',
        payment?.qrCodeId ?? '',
        chargeId,
        one.id,
        one.balanceTransactionIds.join(' '),
        one.transferId ?? '',
        paidOut?.id ?? '',
        // Stripe names the day of arrival as its midnight in UTC.
        paidOut ? dateAt(paidOut.arrivesAtMs, 'UTC') : '',
        currency,
        ...[one.chargedCents, one.serviceFeeCents, one.applicationFeeCents, one.toProviderCents].map(
          (cents) => ({ number: spell(cents) }),
        ),
      ]);
    })
    .join('');
}
