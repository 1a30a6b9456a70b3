/**
 * The tip flow as a state machine: choosing an amount, paying, the success with its receipt. Only its events
 * change the step.
 */
import { type Cents, dollarsFromCents, formatUsd, QUICK_AMOUNTS_CENTS } from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { type AmountReading, readTipAmount } from '#shared/tip-amount.ts';
import { PAID, PAYMENT } from '../paths.ts';
import type { Attempt } from './attempt.ts';

/** The chosen amount: a quick one, or the text that was typed; never both. */
export interface Choice {
  readonly quickAmountCents: Cents | null;
  readonly customText: string;
}

export interface Receipt {
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  /** ISO 8601. */
  readonly paidAt: string;
  /**
   * The transaction's id, or the token of a guest's receipt, which stands for it. Null for a demo, which
   * leaves none.
   */
  readonly transactionId: string | null;
  readonly paymentMode: PaymentMode;
  /** What the receiver says to the giver; null for nothing. */
  readonly thankYou: string | null;
}

/** A payment at a payment service that nobody has paid yet. */
export interface OpenPayment {
  /** Its id, or a token, as in a receipt. */
  readonly transactionId: string;
  readonly amountCents: Cents;
  /** Where it can be paid; null when that is not known. */
  readonly paymentUrl: string | null;
}

/** Why an attempt ended otherwise than by a refusal. */
export type Interruption =
  /** The attempt was not sent. */
  | 'not-sent'
  /** The attempt was sent and may have arrived. */
  | 'no-answer'
  /** The code takes no tips for now, as the server has said when the attempt was sent. */
  | 'paused';

export type TipFlow =
  | {
      readonly step: 'select-amount';
      readonly choice: Choice;
      /** Whether Proceed was pressed, so that mistakes are shown from now on. */
      readonly isChecked: boolean;
      readonly interruption: Interruption | null;
      /** The tip that was sent just before. */
      readonly sent: Receipt | null;
    }
  | {
      readonly step: 'payment';
      readonly choice: Choice;
      readonly attempt: Attempt;
      readonly isPaying: boolean;
    }
  | { readonly step: 'success'; readonly receipt: Receipt }
  /** The success of an address that names its transaction, which is being asked for. */
  | { readonly step: 'recall'; readonly transactionId: string; readonly hasFailed: boolean }
  | ({ readonly step: 'waiting' } & OpenPayment);

export type TipEvent =
  | { readonly type: 'quick-chosen'; readonly amountCents: Cents }
  | { readonly type: 'custom-typed'; readonly text: string }
  /** An amount was chosen before a login, or before the script came. */
  | { readonly type: 'restored'; readonly figures: string }
  | { readonly type: 'checked' }
  | { readonly type: 'proceeded'; readonly attempt: Attempt }
  /** There is an attempt from before a reload whose outcome is not known. */
  | { readonly type: 'resumed'; readonly attempt: Attempt }
  /** The attempt has other words, or another one takes its place. */
  | { readonly type: 'revised'; readonly attempt: Attempt }
  | { readonly type: 'amount-changed' }
  | { readonly type: 'paying' }
  | { readonly type: 'failed'; readonly interruption: Interruption | null }
  | { readonly type: 'paid'; readonly receipt: Receipt }
  /** The receipt is there again, after a reload or a step through the history. */
  | { readonly type: 'recalled'; readonly receipt: Receipt }
  | { readonly type: 'recall'; readonly transactionId: string }
  | { readonly type: 'recall-failed' }
  /** What is being asked for is not paid yet. */
  | { readonly type: 'waiting'; readonly payment: OpenPayment }
  | { readonly type: 'another' };

const NOTHING: Choice = { quickAmountCents: null, customText: '' };

/**
 * The names of the form's fields, which stand in the address when the form is sent before the script has
 * come.
 */
export const QUICK_FIELD = 'amount';
export const CUSTOM_FIELD = 'other';
/** In characters; no amount takes more. */
const MAX_FIGURES = 20;

/**
 * The first state: the receipt that the address names, else the amounts, with that of the address if it has
 * one.
 */
export function beginFlow(search: string): TipFlow {
  const transactionId = paidIn(search);
  return transactionId === null ? selecting(choiceIn(search)) : recalling(transactionId);
}

/** The id in an address that shows a receipt, or what became of a payment; null in any other. */
export function paidIn(search: string): string | null {
  const query = new URLSearchParams(search);
  return query.get(PAID) || query.get(PAYMENT) || null;
}

/** What an address says of the flow, as the shortest query of which the same page is drawn first. */
export function flowQuery(search: string): URLSearchParams {
  // A page is drawn before its receipt is known.
  if (paidIn(search) !== null) return new URLSearchParams({ [PAID]: '1' });
  const { quickAmountCents, customText } = choiceIn(search);
  if (quickAmountCents !== null)
    return new URLSearchParams({ [QUICK_FIELD]: String(dollarsFromCents(quickAmountCents)) });
  return new URLSearchParams(customText === '' ? {} : { [CUSTOM_FIELD]: customText });
}

/** The query of an address without the amount. */
export function withoutAmount(search: string): string {
  const query = new URLSearchParams(search);
  if (!query.has(CUSTOM_FIELD) && !query.has(QUICK_FIELD)) return search;
  query.delete(CUSTOM_FIELD);
  query.delete(QUICK_FIELD);
  return query.size === 0 ? '' : `?${query}`;
}

/** The amount that is chosen, or what is wrong with it. */
export function readChoice({ quickAmountCents, customText }: Choice): AmountReading {
  return quickAmountCents === null
    ? readTipAmount(customText)
    : { amountCents: quickAmountCents, problem: null };
}

/** The next state; an event that does not belong to the present step changes nothing. */
export function tipFlow(flow: TipFlow, event: TipEvent): TipFlow {
  if (event.type === 'paid') return { step: 'success', receipt: event.receipt };
  // Whoever goes to an older receipt while a payment is under way is shown the outcome of that first.
  if (flow.step !== 'payment' || !flow.isPaying) {
    if (event.type === 'recall')
      return isAbout(event.transactionId, flow) ? flow : recalling(event.transactionId);
    if (event.type === 'recalled') return { step: 'success', receipt: event.receipt };
  }
  switch (flow.step) {
    case 'select-amount':
      if (event.type === 'quick-chosen')
        return { ...flow, choice: { quickAmountCents: event.amountCents, customText: '' } };
      // Typing replaces the quick amount, also by a text that is no amount.
      if (event.type === 'custom-typed')
        return { ...flow, choice: { quickAmountCents: null, customText: event.text } };
      if (event.type === 'restored') return { ...flow, choice: choiceOf(event.figures) };
      if (event.type === 'checked') return { ...flow, isChecked: true };
      if (event.type === 'failed') return { ...flow, interruption: event.interruption };
      if (event.type === 'proceeded') {
        return { step: 'payment', choice: flow.choice, attempt: event.attempt, isPaying: false };
      }
      if (event.type === 'resumed') {
        const choice = choiceOf(formatUsd(event.attempt.amountCents));
        return { step: 'payment', choice, attempt: event.attempt, isPaying: false };
      }
      return flow;
    case 'payment':
      if (event.type === 'paying') return { ...flow, isPaying: true };
      if (event.type === 'revised') return { ...flow, attempt: event.attempt, isPaying: false };
      if (event.type === 'failed') return { ...selecting(flow.choice), interruption: event.interruption };
      if (event.type === 'amount-changed' && !flow.isPaying) return selecting(flow.choice);
      return flow;
    case 'success':
      return event.type === 'another' ? { ...selecting(NOTHING), sent: flow.receipt } : flow;
    case 'recall':
    case 'waiting':
      if (event.type === 'waiting') return { step: 'waiting', ...event.payment };
      if (event.type === 'recall-failed') return recalling(flow.transactionId, true);
      // The amount of a payment that has come to nothing.
      if (event.type === 'restored') return selecting(choiceOf(event.figures));
      return event.type === 'another' ? selecting(NOTHING) : flow;
  }
}

/** Whether this receipt is shown or asked for already. */
function isAbout(transactionId: string, flow: TipFlow): boolean {
  if (flow.step === 'success') return flow.receipt.transactionId === transactionId;
  return flow.step === 'recall' && !flow.hasFailed && flow.transactionId === transactionId;
}

function choiceIn(search: string): Choice {
  const query = new URLSearchParams(search);
  return choiceOf((query.get(CUSTOM_FIELD) || query.get(QUICK_FIELD) || '').slice(0, MAX_FIGURES));
}

/** The choice of an amount that is given as text: the quick amount if it is one. */
function choiceOf(figures: string): Choice {
  const { amountCents } = readTipAmount(figures);
  const isQuick = amountCents !== null && QUICK_AMOUNTS_CENTS.includes(amountCents);
  return isQuick
    ? { quickAmountCents: amountCents, customText: '' }
    : { quickAmountCents: null, customText: figures };
}

function selecting(choice: Choice): Extract<TipFlow, { step: 'select-amount' }> {
  return { step: 'select-amount', choice, isChecked: false, interruption: null, sent: null };
}

function recalling(transactionId: string, hasFailed = false): TipFlow {
  return { step: 'recall', transactionId, hasFailed };
}
