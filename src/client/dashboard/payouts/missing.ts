/** What Stripe asks the owner of an account for, in words: https://docs.stripe.com/connect/required-verification-information */

const WORDS: readonly (readonly [requirement: RegExp, words: string])[] = [
  [/^external_account$/, 'a bank account'],
  [/^individual\.verification\./, 'an identity document'],
  [/^individual\.(?:first|last)_name/, 'your name'],
  [/^individual\.(?:id_number|ssn_last_4)$/, 'your tax number'],
  [/^individual\.dob\./, 'your date of birth'],
  [/^individual\.address\./, 'your address'],
  [/^individual\.(?:email|phone)$/, 'how to reach you'],
  [/^tos_acceptance\./, 'your agreement with Stripe'],
  [/^business_profile\./, 'your business'],
];

const OTHERS = 'other details';

/** @param names as Stripe names them, which say nothing to people: those without words here are told as one, last. */
export function wordsForMissing(names: readonly string[]): readonly string[] {
  const words = new Set(
    names.map((name) => WORDS.find(([requirement]) => requirement.test(name))?.[1] ?? OTHERS),
  );
  return words.delete(OTHERS) ? [...words, OTHERS] : [...words];
}
