/** The tip flow as a state machine: choosing an amount, paying, the receipt. Only its events change the step. */
import { type Cents, decimalFromCents, formatMoney, terms } from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import { type AmountReading, readTipAmount } from '#shared/tip-amount.ts';
import { PAID, PAYMENT } from '../paths.ts';
import type { Attempt } from './attempt.ts';

/** A quick amount, or the typed text; never both. */
export interface Choice {
  readonly quickAmountCents: Cents | null;
  readonly customText: string;
}

export interface Receipt {
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  /** ISO 8601. */
  readonly paidAt: string;
  /** The transaction's id, or the token of a guest's receipt. Null for a demo, which has no transaction. */
  readonly transactionId: string | null;
  readonly paymentMode: PaymentMode;
  readonly thankYou: string | null;
  /** ISO 8601; null when the tip cannot be taken back here. */
  readonly undoUntil: string | null;
  /** ISO 8601: when the money that is held on the card is captured; null when it was taken at once. */
  readonly capturesAt: string | null;
}

export interface OpenPayment {
  readonly transactionId: string;
  readonly amountCents: Cents;
  readonly paymentUrl: string | null;
}

export type Interruption =
  | 'not-sent'
  | 'no-answer'
  /** The server answered that the code takes no tips for now. */
  | 'paused';

export type TipFlow =
  | {
      readonly step: 'select-amount';
      readonly choice: Choice;
      /** True after Proceed, when mistakes are shown. */
      readonly isChecked: boolean;
      readonly interruption: Interruption | null;
      readonly sent: Receipt | null;
    }
  | {
      readonly step: 'payment';
      readonly choice: Choice;
      readonly attempt: Attempt;
      readonly isPaying: boolean;
    }
  | { readonly step: 'success'; readonly receipt: Receipt }
  | { readonly step: 'recall'; readonly transactionId: string; readonly hasFailed: boolean }
  | ({ readonly step: 'waiting' } & OpenPayment);

export type TipEvent =
  | { readonly type: 'quick-chosen'; readonly amountCents: Cents }
  | { readonly type: 'custom-typed'; readonly text: string }
  /** An amount was chosen before a login, or before the script loaded. */
  | { readonly type: 'restored'; readonly figures: string }
  /** The page was loaded anew: its entry of the history has the amount, unless another one was chosen meanwhile. */
  | { readonly type: 'kept'; readonly figures: string }
  | { readonly type: 'checked' }
  | { readonly type: 'proceeded'; readonly attempt: Attempt }
  | { readonly type: 'resumed'; readonly attempt: Attempt }
  /** The attempt has another message, or another attempt replaces it. */
  | { readonly type: 'revised'; readonly attempt: Attempt }
  | { readonly type: 'amount-changed' }
  | { readonly type: 'paying' }
  | { readonly type: 'failed'; readonly interruption: Interruption | null }
  | { readonly type: 'paid'; readonly receipt: Receipt }
  | { readonly type: 'recalled'; readonly receipt: Receipt }
  | { readonly type: 'recall'; readonly transactionId: string }
  | { readonly type: 'recall-failed' }
  | { readonly type: 'waiting'; readonly payment: OpenPayment }
  | { readonly type: 'another' };

const NOTHING: Choice = { quickAmountCents: null, customText: '' };

/** Field names, which stand in the address when the browser sends the form before the script loads. */
export const QUICK_FIELD = 'amount';
export const CUSTOM_FIELD = 'other';
/** In characters; no amount is longer. */
const MAX_FIGURES = 20;

export function beginFlow(search: string): TipFlow {
  const transactionId = paidIn(search);
  return transactionId === null ? selecting(choiceIn(search)) : recalling(transactionId);
}

/** The id in an address of a receipt or a payment; null in any other. */
export function paidIn(search: string): string | null {
  const query = new URLSearchParams(search);
  return query.get(PAID) || query.get(PAYMENT) || null;
}

/** The shortest query with the same first drawing. */
export function flowQuery(search: string): URLSearchParams {
  // The first drawing of a receipt does not know its transaction.
  if (paidIn(search) !== null) return new URLSearchParams({ [PAID]: '1' });
  const { quickAmountCents, customText } = choiceIn(search);
  if (quickAmountCents !== null)
    return new URLSearchParams({ [QUICK_FIELD]: String(decimalFromCents(quickAmountCents)) });
  return new URLSearchParams(customText === '' ? {} : { [CUSTOM_FIELD]: customText });
}

export function withoutAmount(search: string): string {
  const query = new URLSearchParams(search);
  if (!query.has(CUSTOM_FIELD) && !query.has(QUICK_FIELD)) return search;
  query.delete(CUSTOM_FIELD);
  query.delete(QUICK_FIELD);
  return query.size === 0 ? '' : `?${query}`;
}

export function readChoice({ quickAmountCents, customText }: Choice): AmountReading {
  return quickAmountCents === null
    ? readTipAmount(customText)
    : { amountCents: quickAmountCents, problem: null };
}

export function figuresOf({ quickAmountCents, customText }: Choice): string {
  return quickAmountCents === null ? customText : formatMoney(quickAmountCents);
}

export function tipFlow(flow: TipFlow, event: TipEvent): TipFlow {
  if (event.type === 'paid') return { step: 'success', receipt: event.receipt };
  // A running payment shows its outcome first, even if the giver opens an older receipt.
  if (flow.step !== 'payment' || !flow.isPaying) {
    if (event.type === 'recall')
      return isAbout(event.transactionId, flow) ? flow : recalling(event.transactionId);
    if (event.type === 'recalled') return { step: 'success', receipt: event.receipt };
  }
  switch (flow.step) {
    case 'select-amount':
      if (event.type === 'quick-chosen')
        return { ...flow, choice: { quickAmountCents: event.amountCents, customText: '' } };
      // Typed text replaces the quick amount, even if it is no amount.
      if (event.type === 'custom-typed')
        return { ...flow, choice: { quickAmountCents: null, customText: event.text } };
      if (event.type === 'restored' || (event.type === 'kept' && !isChosen(flow.choice)))
        return { ...flow, choice: choiceOf(event.figures) };
      if (event.type === 'checked') return { ...flow, isChecked: true };
      if (event.type === 'failed') return { ...flow, interruption: event.interruption };
      if (event.type === 'proceeded') {
        return { step: 'payment', choice: flow.choice, attempt: event.attempt, isPaying: false };
      }
      if (event.type === 'resumed') {
        const choice = choiceOf(formatMoney(event.attempt.amountCents));
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
      if (event.type === 'restored') return selecting(choiceOf(event.figures));
      return event.type === 'another' ? selecting(NOTHING) : flow;
  }
}

function isChosen({ quickAmountCents, customText }: Choice): boolean {
  return quickAmountCents !== null || customText !== '';
}

function isAbout(transactionId: string, flow: TipFlow): boolean {
  if (flow.step === 'success') return flow.receipt.transactionId === transactionId;
  return flow.step === 'recall' && !flow.hasFailed && flow.transactionId === transactionId;
}

function choiceIn(search: string): Choice {
  const query = new URLSearchParams(search);
  return choiceOf((query.get(CUSTOM_FIELD) || numberIn(query.get(QUICK_FIELD) ?? '')).slice(0, MAX_FIGURES));
}

/** A program writes a point before decimals. Of three it might be in doubt, if no currency stood beside it. */
function numberIn(text: string): string {
  return terms().exponent === 3 && /^\d+\.\d{3}$/.test(text) ? `${terms().currency} ${text}` : text;
}

function choiceOf(figures: string): Choice {
  const { amountCents } = readTipAmount(figures);
  const isQuick = amountCents !== null && terms().quickAmountsCents.includes(amountCents);
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
