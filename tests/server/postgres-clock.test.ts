/**
 * A process whose clock is not the database's: it does not start, and one that runs neither writes nor
 * forgets anything, and judges no session, until the two agree again.
 */
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { JUDGING_MS, SENDING_MS } from '#server/mail/relay.ts';
import { databaseAt } from '#server/storage/open.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { createGroundWatch } from '#server/watches.ts';
import { relayAt, startMailServer } from '#tests/support/mail-server.ts';
import { openNotificationScene } from '#tests/support/notification-scene.ts';
import { OPENING } from '#tests/support/opening.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase, createPostgresDatabase } from '#tests/support/postgres.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const TOKEN_HASH = Buffer.alloc(32, 7);

/** A storage with somebody's session, whose process has a clock that can be moved. */
async function createScene() {
  const url = await createMigratedDatabase();
  const database = databaseAt({ engine: 'postgres', url });
  const offset = { ms: 0 };
  const clock = () => Date.now() + offset.ms;
  const storage = await database.openForServer({ ...OPENING, clock });
  onTestFinished(() => storage.close());
  const { customer, provider, tip } = await createPeople(storage).setTheScene();
  const session = {
    tokenHash: TOKEN_HASH,
    userId: customer.id,
    createdAtMs: Date.now(),
    expiresAtMs: Date.now() + 30 * DAY_MS,
    device: '',
  };
  expect(await storage.createSession(session, 'none', 50)).toBe('created');
  const lines: { level: number; msg: string; reason?: string }[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return {
    database,
    storage,
    offset,
    clock,
    customer,
    provider,
    tip,
    lines,
    look: createGroundWatch({ storage, clock, log }),
  };
}

test.each([
  [
    'ahead',
    40 * DAY_MS,
    /^The clock of this machine is 40 days ahead of that of the database \(.+Z here, .+Z there\): set the one that is wrong\.$/,
  ],
  ['behind', -4 * MINUTE_MS, /^The clock of this machine is \d minutes behind that of the database/],
  [
    'a little ahead, by more than half of the shortest claim of an outbox,',
    45_000,
    /^The clock of this machine is 4\d seconds ahead of that of the database/,
  ],
])('a process does not start while its clock is %s', async (_, offsetMs, sentence) => {
  const url = await createPostgresDatabase();
  const database = databaseAt({ engine: 'postgres', url });
  const opening = { ...OPENING, clock: () => Date.now() + offsetMs };
  await expect(database.openForServer(opening)).rejects.toThrow(
    expect.objectContaining({ name: 'DatabaseRefused', message: expect.stringMatching(sentence) }),
  );
});

test('a running process whose clock jumps ahead by 40 days ends no session and writes nothing, says so, and goes on once it is right', async () => {
  const { storage, offset, clock, customer, provider, tip, lines, look } = await createScene();
  const isAlive = async () => (await storage.findSession(TOKEN_HASH, Date.now())) !== null;
  expect(await look()).toBe(true);
  expect(await isAlive()).toBe(true);
  offset.ms = 40 * DAY_MS;
  expect(await look()).toBe(false);
  expect(await look()).toBe(false);

  const writes = [
    () => storage.forgetExpiredSessions(clock(), 500),
    () => storage.forgetEndedAttempts(clock(), 500),
    () => storage.recordTip(tip()),
    () => storage.endSession(TOKEN_HASH),
    () => storage.proveWritable(),
    () =>
      storage.takeAttempt([{ limit: 'login', account: 'a', address: '', maxCount: 1, windowMs: 1 }], clock()),
  ];
  for (const write of writes) await expect(write()).rejects.toThrow(StorageUnavailable);
  // Whoever was told that their session is over would throw its token away.
  await expect(storage.findSession(TOKEN_HASH, clock())).rejects.toThrow(StorageUnavailable);
  expect(await storage.findEndedSessions([TOKEN_HASH], clock())).toEqual([]);
  expect(await storage.listEntriesSince(provider.id, 0, 9)).toEqual([]);
  expect(await storage.findCredentials(customer.email)).not.toBeNull();

  offset.ms = 0;
  expect(await look()).toBe(true);
  expect(await isAlive()).toBe(true);
  expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
  expect(lines).toMatchObject([
    {
      level: 50,
      msg: 'NOTHING IS SAVED: writes are refused',
      reason: expect.stringMatching(/^The clock of this machine is 40 days ahead/),
    },
    { level: 30, msg: 'writes are taken again' },
  ]);
});

test('a database that answers late is not taken for one with another clock', async () => {
  const { storage } = await createScene();
  let readings = 0;
  // As if the answer had taken ten minutes.
  const clock = () => Date.now() + (readings++ === 0 ? -5 : 5) * MINUTE_MS;
  expect(await storage.checkGround(clock)).toBeNull();
});

test('nobody says that all is well while the database does not answer', async () => {
  const { storage, look, lines } = await createScene();
  await storage.close();
  expect(await look()).toBe(false);
  expect(lines).toMatchObject([{ level: 40 }]);
});

test('a process that is ahead by the most that is accepted leaves to another the mail that it is handing over', async () => {
  const server = await startMailServer();
  const config = { mail: relayAt(server) };
  const t = await createTestApp({ config });
  const ahead = await createTestApp({ config, data: t.data });
  onTestFinished(async () => {
    await Promise.all([t.app.endMails(), ahead.app.endMails()]);
    await server.close();
  });
  const { token } = await t.registerCustomer('cam');
  await t.trpc(token).auth.sendConfirmation.mutate();
  server.plan({ at: 'data', is: 'held', until: new Promise(() => {}) });
  void t.app.sendMails();
  await expect.poll(() => server.connections()).toBe(1);
  ahead.clock.nowMs = t.clock.nowMs + SENDING_MS + JUDGING_MS + MINUTE_MS;
  await ahead.app.sendMails();
  expect(server.connections()).toBe(1);
  ahead.clock.nowMs += MINUTE_MS;
  await ahead.app.sendMails();
  expect(server.taken).toHaveLength(1);
});

test('a process that is ahead by the most that is accepted leaves to another the devices that it is telling', async () => {
  const { t, service, addDevice, giveTips } = await openNotificationScene();
  await addDevice();
  service.plan({ is: 'held', until: new Promise(() => {}) });
  await giveTips(1);
  // What is under way never ends, as at a push service that does not answer.
  void t.app.sendNotifications();
  await expect.poll(() => service.requests()).toBe(1);
  const ahead = await createTestApp({ data: t.data });
  ahead.clock.nowMs = t.clock.nowMs + MINUTE_MS;
  await ahead.app.sendNotifications();
  expect(service.requests()).toBe(1);
  ahead.clock.nowMs += MINUTE_MS;
  await ahead.app.sendNotifications();
  expect(service.requests()).toBe(2);
});
