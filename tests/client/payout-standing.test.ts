/** What a provider is told of the account at Stripe: sentences, whatever names Stripe uses. */
import { describe, expect, it } from 'vitest';
import { isWell, reasonToOpen } from '#client/dashboard/payouts/readiness.ts';
import { askedOf, labelsOf, standingOf } from '#client/dashboard/payouts/standing.ts';

const WELL = {
  chargesEnabled: true,
  payoutsEnabled: true,
  missing: [] as readonly string[],
  disabledReason: null as string | null,
  country: 'US',
};

const told = (account: Partial<typeof WELL>) =>
  standingOf({ ...WELL, ...account, missing: [...(account.missing ?? [])] });

describe('what is missing', () => {
  it('is named in words, in both versions of the names of Stripe', () => {
    for (const [names, label] of [
      [['external_account', 'configuration.recipient.default_outbound_destination'], 'a bank account'],
      [
        ['tos_acceptance.date', 'tos_acceptance.ip', 'identity.attestations.terms_of_service.account'],
        'your agreement with Stripe',
      ],
      [['business_profile.url', 'defaults.profile.business_url'], 'a web address for your work'],
      [['business_profile.mcc', 'configuration.merchant.mcc'], 'what kind of work you do'],
      [['company.tax_id', 'identity.business_details.id_numbers'], 'the tax number of your business'],
      [['company.verification.document'], 'a document of your business'],
      [
        ['representative.first_name', 'person_1N9XNKFbzZ.dob.day', 'person_1N.verification.document'],
        'details of who represents the business',
      ],
      [['owners.first_name', 'directors.email'], 'who owns and runs the business'],
      [
        ['individual.verification.document', 'identity.individual.documents.primary_verification'],
        'a photo of your ID',
      ],
      [
        [
          'individual.first_name',
          'individual.last_name',
          'identity.individual.given_name',
          'identity.individual.surname',
        ],
        'your name',
      ],
      [
        ['individual.id_number', 'individual.ssn_last_4', 'identity.individual.id_numbers'],
        'your tax number',
      ],
      [['individual.dob.day', 'identity.individual.date_of_birth'], 'your date of birth'],
      [['individual.address.line1', 'identity.individual.address.city'], 'your address'],
      [['individual.email', 'individual.phone', 'contact_phone'], 'how to reach you'],
    ] as const)
      expect(labelsOf(names), names.join()).toEqual([label]);
  });

  it('is a sentence and no code for a name that nobody knows, and stands last', () => {
    const labels = labelsOf(['interv_cmVxX2hpZ2g.rejection_appeal.supportability', 'external_account']);
    expect(labels).toEqual(['a bank account', 'other details, which Stripe’s page names']);
  });
});

describe('the standing', () => {
  it('never says that somebody can be paid while payouts are stopped or tips are refused', () => {
    for (const disabledReason of [null, 'requirements.past_due', 'rejected_fraud', 'restricted_other'])
      for (const missing of [[], ['external_account']])
        for (const chargesEnabled of [true, false])
          for (const payoutsEnabled of [true, false]) {
            const account = {
              ...WELL,
              chargesEnabled,
              payoutsEnabled,
              missing: [...missing],
              disabledReason,
            };
            const sentence = told(account);
            expect(sentence.includes('You can be paid.')).toBe(chargesEnabled && payoutsEnabled);
            expect(sentence.includes('asks for:')).toBe(askedOf(account).length > 0);
            expect(sentence).not.toMatch(/[a-z]+[._][a-z]+/);
            expect(isWell(account)).toBe(sentence.startsWith('You can be paid. Stripe sends'));
          }
  });

  it('says why Stripe has stopped something', () => {
    const stopped = { chargesEnabled: false, payoutsEnabled: false };
    // There is nothing to complete in an account that is closed.
    for (const missing of [[], ['individual.id_number']])
      expect(told({ ...stopped, missing, disabledReason: 'rejected.fraud' })).toBe(
        'Nobody can tip you right now. Stripe closed your account, because it suspects fraud. Ask its support.',
      );
    expect(told({ chargesEnabled: false, disabledReason: 'other_currency' })).toBe(
      'Nobody can tip you right now. Stripe pays you out in another currency than the one in which tips are paid ' +
        'here. Ask whoever runs this site.',
    );
    expect(told({ ...stopped, disabledReason: 'requirements_pending_verification' })).toBe(
      'Nobody can tip you right now. Stripe is checking your details. This can take some days.',
    );
    expect(
      told({ payoutsEnabled: false, disabledReason: 'requirements.past_due', missing: ['external_account'] }),
    ).toBe(
      'Tips still reach your Stripe account, but they aren’t sent on to your bank. Stripe still asks for:',
    );
  });

  it('says when an account does not count any more, and that a new one is needed', () => {
    const gone = reasonToOpen('gone');
    const another = reasonToOpen('other_platform');
    for (const sentence of [gone, another]) expect(sentence).toMatch(/set up a new one/i);
    expect(another).toContain('This site has moved to another Stripe account');
  });
});
