/**
 * How SQLite finds the rows of each statement. It reads a table on the thread that answers requests, so that a
 * statement that reads all of a table would make everybody wait, longer with each account and tip. Plans depend on the
 * tables alone, because nothing runs ANALYZE. How PostgreSQL does: `postgres-tables.test.ts`.
 */
import { expect, onTestFinished, test } from 'vitest';
import { IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { compileStatements } from '#server/storage/sqlite/driver.ts';
import { migratedContents } from '#tests/support/migrated-contents.ts';

/** The statements that may read a table or an index from its beginning, by the reason. */
const MAY_READ_ALL: Readonly<Record<string, readonly string[]>> = {
  'stops at its first rows': [
    'anyPayment',
    'anyTip',
    'auditHead',
    'mailBeyond',
    'newestPaid',
    'newestPayment',
    'otherOperators',
    'returnedMoney',
    'returnedPayments',
    'untoldWebhooks',
  ],
  'a table of the installation, whose rows do not grow with accounts or tips': [
    'allTerms',
    'checkpoint',
    'deleteAnnouncement',
    'deleteEndedOperatorLinks',
    'deleteEndedOperatorSessions',
    'deleteSecrets',
    'deleteSeenAnnouncement',
    'moveCheckpoint',
    'operatorsInOrder',
    'presentAnnouncement',
  ],
  'an index of what is open, which is little': ['arrivingSum', 'debts', 'debtSums', 'openDisputes'],
  'an outbox that takes no more than some thousand rows': ['claimDueMails', 'dueMails', 'waitingMails'],
  'challenges end after minutes, and are limited in number': [
    'challengeCount',
    'deleteChallengesOf',
    'deleteOldestChallenges',
  ],
  'runs at the start of a server, or for a command of the operator': [
    'deleteDevices',
    'endClaims',
    'endMailClaims',
    'endWebhookClaims',
    'passkeysElsewhere',
  ],
  'counts in one pass without a look at another table': ['failingDevices', 'failingWebhooks'],
  'removes what ended, some rows an hour, of what operators made': ['deleteEndedInvitations'],
  'each half a minute, for what other or ended processes left': [
    'claimDueDevices',
    'claimDueWebhooks',
    'dueDevices',
    'dueWebhooks',
  ],
};

/** Reads of what a statement brings with it, such as a list of values or a result of its own. */
const OWN_ROWS = /^SCAN (?:json_each|pragma_\w+|CONSTANT ROW|actors?|few|moves|newest|due|tip)\b/;

/** The steps of a statement's plan, in SQLite's words. */
function openPlans() {
  const database = openDatabase(IN_MEMORY, { contents: migratedContents() });
  onTestFinished(() => void database.close());
  return Object.entries(compileStatements()).flatMap(([name, statement]) => {
    if (statement === null) return [];
    const values = Array.from(statement.text.matchAll(/\+\?/g), () => null);
    const rows = database
      .prepare<unknown[], { readonly detail: string }>(`EXPLAIN QUERY PLAN ${statement.text}`)
      .all(values);
    return [{ name, steps: rows.map(({ detail }) => detail) }];
  });
}

test('no statement reads all of a table that grows with the installation, but those that may', () => {
  const scanning = openPlans().filter(({ steps }) =>
    steps.some((step) => step.startsWith('SCAN ') && !OWN_ROWS.test(step)),
  );
  expect(scanning.map(({ name }) => name).sort()).toEqual(Object.values(MAY_READ_ALL).flat().sort());
});

test('what is rare among many is found by an index of nothing else', () => {
  const plans = new Map(openPlans().map(({ name, steps }) => [name, steps.join('\n')]));
  expect(plans.get('openDisputes')).toContain('SCAN main.adjustments USING INDEX adjustments_disputes');
  expect(plans.get('restrictedAccounts')).toContain('USING INDEX payout_accounts_restricted');
  expect(plans.get('deletePhoto')).toContain('USING COVERING INDEX qr_codes_photo');
});
