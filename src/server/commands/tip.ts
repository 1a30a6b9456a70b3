/** `npm run tip -- ...`: finds a tip, refunds one for somebody who cannot, and lists payments that wait. */
import { randomBytes } from 'node:crypto';
import { spellAmount } from '#shared/console/fee-csv.ts';
import { type FoundTipView, type PaymentTroubles, STUCK_TEXTS } from '#shared/console/transactions.ts';
import { AppError } from '#shared/errors.ts';
import { createRefundRequests } from '../payments/refund-requests.ts';
import { modeOfKey } from '../payments/stripe/key-mode.ts';
import { inUtc } from '../setting-forms.ts';
import { readSecrets } from '../storage/port/secrets.ts';
import { createGuestReceipts } from '../tips/guest-receipts.ts';
import { termsAt } from '../tips/terms.ts';
import { createTipSupport } from '../tips/tip-support.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';
import { linesOfActs, spellParty } from './parties.ts';

const USAGE = 'npm run tip -- find ID_OR_LINK | refund ID_OR_LINK [--reason TEXT] | waiting';

const ASKED =
  'The refund is noted. The server asks the payment service for it within two minutes, and again until it is done.';
const REFUSALS: Readonly<Partial<Record<AppError['code'], string>>> = {
  not_refundable: 'Nothing was refunded: the money went back before, or a refund is under way.',
  payment_unavailable:
    'It was paid with keys that the server no longer has: refund it at the payment service.',
};

export const careForTip: Command = async ({ database, config, words, actor, say }) => {
  const { positionals, values } = parseWords(words, { usage: USAGE, count: [1, 2], options: REASON });
  const [action, name] = positionals;
  const isNamed = action === 'find' || action === 'refund';
  if (isNamed ? name === undefined : action !== 'waiting' || name !== undefined)
    throw new UsageError(`Usage: ${USAGE}`);
  const acts = actsOf(actor, values.reason, Date.now);
  if (action === 'refund' && config.maintenance)
    throw new UsageError('MAINTENANCE is on, and no money moves until it is off.');
  const storage = await database.openForCommand();
  try {
    const present = termsAt(await storage.listTerms(), Date.now());
    const support = createTipSupport({
      storage,
      payments: createRefundRequests(
        storage,
        config.stripe ? modeOfKey(config.stripe.secretKey) : 'simulated',
      ),
      receipts: createGuestReceipts((await readSecrets(storage, randomBytes)).giver_pseudonym),
      clock: Date.now,
      terms: () => present,
    });
    if (name === undefined) {
      for (const line of linesOfTroubles(await support.listTroubles())) say(line);
      return true;
    }
    const refunded =
      action === 'refund' ? await support.refund(name, (id) => acts('tip_refunded', id)) : null;
    const tip = refunded?.tip ?? (action === 'find' ? await support.find(name) : null);
    if (!tip) {
      say(`There is no tip ${JSON.stringify(name)}.`);
      return false;
    }
    if (refunded) say(refunded.outcome === 'asked' ? ASKED : 'The tip is refunded, with the fees.');
    for (const line of linesOf(tip)) say(line);
    return true;
  } catch (error) {
    const told = error instanceof AppError ? REFUSALS[error.code] : undefined;
    if (told === undefined) throw error;
    say(told);
    return false;
  } finally {
    await storage.close();
  }
};

const at = (time: string) => inUtc(Date.parse(time));

function linesOf(tip: FoundTipView): string[] {
  const { giver, receiver, payment, refundedAt, refundedBy } = tip;
  const amount = (value: number) => spellAmount(value, tip.exponent);
  const names = payment
    ? [payment.chargeId, payment.checkoutId].filter((name) => name !== null).join(', ')
    : '';
  return [
    `${tip.id}, ${tip.status}, ${tip.paymentMode}, ${at(tip.createdAt)}`,
    `  from     ${giver ? spellParty(giver) : 'a guest, without an account'}`,
    `  to       ${spellParty(receiver)}`,
    `  code     ${tip.qrCodeId}, ${tip.serviceCategory}`,
    `  amounts  tip ${amount(tip.amountCents)}, giver fee ${amount(tip.giverFeeCents)}, receiver fee ` +
      `${amount(tip.receiverFeeCents)}, received ${amount(tip.netAmountCents)} ${tip.currency}`,
    ...(refundedAt === null
      ? []
      : [`  refund   ${at(refundedAt)}, ${refundedBy ? REFUNDERS[refundedBy] : 'by somebody unknown'}`]),
    ...(payment
      ? [
          `  payment  ${payment.state} since ${at(payment.changedAt)}${names === '' ? '' : ` (${names})`}`,
          ...(payment.refundAskedAt === null
            ? []
            : [`  refund   asked for ${at(payment.refundAskedAt)}, not made yet`]),
        ]
      : []),
    ...linesOfActs(tip.acts),
  ];
}

const REFUNDERS: Readonly<Record<NonNullable<FoundTipView['refundedBy']>, string>> = {
  giver: 'by the giver',
  receiver: 'by the receiver',
  operator: 'by an operator',
  payment_service: 'at the payment service: a refund that was made there, or a dispute',
};

function linesOfTroubles({ paymentMode, stuck, returned, currency, exponent }: PaymentTroubles): string[] {
  const amount = (value: number) => `${spellAmount(value, exponent)} ${currency}`;
  return [
    ...(paymentMode === 'simulated'
      ? ['Payments are simulated: each is completed at once, and none can wait.']
      : []),
    ...(stuck.length === 0 ? ['No payment waits longer than it should.'] : []),
    ...stuck.flatMap(({ id, why, since, paidCents }) => [
      `${id}, ${amount(paidCents)}, since ${at(since)}`,
      `  ${STUCK_TEXTS[why]}`,
    ]),
    ...(returned.length === 0
      ? []
      : ['Went back at the payment service, by a refund made there or a dispute:']),
    ...returned.map(({ id, at: time, paidCents }) => `${id}, ${amount(paidCents)}, ${at(time)}`),
  ];
}
