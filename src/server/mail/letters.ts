/** What each kind of mail says. A letter to an address that nobody confirmed names no person. */
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { type Cents, cents, formatUsd } from '#shared/money.ts';
import type { Letter } from './letter.ts';

/** How long a link to choose a new password works. */
export const PASSWORD_LINK_MS = 3_600_000;
/** How long a link to confirm an address works. */
export const CONFIRMATION_LINK_DAYS = 7;

const NOT_YOU = 'Wasn’t you? Choose a new password now: that logs everybody else out of your account.';

export const passwordLinkLetter = (url: string): Letter => ({
  subject: 'Choose a new password',
  lines: [
    `Somebody asked for a new password for your ${brand.name} account. The link works once, for one hour.`,
  ],
  button: { label: 'Choose a New Password', url },
  closing: 'Wasn’t you? Ignore this email. Your password stays as it is.',
});

export const confirmationLetter = (url: string): Letter => ({
  subject: 'Confirm your email',
  lines: [
    'Is this your email? Confirm it, so that we can help you when you forget your password and tell you about ' +
      'logins.',
    `The link works for ${CONFIRMATION_LINK_DAYS} days.`,
  ],
  button: { label: 'Confirm My Email', url },
  closing: `Don’t know ${brand.name}? Ignore this email.`,
});

export const newDeviceLetter = (facts: {
  readonly device: string;
  readonly at: string;
  readonly url: string;
}): Letter => ({
  subject: 'New login to your account',
  lines: ['Somebody logged in to your account on a device that we haven’t seen before.'],
  rows: [
    ['Device', facts.device === '' ? 'Unknown' : facts.device],
    ['When', facts.at],
  ],
  button: { label: 'See Where You’re Logged In', url: facts.url },
  closing: NOT_YOU,
});

export const passwordChangedLetter = (facts: { readonly at: string; readonly url: string }): Letter => ({
  subject: 'Your password was changed',
  lines: [`The password of your account was changed on ${facts.at}. All other devices were logged out.`],
  button: { label: 'Log In', url: facts.url },
  closing: 'Wasn’t you? Tap “Forgot your password?” on the login page.',
});

export const emailChangedLetter = (facts: { readonly at: string; readonly site: string }): Letter => ({
  subject: 'The email of your account was changed',
  lines: [`The email of your account was changed on ${facts.at}. From now on, emails go to the new one.`],
  closing: `Wasn’t you? Tell the people who run ${facts.site} at once.`,
});

export const closingLetter = (facts: { readonly until: string; readonly url: string }): Letter => ({
  subject: 'Your account will be closed',
  lines: [`Your account will be closed for good on ${facts.until}. Log in before then to keep it.`],
  button: { label: 'Log In', url: facts.url },
});

export interface ReceiptFacts {
  readonly receiverName: string;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: Cents;
  readonly feeCents: Cents;
  readonly at: string;
  readonly id: string;
  readonly isSimulated: boolean;
  readonly isRefunded: boolean;
  readonly url: string;
}

export const receiptLetter = (facts: ReceiptFacts): Letter => ({
  subject: `Your receipt for a ${formatUsd(facts.amountCents)} tip`,
  lines: [
    facts.isRefunded ? 'This tip was refunded.' : 'Thank you for tipping!',
    ...(facts.isSimulated ? ['This was a simulated payment. No money moved.'] : []),
  ],
  rows: [
    ['To', facts.receiverName],
    ['For', CATEGORY_LABELS[facts.serviceCategory]],
    ['Tip', formatUsd(facts.amountCents)],
    ['Service fee', formatUsd(facts.feeCents)],
    ['Total', formatUsd(cents(facts.amountCents + facts.feeCents))],
    ['When', facts.at],
    ['Receipt', facts.id],
  ],
  button: { label: 'See the Receipt', url: facts.url },
});

export const statementLetter = (facts: {
  readonly month: string;
  readonly count: number;
  readonly netCents: Cents;
  readonly url: string;
  readonly unsubscribeUrl: string;
}): Letter => ({
  subject: `Your tips in ${facts.month}`,
  lines: [],
  rows: [
    ['Tips', String(facts.count)],
    ['You kept', formatUsd(facts.netCents)],
  ],
  button: { label: 'See the Statement', url: facts.url },
  unsubscribeUrl: facts.unsubscribeUrl,
});
