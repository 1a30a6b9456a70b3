/**
 * What operators do in the console stands in the audit log: every mutation of its router has a case here that
 * shows the row, or a reason why it leaves none.
 */
import { afterAll, expect, test } from 'vitest';
import type { AuditAction } from '#server/storage/port/audit.ts';
import { CONSOLE_PROCEDURES, createOperator } from '#tests/support/operators.ts';
import { stopEverything } from '#tests/support/running-server.ts';
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
}

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
  'codes.stop': {
    action: 'code_stopped',
    async act({ t, console }, reason) {
      const { code } = await t.setTheScene();
      await console.codes.stop.mutate({ name: code.id, reason });
      return code.id;
    },
  },
};

const mutations = CONSOLE_PROCEDURES.flatMap(({ path, type }) => (type === 'mutation' ? [path] : []));

test('every mutation of the console has a case or a reason', () => {
  expect(mutations.toSorted()).toEqual(Object.keys(MUTATIONS).toSorted());
});

for (const [path, how] of Object.entries(MUTATIONS)) {
  if (typeof how === 'string') continue;
  test(`${path} leaves its row`, async () => {
    const t = await createTestApp();
    const { console, operator } = await createOperator(t);
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
