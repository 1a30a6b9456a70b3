/** What somebody could try at the very moment in which an operator's way in ends. */
import { hash } from 'node:crypto';
import { afterAll, expect, test } from 'vitest';
import type { Storage } from '#server/storage/port/storage.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { PUBLIC_URL } from '#tests/support/both-doors.ts';
import { consoleOf, createOperator } from '#tests/support/operators.ts';
import { stopEverything } from '#tests/support/running-server.ts';
import { createTestApp } from '#tests/support/test-app.ts';

afterAll(stopEverything);

const MINUTE_MS = 60_000;

/** An app in which something else happens just before one step of the storage. */
async function openScene(interrupt: (storage: Storage, before: () => Promise<void>) => Storage) {
  const meanwhile = { act: async () => {} };
  const t = await createTestApp({
    wrapStorage: (storage) =>
      interrupt(storage, () => {
        const { act } = meanwhile;
        meanwhile.act = async () => {};
        return act();
      }),
  });
  const { operator, token, console } = await createOperator(t);

  /** Adds a passkey to the operator. */
  async function addPasskey(name = 'Phone') {
    const authenticator = createAuthenticator(PUBLIC_URL);
    const { options } = await console.factors.beginPasskey.mutate();
    await console.factors.addPasskey.mutate({ response: authenticator.create(options), name });
    return authenticator;
  }

  /** Opens a new link of the operator. @returns the console in which they enrol. */
  async function openLink() {
    const link = 'L'.repeat(43);
    const tokenHash = hash('sha256', link, 'buffer');
    await t.storage.operators.addLink(operator.id, { tokenHash, expiresAtMs: t.clock.nowMs + MINUTE_MS });
    return consoleOf(t, (await consoleOf(t).session.useLink.mutate({ token: link })).token);
  }

  const factors = () => t.storage.factors.summary({ kind: 'operator', id: operator.id });
  return { t, meanwhile, operator, token, console, addPasskey, openLink, factors };
}

test('a login that a link overtakes begins no session', async () => {
  const scene = await openScene((storage, before) => ({
    ...storage,
    operators: {
      ...storage.operators,
      createSession: async (...args) => {
        await before();
        return storage.operators.createSession(...args);
      },
    },
  }));
  const { t, meanwhile } = scene;
  const authenticator = await scene.addPasskey();
  const { session } = consoleOf(t);
  const { options } = await session.beginPasskeyLogin.mutate();
  meanwhile.act = async () => void (await scene.openLink());
  await expect(session.finishPasskeyLogin.mutate({ response: authenticator.get(options) })).rejects.toThrow(
    'Your session has ended.',
  );
  // That of the link is the only one.
  expect(await t.storage.operators.listSessions(scene.operator.id)).toHaveLength(1);
});

test('a passkey that a link overtakes is not added, and ends no enrolment', async () => {
  const scene = await openScene((storage, before) => ({
    ...storage,
    factors: {
      ...storage.factors,
      addPasskey: async (...args) => {
        await before();
        return storage.factors.addPasskey(...args);
      },
    },
  }));
  const { meanwhile, openLink } = scene;
  const opened: Awaited<ReturnType<typeof openLink>>[] = [];
  meanwhile.act = async () => void opened.push(await openLink());
  await expect(scene.addPasskey()).rejects.toThrow('Your session has ended.');
  expect(await scene.factors()).toMatchObject({ passkeys: [] });

  // The same for whoever has opened the link before.
  const [earlier] = opened;
  if (!earlier) throw new Error('the link was not opened');
  const authenticator = createAuthenticator(PUBLIC_URL);
  const { options } = await earlier.enrolment.beginPasskey.mutate();
  meanwhile.act = async () => void opened.push(await openLink());
  const response = authenticator.create(options);
  await expect(earlier.enrolment.addPasskey.mutate({ response, name: 'Theirs' })).rejects.toThrow();
  expect(await scene.factors()).toMatchObject({ passkeys: [] });
  expect(await opened[1]?.session.me.query()).toMatchObject({ isEnrolled: false });
});

test('an enrolment that a link overtakes does not end the one of that link', async () => {
  const scene = await openScene((storage, before) => ({
    ...storage,
    operators: {
      ...storage.operators,
      finishEnrolment: async (...args) => {
        await before();
        return storage.operators.finishEnrolment(...args);
      },
    },
  }));
  const { meanwhile, openLink } = scene;
  const earlier = await openLink();
  const { options } = await earlier.enrolment.beginPasskey.mutate();
  const later: Awaited<ReturnType<typeof openLink>>[] = [];
  meanwhile.act = async () => void later.push(await openLink());
  const response = createAuthenticator(PUBLIC_URL).create(options);
  await expect(earlier.enrolment.addPasskey.mutate({ response, name: 'Theirs' })).rejects.toThrow();
  expect(await later[0]?.session.me.query()).toMatchObject({ isEnrolled: false, hasPasskey: false });
});

test('recovery codes that a link overtakes are not renewed, whoever has enrolled by it', async () => {
  const scene = await openScene((storage, before) => ({
    ...storage,
    factors: {
      ...storage.factors,
      renewRecoveryCodes: async (...args) => {
        await before();
        return storage.factors.renewRecoveryCodes(...args);
      },
    },
  }));
  const { meanwhile, openLink } = scene;
  meanwhile.act = async () => {
    const { enrolment } = await openLink();
    const { options } = await enrolment.beginPasskey.mutate();
    const response = createAuthenticator(PUBLIC_URL).create(options);
    await enrolment.addPasskey.mutate({ response, name: 'New' });
  };
  await expect(scene.console.factors.renewRecoveryCodes.mutate()).rejects.toThrow('Your session has ended.');
});

test('of two passkeys that are removed at the same moment one stays', async () => {
  const scene = await openScene((storage) => storage);
  await scene.addPasskey();
  await scene.addPasskey('Laptop');
  const { passkeys } = await scene.factors();
  const removed = await Promise.allSettled(
    passkeys.map(({ id }) => scene.console.factors.removePasskey.mutate({ id })),
  );
  expect(removed.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  expect((await scene.factors()).passkeys).toHaveLength(1);
});

test('a reason holds no sign that shows the log in another order than it has', async () => {
  const t = await createTestApp();
  const { user } = await t.registerCustomer();
  const { console } = await createOperator(t);
  for (const sign of ['\u202e', '\u2066', '\u200f', '\u0007', '\ud800'])
    await expect(
      console.people.lift.mutate({ id: user.id, reason: `Asked ${sign}for` }),
    ).rejects.toMatchObject({ data: { errorCode: 'invalid_input' } });
  const reason = 'طلبه صاحب الحساب\nand wrote it down';
  await console.people.suspend.mutate({ id: user.id, reason });
  const [row] = await t.storage.audit.listAbout(user.id, 1);
  expect(row).toMatchObject({ reason: 'طلبه صاحب الحساب and wrote it down' });
});
