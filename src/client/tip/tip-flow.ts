/**
 * The tip flow as one visible state: choose an amount, pay, done. Nothing moves from step to step but these events.
 */

import { type Cents, dollarsFromCents, formatUsd, QUICK_AMOUNTS_CENTS } from '#shared/money.ts';
import { type AmountReading, readTipAmount } from '#shared/tip-amount.ts';
import type { Attempt } from './attempt.ts';

/** What is chosen: one of the quick amounts, or what was typed. Never both. */
export interface Choice {
  readonly quick: Cents | null;
  readonly custom: string;
}

export interface Receipt {
  readonly amountCents: Cents;
  readonly giverFeeCents: Cents;
  /** ISO 8601. */
  readonly paidAt: string;
  /** None for a demo, which leaves no transaction. */
  readonly transactionId: string | null;
}

/** Why the amount step was come back to without an answer from the server. */
export type Interruption =
  /** It never left this device. */
  | 'not-sent'
  /** It may have arrived. */
  | 'no-answer';

export type TipFlow =
  | {
      readonly step: 'select-amount';
      readonly choice: Choice;
      /** Proceed was pressed once: from now on what is wrong is said at once. */
      readonly isChecked: boolean;
      readonly interruption: Interruption | null;
    }
  | {
      readonly step: 'payment';
      readonly choice: Choice;
      readonly attempt: Attempt;
      readonly isPaying: boolean;
    }
  | { readonly step: 'success'; readonly receipt: Receipt };

export type TipEvent =
  | { readonly type: 'quick-chosen'; readonly amount: Cents }
  | { readonly type: 'custom-typed'; readonly text: string }
  /** Chosen before: while logging in, or before the page could take it. */
  | { readonly type: 'restored'; readonly figures: string }
  | { readonly type: 'checked' }
  | { readonly type: 'proceeded'; readonly attempt: Attempt }
  /** An attempt from before a reload, whose outcome is not known. */
  | { readonly type: 'resumed'; readonly attempt: Attempt }
  | { readonly type: 'amount-changed' }
  | { readonly type: 'paying' }
  | { readonly type: 'failed'; readonly interruption: Interruption | null }
  | { readonly type: 'paid'; readonly receipt: Receipt }
  | { readonly type: 'another' };

const NOTHING: Choice = { quick: null, custom: '' };

/** How the form writes a choice into an address, when it is sent before the page can take it. */
export const QUICK_FIELD = 'amount';
export const CUSTOM_FIELD = 'other';
/** As much as any amount takes. */
const MAX_FIGURES = 20;

/** The beginning, with the amount that the address brings along, or with nothing. */
export function beginFlow(search: string): TipFlow {
  return selecting(choiceIn(search));
}

/** What an address brings along of an amount, as the shortest query that brings the same. */
export function amountQuery(search: string): URLSearchParams {
  const { quick, custom } = choiceIn(search);
  if (quick !== null) return new URLSearchParams({ [QUICK_FIELD]: String(dollarsFromCents(quick)) });
  return new URLSearchParams(custom === '' ? {} : { [CUSTOM_FIELD]: custom });
}

/** The rest of an address, without the amount. */
export function withoutAmount(search: string): string {
  const query = new URLSearchParams(search);
  if (!query.has(CUSTOM_FIELD) && !query.has(QUICK_FIELD)) return search;
  query.delete(CUSTOM_FIELD);
  query.delete(QUICK_FIELD);
  return query.size === 0 ? '' : `?${query}`;
}

/** The choice in figures, to be kept. */
export function figuresOf({ quick, custom }: Choice): string {
  return quick === null ? custom : formatUsd(quick);
}

/** What the choice comes to, or what is wrong with it. */
export function readChoice({ quick, custom }: Choice): AmountReading {
  return quick === null ? readTipAmount(custom) : { cents: quick, problem: null };
}

/** The next state; an event that does not belong to the present step changes nothing. */
export function tipFlow(flow: TipFlow, event: TipEvent): TipFlow {
  switch (flow.step) {
    case 'select-amount':
      if (event.type === 'quick-chosen') return { ...flow, choice: { quick: event.amount, custom: '' } };
      // Typing always speaks for itself: a valid text is the amount, an invalid one leaves none chosen.
      if (event.type === 'custom-typed') return { ...flow, choice: { quick: null, custom: event.text } };
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
      if (event.type === 'failed') return { ...selecting(flow.choice), interruption: event.interruption };
      if (event.type === 'amount-changed' && !flow.isPaying) return selecting(flow.choice);
      if (event.type === 'paid') return { step: 'success', receipt: event.receipt };
      return flow;
    case 'success':
      return event.type === 'another' ? selecting(NOTHING) : flow;
  }
}

function choiceIn(search: string): Choice {
  const query = new URLSearchParams(search);
  return choiceOf((query.get(CUSTOM_FIELD) || query.get(QUICK_FIELD) || '').slice(0, MAX_FIGURES));
}

/** An amount in figures as a choice: one of the quick amounts if it is one. */
function choiceOf(text: string): Choice {
  const amount = readTipAmount(text).cents;
  const isQuick = amount !== null && QUICK_AMOUNTS_CENTS.includes(amount);
  return isQuick ? { quick: amount, custom: '' } : { quick: null, custom: text };
}

function selecting(choice: Choice): Extract<TipFlow, { step: 'select-amount' }> {
  return { step: 'select-amount', choice, isChecked: false, interruption: null };
}
