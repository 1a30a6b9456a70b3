/**
 * A tip in the metadata of its page and its payment at Stripe, so that it can be entered again when the
 * database has lost it. They hold ids and sums, and nobody's name (https://docs.stripe.com/api/metadata).
 */
import type { PaymentRecord } from '#server/storage/port/payments.ts';
import type { PageTip } from '../payment-service.ts';

type Metadata = Readonly<Record<string, string>>;

export function metadataOf(payment: PaymentRecord): Metadata {
  return {
    transaction: payment.id,
    ...(payment.giverId !== null && { giver: payment.giverId }),
    receiver: payment.receiverId,
    code: payment.qrCodeId,
    service: payment.serviceCategory,
    amount: String(payment.amountCents),
    giver_fee: String(payment.giverFeeCents),
    receiver_fee: String(payment.receiverFeeCents),
    giver_fee_rate: String(payment.giverFeeRate),
    receiver_fee_rate: String(payment.receiverFeeRate),
    terms: String(payment.termsVersion),
    destination: payment.destination,
  };
}

/** Null for metadata that were written by an older version, or changed at Stripe. */
export function pageTipOf(metadata: Metadata | null): PageTip | null {
  const text = (name: string): string => metadata?.[name] ?? '';
  const whole = (name: string): number => (/^\d{1,15}$/.test(text(name)) ? Number(text(name)) : Number.NaN);
  const tip = {
    giverId: text('giver') || null,
    receiverId: text('receiver'),
    qrCodeId: text('code'),
    serviceCategory: text('service'),
    amountCents: whole('amount'),
    giverFeeCents: whole('giver_fee'),
    receiverFeeCents: whole('receiver_fee'),
    giverFeeRate: whole('giver_fee_rate'),
    receiverFeeRate: whole('receiver_fee_rate'),
    termsVersion: whole('terms'),
    destination: text('destination'),
  };
  return Object.values(tip).some((value) => value === '' || Number.isNaN(value)) ? null : tip;
}
