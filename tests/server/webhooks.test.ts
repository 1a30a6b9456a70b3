/** Webhooks through the app: who is told what, in which order, how often, and what their owner hears of it. */
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { relayAt, startMailServer } from '#tests/support/mail-server.ts';
import { openNotificationScene } from '#tests/support/notification-scene.ts';
import { typePassword } from '#tests/support/people.ts';
import { type ReceivedEvent, startWebhookReceiver } from '#tests/support/webhook-receiver.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
const ALL = [
  'tip.received',
  'tip.refunded',
  'tip.changed',
  'tip.thanked',
  'code.changed',
  'statement.ready',
] as const;

beforeEach(() => {
  // Receivers check how old a message is, by the clock of the machine.
  vi.useFakeTimers({ toFake: ['Date'] });
  onTestFinished(() => void vi.useRealTimers());
});

async function openScene(options: Parameters<typeof openNotificationScene>[0] = {}) {
  const scene = await openNotificationScene(options);
  const { t, provider } = scene;
  vi.setSystemTime(t.clock.nowMs);
  const receiver = await startWebhookReceiver();
  onTestFinished(async () => {
    await t.app.endWebhooks();
    await receiver.close();
    expect(receiver.problems).toEqual([]);
  });

  async function addWebhook(name = 'till', events: readonly (typeof ALL)[number][] = ALL, owner = provider) {
    const { url, endpoint } = receiver.open(name);
    const added = await owner.trpc.webhooks.add.mutate({ url, events: [...events] });
    endpoint.secrets = [added.secret];
    return { ...added, endpoint };
  }
  const look = () => t.app.tellWebhooks();
  /** Lets time pass, and looks at what is due in the end. */
  async function pass(ms: number) {
    t.clock.nowMs += ms;
    vi.setSystemTime(t.clock.nowMs);
    await look();
  }
  const only = async () => {
    const [webhook] = await provider.trpc.webhooks.list.query();
    if (!webhook) throw new Error('there is no webhook');
    return webhook;
  };
  return { ...scene, receiver, addWebhook, look, pass, only };
}

type Owner = Awaited<ReturnType<typeof openScene>>['provider']['trpc'];

const typesOf = (events: readonly ReceivedEvent[]) => events.map(({ type }) => type);

describe('a webhook', () => {
  test('is told all that the list of events has from then on, in its words, its order and its ids', async () => {
    const { t, provider, code, giveTips, addWebhook, look, pass } = await openScene();
    await giveTips(1);
    const { endpoint } = await addWebhook();
    const { next_cursor: before } = (await t.rest('GET', '/events?after=latest', { token: provider.token }))
      .body;
    const [id = ''] = await giveTips(1);
    await look();
    expect(typesOf(endpoint.events)).toEqual(['tip.received']);
    await provider.trpc.messages.thank.mutate({ id, text: 'Cheers' });
    await provider.trpc.qrCodes.update.mutate({ id: code.id, greeting: 'Hello' });
    await provider.trpc.transactions.refund.mutate({ id });
    await giveTips(30);
    await pass(SECOND_MS);
    await pass(SECOND_MS);
    const { body } = await t.rest('GET', `/events?after=${before}`, { token: provider.token });
    expect(body.events).toHaveLength(34);
    expect(endpoint.events).toEqual(body.events);
    await pass(60 * SECOND_MS);
    expect(endpoint.requests).toBe(34);
  });

  test('is told the types that it asked for, of its account alone', async () => {
    const { t, customer, code, provider, giveTips, addWebhook, look } = await openScene();
    const refunds = await addWebhook('refunds', ['tip.refunded']);
    const codes = await addWebhook('codes', ['code.changed']);
    const other = await addWebhook('other', ALL, await t.registerProvider('kim'));
    const giver = await addWebhook('giver', ALL, customer);
    const [id = ''] = await giveTips(3);
    await provider.trpc.transactions.refund.mutate({ id });
    await provider.trpc.qrCodes.update.mutate({ id: code.id, greeting: 'Hello' });
    await look();
    expect(typesOf(refunds.endpoint.events)).toEqual(['tip.refunded']);
    expect(typesOf(codes.endpoint.events)).toEqual(['code.changed']);
    expect([other.endpoint.requests, giver.endpoint.requests]).toEqual([0, 0]);
  });

  test('that fails is tried ten times in three days while the rest waits, and goes on where it stopped', async () => {
    const mailServer = await startMailServer();
    const { t, provider, receiver, giveTips, addDevice, addWebhook, look, pass, only } = await openScene({
      config: { mail: relayAt(mailServer) },
    });
    onTestFinished(async () => {
      await t.app.endMails();
      await mailServer.close();
    });
    await t.data.run(
      'UPDATE mail_settings SET confirmed_at_ms = 1, time_zone = $2 WHERE user_id = $1',
      provider.user.id,
      'UTC',
    );
    const device = await addDevice();
    const { id, endpoint, url } = await addWebhook();
    receiver.keep(url, { is: 'status', status: 500, body: 'out of paper' });
    const ids = await giveTips(2);
    const startMs = t.clock.nowMs;
    const triedAtMs: number[] = [];
    await look();
    for (let tries = 1; (await only()).isOn; tries += 1) {
      expect(endpoint.requests).toBe(tries);
      triedAtMs.push(t.clock.nowMs - startMs);
      const { failingSince, nextTryAt } = await only();
      expect(failingSince).toBe(new Date(startMs).toISOString());
      await pass(Date.parse(nextTryAt ?? '') - t.clock.nowMs - 1);
      expect(endpoint.requests).toBe(tries);
      await pass(1);
    }
    triedAtMs.push(t.clock.nowMs - startMs);
    expect(triedAtMs).toHaveLength(10);
    const pauses = triedAtMs.slice(1).map((ms, index) => ms - (triedAtMs[index] ?? 0));
    for (const [index, pause] of pauses.slice(1, -1).entries())
      expect(pause).toBeGreaterThan(pauses[index] ?? 0);
    const [lastMs = 0] = triedAtMs.slice(-1);
    expect(lastMs).toBeGreaterThan(64 * HOUR_MS);
    expect(lastMs).toBeLessThan(80 * HOUR_MS);
    expect(await only()).toMatchObject({ isOn: false, offReason: 'failed', nextTryAt: null });

    await pass(SECOND_MS);
    await t.app.sendMails();
    await t.app.sendMails();
    expect(device.told()).toEqual([{ v: 1, kind: 'webhook', host: new URL(url).host, tag: 'webhook' }]);
    expect(mailServer.taken.map(({ to, headers }) => [headers.get('subject'), ...to])).toEqual([
      ['A webhook was switched off', 'pat@example.com'],
    ]);
    expect(mailServer.taken[0]?.text).toContain(new URL(url).host);
    expect(mailServer.taken[0]?.text).toContain('/dashboard?tab=profile&open=api');
    await pass(HOUR_MS);
    expect([endpoint.requests, device.told().length]).toEqual([10, 1]);

    receiver.keep(url, undefined);
    await typePassword(t, provider);
    await provider.trpc.webhooks.change.mutate({ id, isOn: true });
    await look();
    expect(endpoint.events.map(({ data }) => data['transaction_id'])).toEqual(ids);
    expect(await only()).toMatchObject({ isOn: true, failingSince: null, offReason: null });
    const deliveries = await provider.trpc.webhooks.deliveries.query({ id });
    expect(deliveries.map(({ status }) => status)).toEqual([204, 204, ...Array(10).fill(500)]);
    expect(deliveries[2]).toMatchObject({ isDelivered: false, answer: 'out of paper', type: 'tip.received' });
  });

  test('that answers 410 is switched off at once, and on again from then on', async () => {
    const { provider, receiver, giveTips, addWebhook, look, only } = await openScene();
    const { id, endpoint, url } = await addWebhook();
    receiver.plan(url, { is: 'status', status: 410 });
    await giveTips(2);
    await look();
    expect(await only()).toMatchObject({ isOn: false, offReason: 'gone' });
    expect(endpoint.requests).toBe(1);
    await provider.trpc.webhooks.change.mutate({ id, isOn: true, skipsMissed: true });
    const [later] = await giveTips(1);
    await look();
    expect(endpoint.events.map(({ data }) => data['transaction_id'])).toEqual([later]);
  });

  test('is signed by two secrets for a day after the first was replaced', async () => {
    const { provider, giveTips, addWebhook, pass } = await openScene();
    const { id, endpoint, secret } = await addWebhook();
    const next = await provider.trpc.webhooks.rotate.mutate({ id });
    expect(next.secret).not.toBe(secret);
    expect(Buffer.from(next.secret.replace('whsec_', ''), 'base64')).toHaveLength(32);
    for (const [secrets, ms, count] of [
      [[secret], 1, 2],
      [[next.secret], 24 * HOUR_MS - 2, 2],
      [[next.secret], 2, 1],
    ] as const) {
      endpoint.secrets = [...secrets];
      await giveTips(1);
      await pass(ms);
      expect(endpoint.signatures.at(-1)?.split(' ')).toHaveLength(count);
    }
    expect(endpoint.events).toHaveLength(3);
    expect(JSON.stringify(await provider.trpc.webhooks.list.query())).not.toContain('secret":');
  });

  test('is signed by every secret of the last day where its owner replaced one more than once', async () => {
    const { t, provider, giveTips, addWebhook, pass } = await openScene();
    const { id, endpoint, secret } = await addWebhook();
    const rotate = async () => (await provider.trpc.webhooks.rotate.mutate({ id })).secret;
    // The owner had no answer, and asked again: nobody knows the secret between.
    const lost = await rotate();
    t.clock.nowMs += 60_000;
    const next = await rotate();
    for (const known of [secret, lost, next]) {
      endpoint.secrets = [known];
      await giveTips(1);
      await pass(1);
    }
    expect(endpoint.events).toHaveLength(3);
    for (let count = 0; count < 5; count += 1) endpoint.secrets = [await rotate()];
    await giveTips(1);
    await pass(1);
    expect(endpoint.signatures.at(-1)?.split(' ')).toHaveLength(4);
    t.clock.nowMs += 24 * HOUR_MS;
    await typePassword(t, provider);
    endpoint.secrets = [await rotate()];
    await giveTips(1);
    await pass(1);
    expect(endpoint.signatures.at(-1)?.split(' ')).toHaveLength(2);
  });

  test.each([
    ['removes it', (owner: Owner, id: string) => owner.webhooks.remove.mutate({ id })],
    ['switches it off', (owner: Owner, id: string) => owner.webhooks.change.mutate({ id, isOn: false })],
    [
      'sends it elsewhere',
      (owner: Owner, id: string) => owner.webhooks.change.mutate({ id, url: 'https://till.example.com/a' }),
    ],
    ['replaces its secret', (owner: Owner, id: string) => owner.webhooks.rotate.mutate({ id })],
  ])('is called no more as it was once its owner %s, also in the middle of many events', async (_, change) => {
    const { provider, receiver, giveTips, addWebhook, look } = await openScene();
    const { id, endpoint, url } = await addWebhook();
    let goOn = () => {};
    receiver.plan(url, { is: 'held', until: new Promise<void>((resolve) => (goOn = resolve)) });
    await giveTips(5);
    const looking = look();
    await expect.poll(() => endpoint.requests).toBe(1);
    await change(provider.trpc, id);
    goOn();
    await looking;
    expect(endpoint.requests).toBe(1);
  });

  test('is sent a test, and any event again, and then what waited', async () => {
    const { provider, receiver, giveTips, addWebhook, look, only } = await openScene();
    const { id, endpoint, url } = await addWebhook();
    receiver.plan(url, { is: 'status', status: 503 });
    const [first] = await giveTips(2);
    await look();
    expect((await only()).failingSince).not.toBeNull();
    const [failed] = await provider.trpc.webhooks.deliveries.query({ id });
    const tested = await provider.trpc.webhooks.test.mutate({ id });
    expect(tested).toMatchObject({ type: 'webhook.test', isDelivered: true, status: 204 });
    await look();
    expect(typesOf(endpoint.events)).toEqual(['webhook.test', 'tip.received', 'tip.received']);
    const again = await provider.trpc.webhooks.sendAgain.mutate({ id, eventId: failed?.eventId ?? '' });
    expect(again).toMatchObject({ isDelivered: true, eventId: failed?.eventId });
    expect(endpoint.events.at(-1)).toEqual(endpoint.events[1]);
    expect(endpoint.events[1]?.data['transaction_id']).toBe(first);
    await expect(provider.trpc.webhooks.sendAgain.mutate({ id, eventId: tested.eventId })).rejects.toThrow();
    expect(await provider.trpc.webhooks.deliveries.query({ id })).toHaveLength(5);
  });

  test('is not given up while its owner tries it by hand and it takes that', async () => {
    const { provider, receiver, giveTips, addWebhook, pass, only } = await openScene();
    const { id, endpoint, url } = await addWebhook();
    await giveTips(1);
    for (let tries = 0; tries < 12; tries += 1) {
      receiver.plan(url, { is: 'status', status: 500 });
      await pass(SECOND_MS);
      expect(endpoint.requests).toBe(2 * tries + 1);
      await provider.trpc.webhooks.test.mutate({ id });
    }
    expect(await only()).toMatchObject({ isOn: true, offReason: null });
    await pass(SECOND_MS);
    expect(typesOf(endpoint.events).at(-1)).toBe('tip.received');
  });

  test('that has more to be told than one turn goes behind those that wait for theirs', async () => {
    const { t, giveTips, addWebhook, look } = await openScene();
    const { endpoint } = await addWebhook();
    await giveTips(21);
    await look();
    expect(endpoint.requests).toBe(20);
    expect((await t.data.dump())['webhooks']).toEqual([
      expect.objectContaining({ next_try_ms: t.clock.nowMs, claimed_until_ms: 0 }),
    ]);
    await look();
    expect(endpoint.requests).toBe(21);
  });

  test('that is slow, or never ends, keeps no other waiting', async () => {
    const { t, receiver, addWebhook, look } = await openScene();
    const held = new Promise<void>((resolve) => onTestFinished(() => resolve()));
    const slow = await Promise.all(
      Array.from({ length: 12 }, async (_, index) => {
        const person = await t.registerProvider(`slow${index}`);
        const webhook = await addWebhook(`slow${index}`, ALL, person);
        receiver.keep(webhook.url, { is: 'held', until: held });
        return { person, webhook };
      }),
    );
    // Every host has places of its own; here they are one host.
    const local = await startWebhookReceiver();
    onTestFinished(() => local.close());
    const kim = await t.registerProvider('kim');
    const { url, endpoint } = local.open('kim');
    endpoint.secrets = [(await kim.trpc.webhooks.add.mutate({ url, events: [...ALL] })).secret];
    for (const { person } of [...slow, { person: kim }])
      await person.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
    void look();
    await expect.poll(() => endpoint.events.length).toBe(1);
    expect(slow.every(({ webhook }) => webhook.endpoint.requests <= 1)).toBe(true);
  });
});

describe('the owner of webhooks', () => {
  test('sends two at once by hand, and takes no place from the events of others', async () => {
    const { t, giveTips, addWebhook, look } = await openScene();
    const victim = await addWebhook();
    let goOn = () => {};
    const until = new Promise<void>((resolve) => (goOn = resolve));
    const tests: Promise<unknown>[] = [];
    const endpoints: { readonly requests: number }[] = [];
    let refused = 0;
    for (const [name, count] of [
      ['kim', 5],
      ['lee', 1],
    ] as const) {
      const owner = await t.registerProvider(name);
      for (let added = 0; added < count; added += 1) {
        // Each is a host of its own.
        const local = await startWebhookReceiver();
        onTestFinished(() => local.close());
        const { url, endpoint } = local.open('a');
        local.keep(url, { is: 'held', until });
        const { id, secret } = await owner.trpc.webhooks.add.mutate({ url, events: [...ALL] });
        endpoint.secrets = [secret];
        endpoints.push(endpoint);
        for (let sent = 0; sent < 4; sent += 1)
          tests.push(
            owner.trpc.webhooks.test.mutate({ id }).catch((error: unknown) => {
              expect(String(error)).toContain('busy');
              refused += 1;
            }),
          );
      }
    }
    const under = () => endpoints.reduce((sum, { requests }) => sum + requests, 0);
    await expect.poll(() => under() + refused).toBe(24);
    await giveTips(1);
    const looking = look();
    await expect.poll(() => victim.endpoint.requests).toBe(1);
    expect(under()).toBe(4);
    goOn();
    await Promise.all([looking, ...tests]);
  });

  test('has five at most, each at a URL that may be called', async () => {
    const { provider, addWebhook } = await openScene({ config: { allowsLoopbackWebhooks: false } });
    const add = (url: string) => provider.trpc.webhooks.add.mutate({ url, events: ['tip.received'] });
    await expect(addWebhook()).rejects.toThrow('https address');
    for (const refused of ['https://till.example.com:8443/tips', 'https://8.8.8.8/tips'])
      await expect(add(refused)).rejects.toThrow('on port 443, under a name of the public internet');
    const inCapitals = await add('https://Till.EXAMPLE.com/Tips');
    expect(inCapitals.url).toBe('https://till.example.com/Tips');
    await provider.trpc.webhooks.remove.mutate({ id: inCapitals.id });
    for (let count = 0; count < 5; count += 1) await add('https://till.example.com/a');
    await expect(add('https://till.example.com/a')).rejects.toThrow('You can have 5 webhooks');
    const [{ id } = { id: '' }] = await provider.trpc.webhooks.list.query();
    await expect(provider.trpc.webhooks.change.mutate({ id, url: 'https://10.0.0.1/a' })).rejects.toThrow(
      'https address',
    );
    await provider.trpc.webhooks.remove.mutate({ id });
    await add('https://till.example.com/b');
  });
});
