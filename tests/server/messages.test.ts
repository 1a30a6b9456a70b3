/**
 * Messages between giver and receiver through both doors: who is told what, at once and later; and that somebody
 * who is blocked sees nothing that differs.
 */
import { describe, expect, test } from 'vitest';
import { call, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { createPaidApp } from '#tests/support/paid-app.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';

const MESSAGE = 'Best Negroni in town';
const ANSWER = 'See you on Friday!';

async function openScene(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  return { t, ...(await sceneOf(t)) };
}

async function sceneOf(t: TestApp) {
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 2_000, serviceCategory: 'bartender' } as const;
  return { provider, customer, code, tip };
}

/** A field of an answer, by its name in the procedures, whatever the door calls it. */
function told(door: Door, result: unknown, fields: readonly string[]) {
  const named = Object(result);
  return Object.fromEntries(
    fields.map((field) => {
      const snake = field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [field, named[door === 'REST' ? snake : field]];
    }),
  );
}
const FIELDS = ['message', 'giverName', 'wordsHidden', 'reportedAt', 'thankYou', 'thankedAt'];
const NOTHING = {
  message: null,
  giverName: null,
  wordsHidden: false,
  reportedAt: null,
  thankYou: null,
  thankedAt: null,
};

describe.each(DOORS)('through %s', (door) => {
  const messagesOf = (result: unknown) => told(door, result, FIELDS);

  test('a message and a name reach the receiver, and nobody else', async () => {
    const { t, provider, customer, tip } = await openScene();
    const stranger = await t.registerCustomer('sam');
    const words = { message: `  ${MESSAGE} `, withName: true };
    const given = resultOf(await call(door, t, 'transactions.create', { ...tip, ...words }, customer));
    expect(messagesOf(given)).toEqual(NOTHING);
    const { id } = Object(given);
    const get = async (options: { token: string }) => call(door, t, 'transactions.get', { id }, options);
    expect(messagesOf(resultOf(await get(provider)))).toEqual({
      ...NOTHING,
      message: MESSAGE,
      giverName: customer.user.fullName,
    });
    expect(messagesOf(resultOf(await get(customer)))).toEqual(NOTHING);
    expect(refusedBy(door, await get(stranger)).code).toBe('transaction_not_found');
    for (const [person, message] of [
      [provider, MESSAGE],
      [customer, null],
    ] as const) {
      const { transactions } = await person.trpc.transactions.list.query({});
      expect(transactions.map((each) => each.message)).toEqual([message]);
    }
  });

  test('without a choice nothing is told, and the name is the one of that moment', async () => {
    const { t, provider, customer, tip } = await openScene();
    await call(door, t, 'transactions.create', tip, customer);
    await call(door, t, 'transactions.create', { ...tip, withName: true }, customer);
    await customer.trpc.auth.updateProfile.mutate({ fullName: 'Somebody Else' });
    const { transactions } = await provider.trpc.transactions.list.query({});
    expect(transactions.map(({ message, giverName }) => [message, giverName])).toEqual([
      [null, customer.user.fullName],
      [null, null],
    ]);
  });

  test('the receiver hears of words live, and so does the giver of the answer to them', async () => {
    const { t, provider, customer, tip } = await openScene();
    const ofProvider = await openStream(t.send, door, provider);
    const ofCustomer = await openStream(t.send, door, customer);
    for (const stream of [ofProvider, ofCustomer]) await stream.start();
    const { id } = await customer.trpc.transactions.create.mutate({ ...tip, message: MESSAGE });
    const seen = await ofProvider.next();
    expect(messagesOf(JSON.parse(seen?.data ?? ''))).toMatchObject({ message: MESSAGE, giverName: null });
    expect(messagesOf(JSON.parse((await ofCustomer.next())?.data ?? ''))).toEqual(NOTHING);

    const thanked = await call(door, t, 'messages.thank', { id, text: ANSWER }, provider);
    const answer = { thankYou: ANSWER, thankedAt: new Date(t.clock.nowMs).toISOString() };
    expect(messagesOf(resultOf(thanked))).toMatchObject({ message: MESSAGE, ...answer });
    const heard = await ofCustomer.next();
    expect(heard).toMatchObject({ id, name: door === 'REST' ? 'tip' : 'message' });
    expect(messagesOf(JSON.parse(heard?.data ?? ''))).toEqual({ ...NOTHING, ...answer });
    // Nothing more is told: the next event is that of the next tip.
    const { id: next } = await customer.trpc.transactions.create.mutate(tip);
    for (const stream of [ofProvider, ofCustomer]) {
      expect(await stream.next()).toMatchObject({ id: next });
      await stream.close();
    }
    const again = await customer.trpc.transactions.get.query({ id });
    expect(again).toMatchObject(answer);
  });

  test('an answer is given once, and again only when it is the same', async () => {
    const { t, provider, customer, tip } = await openScene();
    const { id } = await customer.trpc.transactions.create.mutate(tip);
    const thank = (text: string, by = provider) => call(door, t, 'messages.thank', { id, text }, by);
    expect(refusedBy(door, await thank(ANSWER, customer)).code).toBe('transaction_not_found');
    expect(refusedBy(door, await thank('   ')).code).toBe('invalid_input');
    expect(refusedBy(door, await thank('www.example.com')).code).toBe('invalid_input');
    const first = resultOf(await thank(ANSWER));
    t.clock.nowMs += 60_000;
    expect(resultOf(await thank(` ${ANSWER}`))).toEqual(first);
    expect(refusedBy(door, await thank('Another')).code).toBe('thanked_already');
  });

  test('what the tip page says to givers stands in the answer at once, until there is a better one', async () => {
    const { t, provider, customer, code, tip } = await openScene();
    const thankYou = 'Cheers from the whole bar';
    const changed = await call(door, t, 'qrCodes.update', { id: code.id, thankYou }, provider);
    expect(told(door, resultOf(changed), ['thankYou'])).toEqual({ thankYou });
    const given = resultOf(await call(door, t, 'transactions.create', tip, customer));
    expect(messagesOf(given)).toEqual({ ...NOTHING, thankYou });
    const { id } = Object(given);
    await provider.trpc.messages.thank.mutate({ id, text: ANSWER });
    const get = () => call(door, t, 'transactions.get', { id }, customer);
    expect(messagesOf(resultOf(await get()))).toMatchObject({ thankYou: ANSWER });
    const { id: refunded } = await customer.trpc.transactions.create.mutate(tip);
    const back = await call(door, t, 'transactions.refund', { id: refunded }, customer);
    expect(messagesOf(resultOf(back))).toEqual(NOTHING);
  });

  test('a receiver hides words and shows them again, and the giver is told of neither', async () => {
    const { t, provider, customer, tip } = await openScene();
    const words = { message: MESSAGE, withName: true };
    const { id } = await customer.trpc.transactions.create.mutate({ ...tip, ...words });
    const before = await customer.trpc.transactions.get.query({ id });
    const hide = async (hidden: boolean) =>
      messagesOf(resultOf(await call(door, t, 'messages.hide', { id, hidden }, provider)));
    expect(await hide(true)).toEqual({ ...NOTHING, wordsHidden: true });
    expect((await provider.trpc.transactions.list.query({})).transactions[0]).toMatchObject({
      message: null,
      giverName: null,
      wordsHidden: true,
    });
    expect(await customer.trpc.transactions.get.query({ id })).toEqual(before);
    expect(await hide(false)).toMatchObject({ message: MESSAGE, giverName: customer.user.fullName });
    const reported = messagesOf(resultOf(await call(door, t, 'messages.report', { id }, provider)));
    const reportedAt = new Date(t.clock.nowMs).toISOString();
    expect(reported).toEqual({ ...NOTHING, wordsHidden: true, reportedAt });
    expect(await customer.trpc.transactions.get.query({ id })).toEqual(before);
    expect(await t.storage.messages.listReports(10)).toMatchObject([
      { transactionId: id, message: MESSAGE, giver: { email: customer.user.email } },
    ]);
    // A report that the operator has settled is not opened, nor told, once more.
    expect(await t.storage.messages.settleReport(id, t.clock.nowMs)).toBe(true);
    expect(await hide(false)).toMatchObject({ message: MESSAGE, reportedAt });
    t.clock.nowMs += 1_000;
    expect(messagesOf(resultOf(await call(door, t, 'messages.report', { id }, provider)))).toEqual(reported);
    expect(await t.storage.messages.listReports(10)).toEqual([]);
    expect(t.logLines.filter((line) => line.includes('words were reported'))).toHaveLength(1);
  });

  test('somebody who is blocked is answered as where the code is paused, to the letter', async () => {
    const { t, provider, customer, code, tip } = await openScene();
    const { id } = await customer.trpc.transactions.create.mutate({ ...tip, message: MESSAGE });
    const known = await customer.trpc.transactions.get.query({ id });
    expect(resultOf(await call(door, t, 'messages.block', { id }, provider))).toBeNull();

    /** What an answer says, without what is of this request alone. */
    const ask = async (input: object) => {
      const { status, headers, text } = await call(door, t, 'transactions.create', input, customer);
      const { requestId, code } = refusedBy(door, { status, headers, text });
      const shown = [...headers].filter(([name]) => name !== 'x-request-id');
      return { code, status, shown, text: text.replaceAll(requestId, 'REQUEST') };
    };
    const inputs = [
      tip,
      { ...tip, message: MESSAGE, withName: true },
      { ...tip, serviceCategory: 'dj' },
      { ...tip, idempotencyKey: 'a-key' },
    ];
    const blocked = [];
    for (const input of inputs) blocked.push(await ask(input));
    await provider.trpc.messages.unblock.mutate({ giverId: await pseudonymOf(provider) });
    await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'paused' });
    const paused = [];
    for (const input of inputs) paused.push(await ask(input));
    expect(blocked).toEqual(paused);
    expect(new Set(blocked.map((answer) => answer.code))).toEqual(new Set(['qr_code_paused']));

    await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'active' });
    await provider.trpc.messages.block.mutate({ id });
    // What they gave before is as it was, and others can still tip.
    expect(await customer.trpc.transactions.get.query({ id })).toEqual(known);
    const other = await t.registerCustomer('sam');
    expect((await call(door, t, 'transactions.create', tip, other)).status).toBeLessThan(300);
    expect(resultOf(await call(door, t, 'messages.blocked', undefined, provider))).toMatchObject([
      { tip: { id } },
    ]);
    expect(resultOf(await call(door, t, 'messages.blocked', undefined, customer))).toEqual([]);
  });

  test('the page of a provider shows to whoever is blocked what a paused code shows', async () => {
    const { t, provider, customer, code, tip } = await openScene();
    const { id } = await customer.trpc.transactions.create.mutate(tip);
    await provider.trpc.qrCodes.update.mutate({ id: code.id, isListed: true });
    const pageFor = async (person: { readonly token?: string }) =>
      (await call(door, t, 'qrCodes.provider', { username: 'pat' }, person)).text;
    const active = await pageFor(customer);
    await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'paused' });
    const paused = await pageFor(customer);
    await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'active' });
    await provider.trpc.messages.block.mutate({ id });
    expect(paused).not.toBe(active);
    expect(await pageFor(customer)).toBe(paused);
    expect(await pageFor({})).toBe(active);
    expect(await pageFor(provider)).toBe(active);
  });

  test('a look-up and a payment say the same to whoever is blocked, for as long as they are logged in', async () => {
    const { t, provider, customer, code, tip } = await openScene();
    const { id } = await customer.trpc.transactions.create.mutate(tip);
    const statusFor = async (person: { readonly token?: string }) => {
      const found = resultOf(await call(door, t, 'qrCodes.lookup', { id: code.id }, person));
      const { qrCode, qr_code } = Object(found);
      return (qrCode ?? qr_code).status;
    };
    const paused = async () => {
      await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'paused' });
      const answer = await call(door, t, 'qrCodes.lookup', { id: code.id }, customer);
      await provider.trpc.qrCodes.update.mutate({ id: code.id, status: 'active' });
      return answer.text;
    };
    expect(await statusFor(customer)).toBe('active');
    const asPaused = await paused();
    await provider.trpc.messages.block.mutate({ id });
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await statusFor(customer)).toBe('paused');
      expect((await call(door, t, 'qrCodes.lookup', { id: code.id }, customer)).text).toBe(asPaused);
      expect(await statusFor({})).toBe('active');
      expect(await statusFor(provider)).toBe('active');
      expect(await statusFor({ token: 'x'.repeat(43) })).toBe('active');
    }
    await provider.trpc.qrCodes.update.mutate({ id: code.id, displayName: 'Another name' });
    expect(await statusFor(customer)).toBe('paused');
    await provider.trpc.messages.unblock.mutate({ giverId: await pseudonymOf(provider) });
    expect(await statusFor(customer)).toBe('active');
  });

  test('where a code takes no words a tip with some is refused, and one without is taken', async () => {
    const { t, provider, customer, code, tip } = await openScene();
    await call(door, t, 'qrCodes.update', { id: code.id, takesWords: false }, provider);
    for (const words of [{ message: MESSAGE }, { withName: true }]) {
      const answer = await call(door, t, 'transactions.create', { ...tip, ...words }, customer);
      expect(refusedBy(door, answer).code).toBe('words_not_taken');
    }
    for (const words of [{}, { message: null }, { message: ' ' }, { withName: false }])
      expect((await call(door, t, 'transactions.create', { ...tip, ...words }, customer)).status).toBe(
        door === 'REST' ? 201 : 200,
      );
    const { qrCode } = await t.trpc().qrCodes.lookup.query({ id: code.id });
    expect(qrCode.takesWords).toBe(false);
  });

  test('the words of the operator refuse a message, a name and an answer, field by field, and move nothing', async () => {
    const { t, provider, customer, tip } = await openScene({
      blockedWords: { matches: (text) => /rude|Customer/.test(text) },
    });
    const ask = async (procedure: string, input: object, by = customer) =>
      refusedBy(door, await call(door, t, procedure, input, by));
    const { id } = await customer.trpc.transactions.create.mutate(tip);
    const before = await t.data.dump();
    const withBoth = await ask('transactions.create', { ...tip, message: 'rude', withName: true });
    expect(withBoth).toMatchObject({
      code: 'invalid_input',
      fields: [
        { field: 'message', message: 'This message cannot be sent here. Please say it in other words.' },
        {
          field: door === 'REST' ? 'with_name' : 'withName',
          message: 'Your name cannot be given here.',
        },
      ],
    });
    expect((await ask('messages.thank', { id, text: 'rude' }, provider)).code).toBe('invalid_input');
    expect(await t.data.dump()).toEqual(before);
  });

  test('a name that is a link is not given', async () => {
    const { t, customer, tip } = await openScene();
    await customer.trpc.auth.updateProfile.mutate({ fullName: 'Cam at evil.example/pay' });
    const before = await t.data.dump();
    const refused = await call(door, t, 'transactions.create', { ...tip, withName: true }, customer);
    expect(refusedBy(door, refused).fields).toEqual([
      { field: door === 'REST' ? 'with_name' : 'withName', message: 'Your name cannot be given here.' },
    ]);
    expect(await t.data.dump()).toEqual(before);
  });

  test('a guest may write, and has no name to give and no way to be blocked', async () => {
    const { t, provider, tip } = await openScene({ config: { takesGuestTips: true } });
    const given = resultOf(await call(door, t, 'transactions.create', { ...tip, message: MESSAGE }));
    const { transactions } = await provider.trpc.transactions.list.query({});
    expect(transactions[0]).toMatchObject({ message: MESSAGE, giverName: null, giverId: null });
    const named = await call(door, t, 'transactions.create', { ...tip, withName: true });
    expect(refusedBy(door, named)).toMatchObject({
      code: 'invalid_input',
      detail: 'Only somebody with an account has a name to give.',
    });
    const { id } = Object(given);
    const block = await call(door, t, 'messages.block', { id }, provider);
    expect(refusedBy(door, block).code).toBe('giver_unknown');
    await provider.trpc.messages.thank.mutate({ id, text: ANSWER });
    const receipt = Object(given)[door === 'REST' ? 'receipt_url' : 'receiptUrl'].split('/').at(-1);
    const seen = resultOf(await call(door, t, 'transactions.get', { id: receipt }));
    expect(messagesOf(seen)).toMatchObject({ thankYou: ANSWER, message: null });
  });

  test('a tip that is paid at the payment service brings its words when it is paid', async () => {
    const { t, makePayable, pay } = await createPaidApp();
    const { provider, customer, tip } = await sceneOf(t);
    await makePayable(provider);
    const words = { ...tip, message: MESSAGE, withName: true, idempotencyKey: 'one' };
    const begun = Object(resultOf(await call(door, t, 'transactions.create', words, customer)));
    expect(messagesOf(begun)).toEqual(NOTHING);
    const other = await call(door, t, 'transactions.create', { ...words, message: 'Other' }, customer);
    expect(refusedBy(door, other).code).toBe('idempotency_key_reused');
    expect((await provider.trpc.transactions.list.query({})).transactions).toEqual([]);
    await pay(begun[door === 'REST' ? 'payment_url' : 'paymentUrl']);
    expect((await provider.trpc.transactions.list.query({})).transactions).toMatchObject([
      { message: MESSAGE, giverName: customer.user.fullName },
    ]);
  });
});

test('ugly words stand in no log, no public answer, and no event of anybody else', async () => {
  const { t, provider, customer, code, tip } = await openScene();
  const stranger = await t.registerProvider('sam', ['dj']);
  const streams = [
    await openStream(t.send, 'REST', customer),
    await openStream(t.send, 'tRPC', stranger),
    await openStream(t.send, 'REST', stranger),
  ];
  const marker = 'quite-a-special-marker';
  const name = `Marked ${marker}`;
  await customer.trpc.auth.updateProfile.mutate({ fullName: name });
  const taken: string[] = [];
  for (const { text } of UGLY_STRINGS) {
    const message = `${marker} ${[...text].slice(0, 100).join('')}`;
    const answer = await call(
      'REST',
      t,
      'transactions.create',
      { ...tip, message, withName: true },
      customer,
    );
    expect(answer.text).not.toContain(marker);
    if (answer.status === 201) taken.push(Object(resultOf(answer)).id);
    else expect([422]).toContain(answer.status);
  }
  expect(taken.length).toBeGreaterThan(20);
  const [first = '', second = ''] = taken;
  await provider.trpc.messages.report.mutate({ id: first });
  await provider.trpc.messages.thank.mutate({ id: second, text: ANSWER });
  const answers = [
    await t.rest('GET', `/qr-codes/${code.id}`),
    await t.rest('GET', '/transactions', { token: customer.token }),
    await t.rest('GET', '/transactions', { token: stranger.token }),
    await t.rest('GET', `/transactions/${first}`, { token: stranger.token }),
    await t.rest('GET', `/transactions/${first}`),
  ];
  for (const { text } of answers) expect(text).not.toContain(marker);
  const received = await t.rest('GET', '/transactions', { token: provider.token });
  expect(received.text).toContain(name);
  for (const stream of streams) {
    for (let count = 0; count < (stream === streams[0] ? taken.length + 2 : 1); count += 1)
      expect((await stream.next())?.data).not.toContain(marker);
    await stream.close();
  }
  expect(t.logLines.join('\n')).not.toContain(marker);
});

test('a page of tips names those of its givers who are blocked, to their receiver alone', async () => {
  const { t, provider, customer, tip } = await openScene();
  const other = await t.registerCustomer('sam');
  await other.trpc.transactions.create.mutate(tip);
  const { id } = await customer.trpc.transactions.create.mutate(tip);
  const blockedOn = async ({ trpc }: typeof provider, limit = 10) =>
    (await trpc.transactions.list.query({ limit })).blockedGiverIds;
  expect(await blockedOn(provider)).toEqual([]);
  await provider.trpc.messages.block.mutate({ id });
  const pseudonym = await pseudonymOf(provider);
  expect(await blockedOn(provider)).toEqual([pseudonym]);
  expect(await blockedOn(customer)).toEqual([]);
  await other.trpc.transactions.create.mutate(tip);
  expect(await blockedOn(provider, 1)).toEqual([]);
  await provider.trpc.messages.unblock.mutate({ giverId: pseudonym });
  expect(await blockedOn(provider)).toEqual([]);
});

test('a page that was opened before an upgrade calls two chapters by their earlier names', async () => {
  const { t, provider, customer, tip } = await openScene();
  const { id } = await customer.trpc.transactions.create.mutate({ ...tip, message: MESSAGE });
  const headers = { Authorization: `Bearer ${provider.token}`, 'Content-Type': 'application/json' };
  const thanked = await t.send('/trpc/words.thank', {
    method: 'POST',
    headers,
    body: JSON.stringify({ id, text: ANSWER }),
  });
  expect(await thanked.json()).toMatchObject({ result: { data: { thankYou: ANSWER } } });
  const devices = await t.send('/trpc/notices.devices', { headers });
  expect(await devices.json()).toEqual({ result: { data: [] } });
});

/** The name under which the provider knows the one giver whom they have blocked. */
async function pseudonymOf({ trpc }: Awaited<ReturnType<typeof sceneOf>>['provider']): Promise<string> {
  const [blocked] = await trpc.messages.blocked.query();
  return blocked?.giverId ?? 'none';
}
