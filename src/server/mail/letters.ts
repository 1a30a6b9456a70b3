/** What each kind of mail says. A letter to an address that nobody confirmed names no person. */
import type { EndedAccess, WayIn } from '#server/storage/port/mails.ts';
import { type ApiScope, SCOPE_LABELS } from '#shared/api-scopes.ts';
import { brand } from '#shared/brand.ts';
import { CATEGORY_LABELS, type ServiceCategory } from '#shared/categories.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents, formatMoney } from '#shared/money.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { FactorChange } from '#shared/second-factors.ts';
import { moneyNote } from '#shared/simulated-money.ts';
import type { Letter } from './letter.ts';

export const PASSWORD_LINK_MS = 3_600_000;
export const CONFIRMATION_LINK_DAYS = 7;

const LIST = new Intl.ListFormat(PAGE_LANGUAGE);

const NOT_YOU =
  'If this wasn’t you, choose a new password right away. That logs everybody else out. Then remove passkeys, API keys ' +
  'and webhooks that aren’t yours: they go on working.';

export const passwordLinkLetter = (url: string): Letter => ({
  subject: 'Choose a new password',
  lines: [
    `Somebody asked for a new password for your ${brand.name} account. This link works once, for one hour.`,
  ],
  button: { label: 'Choose a New Password', url },
  closing: 'If this wasn’t you, ignore this email. Your password stays the same.',
});

export const confirmationLetter = (url: string): Letter => ({
  subject: 'Confirm your email',
  lines: [
    `Somebody used this email for a ${brand.name} account. If this was you, please confirm it, so we can help ` +
      'if you forget your password, and tell you about new logins.',
    `This link works for ${CONFIRMATION_LINK_DAYS} days.`,
  ],
  button: { label: 'Confirm My Email', url },
  closing: 'If this wasn’t you, ignore this email.',
});

export const newDeviceLetter = (facts: {
  readonly device: string;
  readonly at: string;
  readonly url: string;
}): Letter => ({
  subject: 'New login to your account',
  lines: [
    `Somebody logged in to your ${brand.name} account on a new device. If this was you, you’re all set.`,
  ],
  rows: [
    ['Device', facts.device === '' ? 'Unknown' : facts.device],
    ['When', facts.at],
  ],
  button: { label: 'See Where You’re Logged In', url: facts.url },
  closing: NOT_YOU,
});

const WAY_IN_LABELS: Readonly<Record<WayIn, string>> = {
  factors: 'passkeys, the authenticator app and the recovery codes',
  api_keys: 'API keys',
  webhooks: 'webhooks',
};

export const passwordChangedLetter = ({
  at,
  ended,
  keepsPayouts,
  url,
}: EndedAccess & { readonly at: string; readonly url: string }): Letter => ({
  subject: 'Your password was changed',
  lines: [
    `The password for your ${brand.name} account was changed on ${at}. Other devices were logged out.`,
    ...(ended.length > 0
      ? [
          'Nobody had confirmed this email before, so somebody else may have set up the account. What could be used ' +
            `without the password was removed: ${LIST.format(ended.map((each) => WAY_IN_LABELS[each]))}. ` +
            'If it was yours, set it up again.',
        ]
      : ['Passkeys, the authenticator app, API keys and webhooks go on working. Remove what isn’t yours.']),
    ...(keepsPayouts
      ? [
          'Tips are still paid out to the account that was set up before. Check in your profile that it’s yours.',
        ]
      : []),
  ],
  button: { label: 'Log In', url },
  closing: 'If this wasn’t you, tap “Forgot your password?” on the login page to get your account back.',
});

export const emailChangedLetter = (facts: {
  readonly at: string;
  readonly site: string;
  /** How people reach the operator; null where that was not set. */
  readonly contact: string | null;
}): Letter => ({
  subject: 'Your email was changed',
  lines: [
    `The email for your ${brand.name} account was changed on ${facts.at}. From now on, we’ll write to the new one.`,
  ],
  closing:
    `If this wasn’t you, tell the people who run ${facts.site} right away` +
    `${facts.contact === null ? '.' : `: ${facts.contact}`}`,
});

export const closingLetter = (facts: { readonly until: string; readonly url: string }): Letter => ({
  subject: 'Your account will be closed',
  lines: [
    `Your ${brand.name} account will be closed for good on ${facts.until}. To keep it, log in before then.`,
  ],
  button: { label: 'Log In', url: facts.url },
  closing: 'If this wasn’t you, log in and change your password.',
});

export const keyMadeLetter = (facts: {
  readonly name: string;
  readonly scopes: readonly ApiScope[];
  readonly at: string;
  readonly until: string;
  readonly url: string;
}): Letter => ({
  subject: 'New API key for your account',
  lines: [
    `An API key was made for your ${brand.name} account. A program that has it can do what’s listed here, ` +
      'without your password. If this was you, you’re all set.',
  ],
  rows: [
    ['Name', facts.name],
    ['Can', facts.scopes.map((scope) => SCOPE_LABELS[scope]).join(', ')],
    ['Made', facts.at],
    ['Works until', facts.until],
  ],
  button: { label: 'See Your API Keys', url: facts.url },
  closing: 'If this wasn’t you, end the key right away, and then choose a new password.',
});

const FACTOR_CHANGE_LINES: Readonly<Record<FactorChange, string>> = {
  passkey_added: `A passkey was added to your ${brand.name} account.`,
  passkey_removed: `A passkey was removed from your ${brand.name} account.`,
  app_added: `An authenticator app was set up for your ${brand.name} account.`,
  app_removed: `The authenticator app was removed from your ${brand.name} account.`,
  codes_renewed: `New recovery codes were made for your ${brand.name} account. The old ones no longer work.`,
  removed_by_operator:
    `All passkeys, the authenticator app and the recovery codes were removed from your ${brand.name} account ` +
    'by whoever runs this site. Your password alone logs you in again.',
};

export const factorChangedLetter = (facts: {
  readonly change: FactorChange;
  readonly at: string;
  readonly url: string;
}): Letter => ({
  subject: 'The way you log in was changed',
  lines: [`${FACTOR_CHANGE_LINES[facts.change]} If this was you, you’re all set.`],
  rows: [['When', facts.at]],
  button: { label: 'Check Your Account', url: facts.url },
  closing: 'If this wasn’t you, choose a new password right away, and remove what isn’t yours.',
});

export interface ReceiptFacts {
  /** Null for a guest: the address that they name may be anybody's, and the name is what its owner has written. */
  readonly receiverName: string | null;
  readonly serviceCategory: ServiceCategory;
  readonly amountCents: Cents;
  readonly feeCents: Cents;
  readonly at: string;
  readonly id: string;
  readonly mode: PaymentMode;
  /** What became of the money; `arriving` until the card is charged. */
  readonly state: 'kept' | 'arriving' | 'never_charged' | 'refunded' | 'changed';
  /** When the card is charged; null once it was. */
  readonly chargedAt: string | null;
  /** The total after refunds and other changes, in cents. */
  readonly leftCents: Cents;
  /** What refunds that failed have not brought to the giver. */
  readonly unreturnedCents: Cents;
  readonly url: string;
}

export const receiptLetter = (facts: ReceiptFacts): Letter => ({
  subject: `Your receipt for a ${formatMoney(facts.amountCents)} tip`,
  lines: [
    stateLineOf(facts),
    ...(facts.unreturnedCents > 0
      ? [
          `A refund of ${formatMoney(facts.unreturnedCents)} didn’t reach your card. It’s still yours: ask ` +
            `${brand.name} for it.`,
        ]
      : []),
    ...noteLines(facts.mode),
  ],
  rows: [
    ...(facts.receiverName === null ? [] : [['To', facts.receiverName] as const]),
    ['Service', CATEGORY_LABELS[facts.serviceCategory]],
    ['Tip', formatMoney(facts.amountCents)],
    ...(facts.feeCents > 0 ? [['Service fee', formatMoney(facts.feeCents)] as const] : []),
    ['Total', formatMoney(cents(facts.amountCents + facts.feeCents))],
    ...(facts.state === 'changed' ? [['Total now', formatMoney(facts.leftCents)] as const] : []),
    ['When', facts.at],
    ['Transaction', facts.id],
  ],
  button: { label: 'See the Receipt', url: facts.url },
  ...(facts.receiverName === null && { closing: 'If this wasn’t you, ignore this email.' }),
});

function noteLines(mode: PaymentMode): readonly string[] {
  const note = moneyNote(mode);
  return note === null ? [] : [note];
}

function stateLineOf({ state, chargedAt, leftCents }: ReceiptFacts): string {
  switch (state) {
    case 'kept':
      return 'Thank you for tipping!';
    case 'arriving':
      return `Thank you for tipping! Your card is charged on ${chargedAt}.`;
    case 'never_charged':
      return 'This tip was taken back before it was charged. Nothing was charged.';
    case 'refunded':
      return 'This tip was refunded.';
    case 'changed':
      return leftCents === 0
        ? 'Your bank took this payment back for you.'
        : 'Part of this payment came back to you.';
  }
}

export const statementLetter = (facts: {
  readonly month: string;
  readonly count: number;
  /** Refunds and other changes made in the month, of tips of any month. */
  readonly changeCount: number;
  readonly nameOfChanges: string;
  /** The sum of the tips and the changes. */
  readonly netCents: Cents;
  readonly mode: PaymentMode;
  readonly url: string;
  readonly unsubscribeUrl: string;
}): Letter => ({
  subject: `Your tips in ${facts.month}`,
  lines: ['Here’s the monthly statement you asked for.', ...noteLines(facts.mode)],
  rows: [
    ['Tips', String(facts.count)],
    ...(facts.changeCount > 0 ? [[facts.nameOfChanges, String(facts.changeCount)] as const] : []),
    ['You kept', formatMoney(facts.netCents)],
  ],
  button: { label: 'See the Statement', url: facts.url },
  unsubscribeUrl: facts.unsubscribeUrl,
});

export const webhookOffLetter = (facts: {
  readonly host: string;
  /** True when the endpoint answered that it is gone; false when it failed for three days. */
  readonly isGone: boolean;
  readonly url: string;
}): Letter => ({
  subject: 'A webhook was switched off',
  lines: [
    facts.isGone
      ? `${facts.host} answered that it wants no more events, so we stopped sending them there.`
      : `${facts.host} took no events for three days, so we stopped sending them there.`,
    'Once it works again, switch the webhook back on. It goes on where it stopped.',
  ],
  button: { label: 'See Your Webhooks', url: facts.url },
});

export const suspendedLetter = (facts: {
  readonly reason: string;
  readonly contact: string | null;
  readonly url: string;
}): Letter => ({
  subject: 'Your account is suspended',
  lines: [
    `Your ${brand.name} account can’t give or get tips for now. You can still log in, see your tips, and download ` +
      'everything about your account.',
  ],
  rows: [['Why', facts.reason]],
  button: { label: 'Log In', url: facts.url },
  closing:
    'If you think this is a mistake, tell the people who run this site' +
    `${facts.contact === null ? '.' : `: ${facts.contact}`}`,
});

export const liftedLetter = (facts: { readonly url: string }): Letter => ({
  subject: 'Your account works again',
  lines: [`Your ${brand.name} account can give and get tips again.`],
  button: { label: 'Log In', url: facts.url },
});
