/**
 * What operators do in the console stands in the audit log: every mutation of its router has a case here that
 * shows the row, or a reason why it leaves none.
 */
import { randomBytes } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { AuditAction } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { attemptsAccountOf } from '#server/storage/rules/accounts.ts';
import { newInvitationId, type UserId } from '#shared/ids.ts';
import { CONSOLE_PROCEDURES, createOperator } from '#tests/support/operators.ts';
import { createPeople } from '#tests/support/people.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import { suspendAccount } from '#tests/support/suspending.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

afterAll(stopEverything);

const REASON = 'Asked for by phone';

interface Scene {
  readonly t: TestApp;
  readonly console: Awaited<ReturnType<typeof createOperator>>['console'];
}

/** An act in an app of its own, the row that it leaves, and the subject of the row. */
interface Case {
  /** Does the act, for `reason`. @returns whom it was done to; null for the installation. */
  readonly act: (scene: Scene, reason: string) => Promise<string | null>;
  readonly action: AuditAction;
  /** Leaves what the act finds, where that has a row of its own. */
  readonly prepare?: (scene: Scene) => Promise<void>;
}

const EMAIL = 'cam@example.com';

/** Somebody with a session, an API key, a failed login and an authenticator app, who is the same when asked again. */
async function letSomebodyIn({ t }: Scene): Promise<{ readonly id: UserId }> {
  const found = await t.storage.findCredentials(EMAIL);
  if (found) return found.account;
  const { user, trpc } = await t.registerCustomer('cam');
  await trpc.apiKeys.create.mutate({ name: 'Till', scopes: ['tips:read'] });
  const attempt = { limit: 'login', account: attemptsAccountOf(EMAIL), address: '', maxCount: 9 };
  await t.storage.takeAttempt([{ ...attempt, windowMs: 600_000 }], t.clock.nowMs);
  const holder = { kind: 'account', id: user.id } as const;
  const secret = randomBytes(48);
  await t.storage.factors.beginTotp(holder, secret, t.clock.nowMs);
  const first = { recoveryHashes: [], nowMs: t.clock.nowMs };
  await t.storage.factors.confirmTotp(holder, secret, 1, first);
  return user;
}

type PeopleAct = Exclude<keyof Scene['console']['people'], 'find' | 'get'>;

/** Does an act of the part about people. */
const onPerson =
  (name: PeopleAct): Case['act'] =>
  async (scene, reason) => {
    const { id } = await letSomebodyIn(scene);
    await scene.console.people[name].mutate({ id, reason });
    return id;
  };

const LETS_IN = 'lets an operator in, which the log of the server tells';
const OWN_SESSION = 'ends a session of the operator who asks';
const OWN_FACTORS = 'leaves a row without a reason (operators.test.ts)';

/** By the path of the procedure. */
const MUTATIONS: Readonly<Record<string, string | Case>> = {
  'session.logIn': LETS_IN,
  'session.beginPasskeyLogin': LETS_IN,
  'session.finishPasskeyLogin': LETS_IN,
  'session.readLink': 'reads',
  'session.useLink': 'ends what the operator themselves got in by; the row stands when they have enrolled',
  'session.end': OWN_SESSION,
  'session.endOther': OWN_SESSION,
  'session.beginConfirmation': LETS_IN,
  'session.confirm': LETS_IN,
  'enrolment.beginPasskey': 'changes nothing yet',
  'enrolment.addPasskey': OWN_FACTORS,
  'enrolment.beginTotp': 'changes nothing yet',
  'enrolment.confirmTotp': OWN_FACTORS,
  'factors.beginPasskey': 'changes nothing yet',
  'factors.addPasskey': OWN_FACTORS,
  'factors.removePasskey': OWN_FACTORS,
  'factors.renewRecoveryCodes': OWN_FACTORS,
  'backups.make': 'leaves its row where backups are made (console-upkeep.test.ts)',
  'transactions.refund': {
    action: 'tip_refunded',
    async act({ t, console }, reason) {
      const { customer, code } = await t.setTheScene();
      const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
      const { id } = await customer.trpc.transactions.create.mutate(tip);
      await console.transactions.refund.mutate({ name: id, reason });
      return id;
    },
  },
  'transactions.settle': 'ends a debt of a payment (console-transactions.test.ts)',
  'codes.stop': {
    action: 'code_stopped',
    async act({ t, console }, reason) {
      const { code } = await t.setTheScene();
      await console.codes.stop.mutate({ name: code.id, reason });
      return code.id;
    },
  },
  'people.suspend': { action: 'account_suspended', act: onPerson('suspend') },
  'people.lift': {
    action: 'suspension_lifted',
    prepare: async (scene) => {
      const { id } = await letSomebodyIn(scene);
      await suspendAccount(scene.t.storage, id);
    },
    act: onPerson('lift'),
  },
  'people.endSessions': { action: 'sessions_ended', act: onPerson('endSessions') },
  'people.endKeys': { action: 'api_keys_ended', act: onPerson('endKeys') },
  'people.unlock': { action: 'logins_unlocked', act: onPerson('unlock') },
  'people.sendLink': { action: 'password_link_made', act: onPerson('sendLink') },
  'people.removeFactors': { action: 'factors_removed', act: onPerson('removeFactors') },
  'people.export': { action: 'account_exported', act: onPerson('export') },
  'people.close': { action: 'account_closed', act: onPerson('close') },
  'reports.settle': {
    action: 'report_settled',
    async act({ t, console }, reason) {
      const { provider, tip } = await createPeople(t.storage).setTheScene();
      const giverMessage = { message: 'Ugly', giverName: null, isRefused: false };
      const given = { ...tip(), giverMessage };
      await t.storage.recordTip(given);
      await t.storage.messages.reportMessage(provider.id, given.id, t.clock.nowMs);
      await console.reports.settle.mutate({ transactionId: given.id, reason });
      return given.id;
    },
  },
  'installation.setTerms': {
    action: 'terms_set',
    async act({ t, console }, reason) {
      await console.installation.setTerms.mutate({ giverFee: '2', basedOn: 0, reason });
      return `version 1, from ${new Date(t.clock.nowMs).toISOString()}`;
    },
  },
  'installation.invite': {
    action: 'invitation_made',
    async act({ console }, reason) {
      return (await console.installation.invite.mutate({ email: null, maxUses: 1, days: 1, reason })).id;
    },
  },
  'installation.revokeInvitation': {
    action: 'invitation_revoked',
    async act({ t, console }, reason) {
      const id = newInvitationId(randomBytes);
      const expiresAtMs = t.clock.nowMs + 60_000;
      const invitation = { id, emailKey: null, maxUses: 1, usesLeft: 1, expiresAtMs };
      await t.storage.invitations.add({ ...invitation, tokenHash: randomBytes(32) });
      await console.installation.revokeInvitation.mutate({ id, reason });
      return id;
    },
  },
  'installation.announce': {
    action: 'announcement_made',
    async act({ t, console }, reason) {
      const from = new Date(t.clock.nowMs).toISOString();
      const until = new Date(t.clock.nowMs + 60_000).toISOString();
      const text = `\u202eThe bar opens at 8. ${'😀'.repeat(99)}`;
      await console.installation.announce.mutate({ text, until, reason });
      return `from ${from} until ${until}: The bar opens at 8. ${'😀'.repeat(60)}...`;
    },
  },
  'installation.endAnnouncement': {
    action: 'announcement_ended',
    async act({ t, console }, reason) {
      await t.storage.announce({ text: 'Hi', fromMs: 0, untilMs: null });
      await console.installation.endAnnouncement.mutate({ reason });
      return 'from 1970-01-01T00:00:00.000Z: Hi';
    },
  },
};

/** Acts that change nothing beside their row. */
const APART: readonly string[] = ['people.export'];

/** An act whose row is written in a step of its own fails, as it would where that step is not made. */
const refuseNotes = (storage: Storage): Storage => ({
  ...storage,
  audit: {
    ...storage.audit,
    note: async () => {
      throw new Error('a row apart from its act');
    },
  },
});

const mutations = CONSOLE_PROCEDURES.flatMap(({ path, type }) => (type === 'mutation' ? [path] : []));

test('every mutation of the console has a case or a reason', () => {
  expect(mutations.toSorted()).toEqual(Object.keys(MUTATIONS).toSorted());
});

for (const [path, how] of Object.entries(MUTATIONS)) {
  if (typeof how === 'string') continue;
  const isApart = APART.includes(path);
  test(`${path} leaves its row${isApart ? '' : ' in the same step'}`, async () => {
    const wrapStorage = (storage: Storage) => (isApart ? storage : refuseNotes(storage));
    const t = await createTestApp({ config: { isRateLimited: true }, wrapStorage });
    const { console, operator } = await createOperator(t);
    await how.prepare?.({ t, console });
    const before = await t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 100 });
    const subject = await how.act({ t, console }, REASON);
    const rows = await t.storage.audit.list({ after: before.length, sinceMs: 0, atMost: 100 });
    expect(rows).toMatchObject([
      {
        actorKind: 'operator',
        actorName: operator.email,
        host: '192.0.2.1',
        action: how.action,
        subject,
        reason: REASON,
      },
    ]);
  });
}
