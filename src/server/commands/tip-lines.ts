/** Lines about changed money for the command about tips: of one tip, and of all that waits for an operator. */
import { spellAmount } from '#shared/console/fee-csv.ts';
import {
  debtText,
  type FoundTipView,
  type PaymentTroubles,
  RETURN_TEXTS,
  STUCK_TEXTS,
} from '#shared/console/transactions.ts';
import { counted } from '#shared/counted.ts';
import { inUtc } from '../setting-forms.ts';

const SIMULATED = 'Payments are simulated: each is completed at once, and none can wait.';
const KEYS_GONE = 'Payments are simulated now. Tips that were paid before are not charged any more.';
/** The list is made from the database. */
const BEYOND =
  'This is what the database knows. What Stripe has besides is found by npm run payments -- reconcile.';

const at = (time: string) => inUtc(Date.parse(time));

export function linesOfChanges({ changes, debts, exponent, currency }: FoundTipView): string[] {
  const amount = (value: number) => `${spellAmount(value, exponent)} ${currency}`;
  return [
    ...changes.map(
      ({ kind, at: time, paidCents, netAmountCents, source }) =>
        `  change   ${RETURN_TEXTS[kind]}, ${at(time)}: customer ${amount(paidCents)}, provider ` +
        `${amount(netAmountCents)} (${source})`,
    ),
    ...debts.map((debt) => `  owed     ${amount(debt.dueCents)}. ${debtText(debt)}`),
  ];
}

export function linesOfTroubles(troubles: PaymentTroubles): string[] {
  const { paymentMode, stuck, arriving, debts, disputes, returned, currency, exponent } = troubles;
  const amount = (value: number) => `${spellAmount(value, exponent)} ${currency}`;
  const under = (title: string, lines: readonly string[]) => (lines.length === 0 ? [] : [title, ...lines]);
  const isSimulated = paymentMode === 'simulated';
  return [
    ...(isSimulated ? [arriving.count > 0 ? KEYS_GONE : SIMULATED] : []),
    ...(stuck.length === 0 ? ['No payment waits longer than it should.'] : []),
    ...stuck.flatMap(({ id, why, since, paidCents }) => [
      `${id}, ${amount(paidCents)}, since ${at(since)}`,
      `  ${STUCK_TEXTS[why]}`,
    ]),
    ...(arriving.count === 0
      ? []
      : [`Arriving: ${arriving.count}, ${amount(arriving.paidCents)}. Not charged yet.`]),
    ...under(
      'Disputes:',
      disputes.flatMap(({ id, paidCents, openedAt, answerBy, isDeadlineKnown, url }) => [
        `${id}, ${amount(paidCents)}, since ${at(openedAt)}`,
        `  ${
          answerBy !== null
            ? `Answer by ${at(answerBy)}`
            : isDeadlineKnown
              ? 'There is nothing to answer now'
              : 'The deadline is not known now'
        }: ${url}`,
      ]),
    ),
    ...under(
      'Debts:',
      debts.flatMap(({ id, kind, isOfKeys, dueCents, receiverName, since, attempts }) => [
        `${id}, ${amount(dueCents)}, tip for ${JSON.stringify(receiverName)}, since ${at(since)}` +
          `${attempts > 0 ? `, tried ${counted(attempts, 'time')}` : ''}`,
        `  ${debtText({ kind, isOfKeys })}`,
      ]),
    ),
    ...under(
      'Went back at the payment service by itself:',
      returned.map(
        ({ id, kind, at: time, paidCents }) =>
          `${id}, ${amount(paidCents)}, ${at(time)}, ${RETURN_TEXTS[kind]}`,
      ),
    ),
    ...(isSimulated ? [] : [BEYOND]),
  ];
}
