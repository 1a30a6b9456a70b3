/** What is said of a provider's account at Stripe, in words instead of Stripe's names. */
import { isClosed, isWell, type PayoutAccount } from './readiness.ts';

/**
 * By words in Stripe's names, which differ between the versions of its API; the first that fits counts
 * (https://docs.stripe.com/connect/required-verification-information).
 */
const REQUIREMENTS: readonly (readonly [requirement: RegExp, label: string])[] = [
  [/external_account|outbound_destination/, 'a bank account'],
  [/tos_acceptance|terms_of_service/, 'your agreement with Stripe'],
  [/business_type|entity_type/, 'whether you work for yourself or for a company'],
  [/owner|director|executive/, 'who owns and runs the business'],
  [/representative|relationship|person_/, 'details of who represents the business'],
  [/business_profile\.url|business_url/, 'a web address for your work'],
  [/\bmcc\b|product_description/, 'what kind of work you do'],
  [/support_/, 'how customers can reach you'],
  [
    /company\.(?:tax|vat)_id|registration_number|business_details\.id_number/,
    'the tax number of your business',
  ],
  [/company\.verification|business_details\.document|^documents/, 'a document of your business'],
  [/company|business_/, 'details of your business'],
  [/verification|document/, 'a photo of your ID'],
  [/(?:first|last|given|sur)_?name/, 'your name'],
  [/id_number|\bssn/, 'your tax number'],
  [/\bdob\b|date_of_birth/, 'your date of birth'],
  [/address/, 'your address'],
  [/email|phone/, 'how to reach you'],
  [/nationalit/, 'your nationality'],
  [/political_exposure/, 'whether you hold a public office'],
];

const OTHER_REQUIREMENTS = 'other details, which Stripe’s page names';

/** Both versions of Stripe's API have these names, with dots or underscores. */
const REASONS: readonly (readonly [reason: RegExp, sentence: string])[] = [
  [
    /^other_currency$/,
    'Stripe pays you out in another currency than the one in which tips are paid here. Ask whoever runs this site.',
  ],
  [/past_due/, 'Some of your details are overdue.'],
  [/pending_verification|determining/, 'Stripe is checking your details. This can take some days.'],
  [/under_review/, 'Stripe is reviewing your account. This can take some days.'],
  [/^listed/, 'Stripe is checking whether it may pay you. This can take some days.'],
  [/platform_paused/, 'Whoever runs this site has paused it. Ask them why.'],
  [/unsupported_country/, 'Stripe doesn’t pay out in your country.'],
  [/unsupported/, 'Stripe doesn’t serve this kind of business.'],
  [/rejected.incomplete/, 'Stripe closed your account, because your details couldn’t be checked in time.'],
  [/rejected.platform/, 'Whoever runs this site had your account closed. Ask them why.'],
  [/rejected.fraud/, 'Stripe closed your account, because it suspects fraud. Ask its support.'],
  [/rejected.terms/, 'Stripe closed your account, because of its terms. Ask its support.'],
  [/rejected/, 'Stripe closed your account. Ask its support why.'],
];

const OTHER_REASON = 'Stripe’s pages say why.';
const NO_TIPS = 'Nobody can tip you right now.';

export function standingOf(account: PayoutAccount): string {
  if (isWell(account)) return 'You can be paid. Stripe sends your tips on to your bank account.';
  const { chargesEnabled, payoutsEnabled } = account;
  const isAsking = askedOf(account).length > 0;
  if (chargesEnabled && payoutsEnabled) return 'You can be paid. To keep it that way, Stripe also asks for:';
  const stopped = chargesEnabled
    ? 'Tips still reach your Stripe account, but they aren’t sent on to your bank.'
    : NO_TIPS;
  const reason = reasonOf(account);
  return [stopped, isAsking ? '' : reason, isAsking ? 'Stripe still asks for:' : '']
    .filter((sentence) => sentence !== '')
    .join(' ');
}

/** What the owner can still tell Stripe, in Stripe's names; nothing for a closed account. */
export function askedOf(account: PayoutAccount): readonly string[] {
  return isClosed(account) && !account.chargesEnabled ? [] : account.missing;
}

function reasonOf({ disabledReason }: PayoutAccount): string {
  if (disabledReason === null) return 'Stripe is checking your details. This can take some days.';
  return REASONS.find(([reason]) => reason.test(disabledReason))?.[1] ?? OTHER_REASON;
}

/** Requirements without a label here become one label, which stands last. */
export function labelsOf(names: readonly string[]): readonly string[] {
  const labels = new Set(
    names.map(
      (name) => REQUIREMENTS.find(([requirement]) => requirement.test(name))?.[1] ?? OTHER_REQUIREMENTS,
    ),
  );
  return labels.delete(OTHER_REQUIREMENTS) ? [...labels, OTHER_REQUIREMENTS] : [...labels];
}
