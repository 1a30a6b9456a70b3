/** The movements of charges as CSV, in which each column of amounts adds up to what was kept of it. */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import type { BookedCharge } from './payment-books.ts';

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
  'Currency',
  'Charged',
  'Service fee',
  'Application fee',
  'To provider',
];

export const exportHeading = (): string => CSV_BOM + csvLine(COLUMNS);

interface Movement {
  readonly kind: 'charge' | 'refund' | 'dispute' | 'dispute_won' | 'transfer_reversal';
  /** Null where the payment service tells none. */
  readonly atMs: number | null;
  /** The payment service's id of the refund or dispute. */
  readonly reference: string;
  readonly chargedCents: number;
  readonly serviceFeeCents: number;
  readonly applicationFeeCents: number;
  readonly toProviderCents: number;
}

/**
 * The rows of a charge, none for one that was not captured.
 * @param payment its payment; null where the ledger has none.
 * @param spell spells an amount in cents.
 */
export function exportRows(
  charge: BookedCharge,
  payment: Pick<PaymentRecord, 'id' | 'qrCodeId' | 'giverFeeCents' | 'receiverFeeCents'> | null,
  currency: string,
  spell: (cents: number) => string,
): string {
  const { chargeId, transferId, payoutId, balanceTransactionIds, transactionId } = charge;
  const ofCharge = {
    ids: balanceTransactionIds.join(' '),
    transfer: transferId ?? '',
    payout: payoutId ?? '',
  };
  const ofOther = { ids: '', transfer: '', payout: '' };
  return movementsOf(charge, payment)
    .map((one) => {
      const { ids, transfer, payout } = one.kind === 'charge' ? ofCharge : ofOther;
      return csvLine([
        one.atMs === null ? '' : new Date(one.atMs).toISOString(),
        one.kind,
        payment?.id ?? transactionId ?? '',
        payment?.qrCodeId ?? '',
        chargeId,
        one.reference,
        ids,
        one.kind === 'transfer_reversal' ? (transferId ?? '') : transfer,
        payout,
        currency,
        ...[one.chargedCents, one.serviceFeeCents, one.applicationFeeCents, one.toProviderCents].map(
          (cents) => ({ number: spell(cents) }),
        ),
      ]);
    })
    .join('');
}

const NOTHING = { chargedCents: 0, serviceFeeCents: 0, applicationFeeCents: 0, toProviderCents: 0 };

function movementsOf(
  charge: BookedCharge,
  payment: Pick<PaymentRecord, 'giverFeeCents' | 'receiverFeeCents'> | null,
): Movement[] {
  if (charge.state !== 'captured') return [];
  const { createdAtMs, chargedCents, serviceFeeCents, transfer, refunds, disputes } = charge;
  const keptFees = charge.applicationFeeCents;
  const fees = payment ? payment.giverFeeCents + payment.receiverFeeCents : keptFees;
  const givenCents = transfer ? transfer.cents - fees : 0;
  const leftCents = transfer ? transfer.cents - transfer.reversedCents - keptFees : 0;
  const wasReversed = fees !== keptFees || givenCents !== leftCents;
  return [
    {
      kind: 'charge',
      atMs: createdAtMs,
      reference: '',
      chargedCents,
      serviceFeeCents,
      applicationFeeCents: fees,
      toProviderCents: givenCents,
    },
    ...refunds
      .filter(({ hasFailed }) => !hasFailed)
      .map(({ id, cents, createdAtMs: atMs }) => back('refund', id, -cents, atMs)),
    ...disputes.flatMap(({ id, cents, openedAtMs, state }) => [
      back('dispute', id, -cents, openedAtMs),
      // When it was won, the payment service does not tell with the charge.
      ...(state === 'won' ? [back('dispute_won', id, cents, null)] : []),
    ]),
    ...(wasReversed
      ? [
          {
            ...NOTHING,
            kind: 'transfer_reversal' as const,
            atMs: null,
            reference: '',
            applicationFeeCents: keptFees - fees,
            toProviderCents: leftCents - givenCents,
          },
        ]
      : []),
  ];
}

function back(
  kind: Movement['kind'],
  reference: string,
  chargedCents: number,
  atMs: number | null,
): Movement {
  return { ...NOTHING, kind, reference, chargedCents, atMs };
}
