/** `npm run tip -- ...`: finds and refunds tips, ends debts, and lists payments, debts and disputes that wait. */
import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { spellAmount } from '#shared/console/fee-csv.ts';
import type { DebtKind, FoundTipView } from '#shared/console/transactions.ts';
import { AppError } from '#shared/errors.ts';
import { openPaymentService } from '../configured-parts.ts';
import { createDisputeDeadlines } from '../payments/dispute-deadlines.ts';
import { keysOf } from '../payments/known-platform.ts';
import { createRefundRequests } from '../payments/refund-requests.ts';
import { inUtc } from '../setting-forms.ts';
import type { AuditAction } from '../storage/port/audit.ts';
import { readSecrets } from '../storage/port/secrets.ts';
import { createGuestReceipts } from '../tips/guest-receipts.ts';
import { termsAt } from '../tips/terms.ts';
import { createTipSupport } from '../tips/tip-support.ts';
import { actsOf, type Command, parseWords, REASON, UsageError } from './command.ts';
import { linesOfActs, spellParty } from './parties.ts';
import { linesOfChanges, linesOfTroubles } from './tip-lines.ts';

const USAGE =
  'npm run tip -- find ID_OR_LINK | refund ID_OR_LINK [--reason TEXT] | mark-paid ID_OR_LINK [--reason TEXT] | ' +
  'mark-provider-paid ID_OR_LINK [--reason TEXT] | write-off ID_OR_LINK [--reason TEXT] | waiting';

const ASKED =
  'The refund is noted. The server asks the payment service for it within two minutes, and again until it is done.';
const REFUNDED = 'The tip is refunded, with the fees.';
const ENDED =
  'The tip is ended, and no money moved: both see that it was never charged. If you captured it at the payment ' +
  'service yourself, refund it there.';
const OF_OTHER_KEYS =
  'It was paid with keys that the server no longer has: refund it at the payment service.';

/** Each ends a debt, with the row that it leaves in the audit log. */
const SETTLEMENTS: Readonly<
  Record<string, { readonly debt: DebtKind; readonly action: AuditAction; readonly told: string }>
> = {
  'mark-paid': {
    debt: 'owed_to_giver',
    action: 'refund_paid_otherwise',
    told: 'It is noted that the customer was paid in another way.',
  },
  'write-off': {
    debt: 'owed_by_receiver',
    action: 'debt_written_off',
    told: 'The debt of the provider is written off: the server asks for it no more.',
  },
  'mark-provider-paid': {
    debt: 'owed_to_receiver',
    action: 'dispute_paid_otherwise',
    told: 'It is noted that the provider was paid in another way: the server pays it no more.',
  },
};
const REFUSAL_SENTENCES: Readonly<Partial<Record<AppError['code'], string>>> = {
  not_refundable: 'Nothing was refunded: the money went back before, or a refund is under way.',
  nothing_owed: 'Nothing is owed for this tip.',
};

export const careForTip: Command = async ({ database, config, words, actor, say }) => {
  const { positionals, values } = parseWords(words, {
    usage: USAGE,
    count: [1, 2],
    reading: ['find', 'waiting'],
    options: REASON,
  });
  const [action, name] = positionals;
  const settlement =
    action !== undefined && Object.hasOwn(SETTLEMENTS, action) ? SETTLEMENTS[action] : undefined;
  const isNamed = action === 'find' || action === 'refund' || settlement !== undefined;
  if (isNamed ? name === undefined : action !== 'waiting' || name !== undefined)
    throw new UsageError(`Usage: ${USAGE}`);
  const acts = actsOf(actor, values.reason, Date.now);
  if (action === 'refund' && config.maintenance)
    throw new UsageError('MAINTENANCE is on, and no money moves until it is off.');
  const storage = await database.openForCommand();
  try {
    const present = termsAt(await storage.listTerms(), Date.now());
    // What is told of a tip depends on whose the present keys are, and `waiting` asks for deadlines as well.
    const service = await openPaymentService(config, pino({ level: 'silent' }));
    const keys = service ? await keysOf(service) : { mode: 'simulated' as const, platform: null };
    const support = createTipSupport({
      storage,
      payments: createRefundRequests(storage, keys),
      receipts: createGuestReceipts((await readSecrets(storage, randomBytes)).giver_pseudonym),
      deadlines: service && createDisputeDeadlines(service, Date.now),
      clock: Date.now,
      terms: () => present,
    });
    if (name === undefined) {
      for (const line of linesOfTroubles(await support.listTroubles())) say(line);
      return true;
    }
    const refunded =
      action === 'refund' ? await orOtherKeys(support.refund(name, (id) => acts('tip_refunded', id))) : null;
    if (refunded === 'other_keys') {
      const { endsFrom = null } = (await support.find(name))?.payment?.otherKeys ?? {};
      say(endsFrom === null ? OF_OTHER_KEYS : endOfHold(endsFrom));
      return false;
    }
    const settled = settlement
      ? await support.settle(name, settlement.debt, (id) => acts(settlement.action, id))
      : null;
    const tip = refunded?.tip ?? settled ?? (action === 'find' ? await support.find(name) : null);
    if (!tip) {
      say(`There is no tip ${JSON.stringify(name)}.`);
      return false;
    }
    if (refunded) say(refunded.outcome === 'asked' ? ASKED : tip.payment?.otherKeys ? ENDED : REFUNDED);
    if (settled && settlement) say(settlement.told);
    for (const line of linesOf(tip)) say(line);
    return true;
  } catch (error) {
    const told = error instanceof AppError ? REFUSAL_SENTENCES[error.code] : undefined;
    if (told === undefined) throw error;
    say(told);
    return false;
  } finally {
    await storage.close();
  }
};

const at = (time: string) => inUtc(Date.parse(time));

const endOfHold = (endsFrom: string) =>
  `Nobody charges it, because the server no longer has its keys. It is ended by refund from ${at(endsFrom)} on.`;

function spellHold(capturesAt: string, { otherKeys }: NonNullable<FoundTipView['payment']>): string {
  const from = otherKeys?.endsFrom ?? null;
  if (from === null) return `to be on ${at(capturesAt)}; until then the card holds it`;
  return `was to be on ${at(capturesAt)}. ${endOfHold(from)}`;
}

/** Refusals for want of the keys, about which more can be said. @throws any other error. */
const orOtherKeys = <Result>(asked: Promise<Result>) =>
  asked.catch((error: unknown) => {
    if (error instanceof AppError && error.code === 'other_keys') return error.code;
    throw error;
  });

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
          ...(payment.capturesAt === null ? [] : [`  charged  ${spellHold(payment.capturesAt, payment)}`]),
        ]
      : []),
    ...linesOfChanges(tip),
    ...linesOfActs(tip.acts),
  ];
}

const REFUNDERS: Readonly<Record<NonNullable<FoundTipView['refundedBy']>, string>> = {
  giver: 'by the giver',
  receiver: 'by the receiver',
  operator: 'by an operator',
  payment_service: 'at the payment service',
};
