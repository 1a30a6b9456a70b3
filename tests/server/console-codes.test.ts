/** What operators do about codes: one that was stolen is found by its print, and takes no tip from then on. */
import { expect, test } from 'vitest';
import { createOperator } from '#tests/support/operators.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

async function openScene() {
  const t = await createTestApp();
  const { storage } = t;
  const provider = await enter(t, 'pat', ['bartender', 'dj']);
  const customer = await enter(t, 'cam');
  const [code = '', other = ''] = provider.codes;
  const { console } = await createOperator(t, { email: 'ops@example.com' });
  return {
    t,
    provider,
    code,
    other,
    console,
    find: (name: string) => console.codes.find.query({ name }),
    stop: (name: string) => console.codes.stop.mutate({ name, reason: 'Stolen' }),
    give: (receiverQrId: string, serviceCategory: 'bartender' | 'dj' = 'bartender') =>
      customer.trpc.transactions.create.mutate({ receiverQrId, serviceCategory, amountCents: 2_000 }),
    readAbout: async (subject: string) => (await console.audit.list.query({ subject })).rows,
    readLog: () => storage.audit.list({ after: 0, sinceMs: 0, atMost: 99 }),
  };
}

test('a code is found in any spelling and by any link to it, with its owner', async () => {
  const { t, provider, code, find } = await openScene();
  const found = await find(code);
  expect(found).toEqual({
    id: code,
    url: `${t.config.publicUrl}/tip/${code}`,
    status: 'active',
    serviceCategory: 'bartender',
    name: 'Name of pat',
    owner: {
      id: provider.user.id,
      fullName: 'Name of pat',
      username: 'pat',
      email: 'pat@example.com',
      state: 'open',
    },
    createdAt: new Date(t.clock.nowMs).toISOString(),
    acts: [],
  });
  for (const name of [
    ` ${code.slice(0, 5)}-${code.slice(5)} `.toLowerCase(),
    `/tip/${code}`,
    `http://an-earlier-name.example/tip/${code}/?x=1#y`,
  ])
    expect(await find(name), name).toEqual(found);
  for (const name of ['ABCDE-FGHJK', '/', 'demo-1', "x' OR 1=1"]) expect(await find(name), name).toBeNull();
});

test('a code tells that its owner is suspended, or is closing the account', async () => {
  const { t, provider, code, console, find } = await openScene();
  const { id } = provider.user;
  await console.people.suspend.mutate({ id, reason: 'Words' });
  expect(await find(code)).toMatchObject({ status: 'active', owner: { state: 'suspended' } });
  await console.people.lift.mutate({ id, reason: 'Somebody else' });
  await t.storage.beginClosing(id, 'none', t.clock.nowMs + 60_000);
  expect(await find(code)).toMatchObject({ status: 'active', owner: { state: 'closing' } });
  await t.storage.closeAccount(id, t.clock.nowMs, false);
  expect(await find(code)).toMatchObject({ owner: { state: 'closed', username: null, email: null } });
});

test('a code that was stopped takes no tip, and its owner reads of it and makes a new one, which is another', async () => {
  const { t, provider, code, other, find, stop, give, readAbout, readLog } = await openScene();
  await give(code);
  // Remembered look-ups are no way around.
  expect(await t.trpc().qrCodes.lookup.query({ id: code })).toMatchObject({ qrCode: { status: 'active' } });
  const at = new Date(t.clock.nowMs).toISOString();
  expect(await stop(code)).toMatchObject({
    id: code,
    status: 'retired',
    acts: [{ text: 'Stopped a code', by: 'ops@example.com', reason: 'Stolen', at }],
  });
  await expect(give(code)).rejects.toMatchObject({ message: expect.stringContaining('no longer in use') });
  await expect(t.trpc().qrCodes.lookup.query({ id: code })).rejects.toThrow('no longer in use');
  await expect(provider.trpc.qrCodes.update.mutate({ id: code, status: 'active' })).rejects.toThrow();
  await give(other, 'dj');
  await expect(stop(code)).rejects.toMatchObject({ data: { errorCode: 'qr_code_retired' } });
  await expect(stop('ABCDE-FGHJK')).rejects.toMatchObject({ data: { errorCode: 'qr_code_not_found' } });
  expect(await readLog()).toMatchObject([{ action: 'code_stopped', subject: code, reason: 'Stolen' }]);
  for (const about of [code, `${code.slice(0, 5)}-${code.slice(5)}`.toLowerCase()])
    expect(await readAbout(about), about).toMatchObject([{ action: 'code_stopped' }]);
  expect(await provider.trpc.auth.operatorActs.query()).toEqual([
    { action: 'code_stopped', text: expect.stringContaining('takes no more tips'), reason: 'Stolen', at },
  ]);
  const next = await provider.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
  expect(next.id).not.toBe(code);
  await give(next.id);
  expect((await provider.trpc.qrCodes.list.query()).map(({ id }) => id)).toEqual([other, next.id]);
  expect(await find(code)).toMatchObject({ status: 'retired' });
});

test('of tips and a stop at once, none is taken after the stop', async () => {
  const { code, provider, stop, give } = await openScene();
  const gifts = Array.from({ length: 20 }, (_, index) => [
    give(code),
    ...(index === 9 ? [stop(code)] : []),
  ]).flat();
  const answers = await Promise.allSettled(gifts);
  const taken = answers.filter(({ status }) => status === 'fulfilled').length - 1;
  const summary = await provider.trpc.transactions.summary.query({});
  expect(summary.receivedTodayCount).toBe(taken);
  await expect(give(code)).rejects.toThrow('no longer in use');
});
