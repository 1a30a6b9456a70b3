/**
 * Nothing is left of whoever closed an account: not in the file of the database, not in its log, not in a
 * backup, and not in what the server logs. The file is searched as it lies on the disk, with the parts of its
 * pages that are not used.
 */

import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { FIRST_SWEEP_DELAY_MS } from '#server/clockwork.ts';
import { databaseAt } from '#server/storage/open.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { openDatabase } from '#server/storage/sqlite/connection.ts';
import { newPhotoName, newQrCodeId, newUserId } from '#shared/ids.ts';
import { atOnce } from '#tests/support/hurried-timers.ts';
import { OPENING } from '#tests/support/opening.ts';
import { payoutAccountOf } from '#tests/support/payment-steps.ts';
import { until } from '#tests/support/postgres-cluster.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import { startServer, stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const NOW = Date.UTC(2026, 4, 15, 12);

/** A word that occurs once. */
const newWord = () => randomBytes(9).toString('hex');

/** A provider with a history of names, and the words by which they could be found. */
async function addPerson(storage: Storage, index: number) {
  const id = newUserId(randomBytes);
  const [
    email,
    next,
    username,
    former,
    fullName,
    before,
    greeting,
    displayName,
    photo,
    hash,
    device,
    payout,
    thankYou,
    ready,
  ] = Array.from({ length: 14 }, newWord);
  const passwordHash = `$argon2id$${hash}`;
  await storage.createAccount({
    id,
    email: `${email}@Example.com`,
    username: `a${former}`,
    fullName: `Name ${before}`,
    phone: `+1 555 ${String(index).padStart(7, '0')}`,
    isServiceProvider: true,
    serviceCategories: ['dj'],
    passwordHash,
    createdAtMs: NOW,
  });
  const code = { id: newQrCodeId(randomBytes), createdAtMs: NOW };
  await storage.createQrCode(
    { ...code, userId: id, serviceCategory: 'dj' },
    { address: `https://tips.example.com/tip/${code.id}`, png: randomBytes(600) },
  );
  await storage.updateAccount(id, {
    username: `b${username}`,
    fullName: `A longer name ${fullName}`.padEnd(40 + (index % 20), '.'),
    ...(index % 3 === 0 && { email: { email: `${next}@example.com`, passwordHash } }),
  });
  await storage.updateQrCode(id, code.id, {
    greeting: `Hello ${greeting}`.padEnd(30 + (index % 90), '!'),
    displayName: `The one ${displayName}`,
    thankYou: `Thanks ${thankYou}`,
  });
  await storage.messages.saveThankYous(id, [`Cheers ${ready}`]);
  if (index % 10 === 0) {
    const jpeg = Buffer.concat([randomBytes(9_000), Buffer.from(photo ?? ''), randomBytes(9_000)]);
    await storage.setPhoto(id, code.id, { name: newPhotoName(randomBytes), jpeg });
  }
  const times = { createdAtMs: NOW, expiresAtMs: NOW * 2 };
  const session = { tokenHash: randomBytes(32), userId: id, device: `Device ${device}`, ...times };
  await storage.createSession(session, passwordHash, 50);
  await storage.payments.savePayoutAccount(
    { ...payoutAccountOf(id), accountId: `acct_${payout}`, missing: ['external_account'] },
    NOW,
  );
  const words = [email, username, former, fullName, before, greeting, displayName, hash, device, payout];
  words.push(thankYou, ready);
  if (index % 3 === 0) words.push(next);
  if (index % 10 === 0) words.push(photo);
  return { id, words };
}

/** All runs of hexadecimal digits in some files, so that many words are looked for in one go. */
function wordsIn(...files: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>();
  for (const file of files) {
    if (!existsSync(file)) continue;
    const text = readFileSync(file, 'latin1').toLowerCase();
    for (const [run] of text.matchAll(/[0-9a-f]{18,}/g))
      for (let from = 0; from + 18 <= run.length; from += 1) found.add(run.slice(from, from + 18));
  }
  return found;
}

test('after closing, no word of the people is in the file, its log or a backup, and the others are all there', async () => {
  const path = join(temporaryFolder(), 'tipwell.db');
  const database = databaseAt({ engine: 'sqlite', path });
  const storage = await database.openForServer(OPENING);
  const people: Awaited<ReturnType<typeof addPerson>>[] = [];
  for (let from = 0; from < 600; from += 100) {
    const some = Array.from({ length: 100 }, (_, index) => addPerson(storage, from + index));
    people.push(...(await Promise.all(some)));
  }
  const closed = people.filter((_, index) => index % 10 === 0);
  const others = people.filter((_, index) => index % 10 !== 0);
  await Promise.all(closed.map(({ id }) => storage.closeAccount(id, NOW, false)));
  expect(await storage.forgetRemnants()).toBe('complete');
  const backup = join(temporaryFolder(), 'backup.db');
  await database.backUp(backup, []);
  const present = others.flatMap(({ words }) => words.slice(1, 4));
  for (const files of [[path, `${path}-wal`], [backup]]) {
    const found = wordsIn(...files);
    expect(closed.flatMap(({ words }) => words).filter((word) => word && found.has(word))).toEqual([]);
    expect(present.filter((word) => word && !found.has(word))).toEqual([]);
  }
  await storage.close();
  expect((await database.check([])).problems).toEqual([]);
});

test('the log of a server in which somebody registered, tipped, was tipped, changed everything and left says nothing of who it was', async () => {
  const env = { DATABASE_URL: join(temporaryFolder(), 'tipwell.db'), LOG_LEVEL: 'trace' };
  const server = await startServer(env);
  const leaver = await enter(server, 'patricia', ['dj']);
  const other = await enter(server, 'cam', ['barber']);
  const { token, password } = leaver;
  const change = async (path: string, body: object, status = 200) => {
    const answer = await fetch(`${server.url}/api${path}`, {
      method: 'PATCH',
      headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    expect(answer.status, await answer.text()).toBe(status);
  };
  const send = async (path: string, body: object, status: number, as = token) =>
    expect((await call(server, path, { token: as, body })).status, path).toBe(status);
  const code = await createCode(server, token, 'dj');
  const names = { username: 'unforgettable', full_name: 'Patsy Vantongeren', phone: '+1 555 0199' };
  await change('/auth/me', names);
  await change('/auth/me', { email: 'second@mail.example', current_password: password });
  await change('/auth/me', { username: 'cam' }, 409);
  await change(`/qr-codes/${code}`, { display_name: 'Queen of the bar', greeting: 'Cheers darling' });
  const tip = { amount: 20, receiver_qr_id: code, service_category: 'dj' };
  await send('/transactions', tip, 201, other.token);
  await send('/transactions', tip, 422);
  const given = {
    receiver_qr_id: await createCode(server, other.token, 'barber'),
    service_category: 'barber',
  };
  await send('/transactions', { ...given, amount: 15 }, 201);
  const login = { email: 'second@mail.example', password };
  await send('/auth/login', { ...login, password: 'a wrong password' }, 401);
  await send('/auth/login', login, 200);
  await send('/auth/me/closing', { current_password: password, confirmation: 'close' }, 200);
  expect(await server.stop()).toMatchObject({ code: 0 });
  const file = openDatabase(env.DATABASE_URL, { mustExist: true });
  file.exec('UPDATE accounts SET closes_at_ms = 1 WHERE closes_at_ms IS NOT NULL');
  file.close();
  const next = await startServer({ ...env, NODE_OPTIONS: atOnce(FIRST_SWEEP_DELAY_MS) });
  const logged = () => [server, next].map(({ stdout, stderr }) => stdout() + stderr()).join('');
  await until(() => logged().includes('closed accounts for good'));
  expect((await call(next, '/auth/login', { body: login })).status).toBe(401);
  expect(await next.stop()).toMatchObject({ code: 0 });
  const words = [
    'patricia',
    'second@',
    'unforgettable',
    'Patsy',
    'Vantongeren',
    '555 0199',
    'Queen',
    'darling',
  ];
  for (const word of [...words, password]) expect(logged().toLowerCase()).not.toContain(word.toLowerCase());
});
