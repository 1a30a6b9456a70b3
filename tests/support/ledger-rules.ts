import { invariantsWith } from '#server/storage/checks/invariants.ts';

/** What holds of every ledger, in the words in which `npm run db:check` names what does not. */
export const rule = {
  net: 'net amount and receiver fee make up the amount',
  rates: 'a tip has the rates of its terms',
  fees: 'fees are those of the rates stored with the tip',
  signs: 'nothing is negative',
  parties:
    'a tip has a known giver, receiver and QR code, and goes to the owner of the code, for the service of the code',
  others: 'nobody tips themselves',
  category: 'the category is known',
  key: 'an idempotency key left one tip of its giver, who has an account',
  sums: 'no balance and no bucket is negative',
  owner: 'each bucket is of a known account',
  left: 'a tip left an entry with each of its two people who has an account',
  tookBack: 'a reversal is of a known tip, and took back what was left of what it did to its two people',
  once: 'a tip is reversed once',
  stands: 'no entry stands without its tip, reversal or adjustment',
  chain: 'the entries of an account are numbered from 1 without a gap',
  balance: 'each balance is the sum of the entries up to it',
  received: 'the total received is the sum of the net amounts',
  given: 'the total given is the sum of the amounts',
  bucket: 'each bucket is the sum of what was received in its quarter of an hour',
  details: 'what a bucket tells of its amounts is so of its tips',
  paid: 'a payment that was authorised or succeeded is a tip as it was paid',
  payment: 'a tip that was paid has a payment that was authorised or succeeded',
  refunded: 'a payment is refunded or cancelled when its tip is reversed, and only then',
  adjusted:
    'an adjustment is of a tip that was paid, names its charge, and did what it says to its two people',
  closed: 'a capture moves no cents, and an adjustment neither makes nor loses any',
  ends: 'what ends a refund or a dispute names one that was entered before',
  feesBack: 'an adjustment moves as much of the giver’s fee as it moves of the amount',
  asked: 'a tip that was paid is reversed by whoever asked for its refund, under the key of that',
  changes: 'the adjustments of a tip are numbered from 1, and each is entered once',
  rest: 'adjustments leave of a tip neither less than nothing nor more than it was',
  remembered: 'nothing was remembered as checked that is not there',
  tipGap: 'the sequence of transactions has no gap, and ends with the last one given out',
  reversalGap: 'the sequence of reversals has no gap, and ends with the last one given out',
  adjustmentGap: 'the sequence of adjustments has no gap, and ends with the last one given out',
  numbered: 'nothing else is numbered',
  references: 'every reference leads somewhere',
} as const;

/** Those of both engines' present tables, as the checks state them. */
export const statedRules = invariantsWith({
  details: true,
  payments: true,
  terms: true,
  adjustments: true,
  numbers: true,
}).map(([sentence]) => sentence);
