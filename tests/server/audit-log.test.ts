/** What holds of the audit log on either engine, whatever a defect of ours or somebody with a shell may try. */
import { expect, test } from 'vitest';
import type { Act } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createAuditCheck, parseAuditNote } from '#server/storage/rules/audit.ts';
import { START_MS } from '#tests/support/people.ts';
import { createTestData } from '#tests/support/test-data.ts';

const ACTOR = { kind: 'command', name: 'ops', host: 'bar' } as const;

const actAt = (atMs: number): Act => ({
  actor: ACTOR,
  action: 'installation_keys_renewed',
  subject: null,
  reason: 'a try',
  atMs,
});

async function openScene(count: number) {
  const data = await createTestData();
  const storage = await data.openStorage();
  for (let row = 0; row < count; row += 1) await storage.forgetSecrets(actAt(START_MS + row));
  return { data, storage };
}

const listAll = (storage: Storage) => storage.audit.list({ after: 0, sinceMs: 0, atMost: 1_000 });

const INSERT = `INSERT INTO audit_log (number, at_ms, actor_kind, actor_name, host, action, subject, reason, hash)`;

test('rows are neither changed nor deleted, and none is added out of turn', async () => {
  const { data, storage } = await openScene(3);
  const before = await listAll(storage);
  const hash = 'a'.repeat(64);
  for (const statement of [
    `UPDATE audit_log SET reason = 'another' WHERE number = 2`,
    'DELETE FROM audit_log WHERE number = 3',
    ...[3, 2, 0, 5, -1].map(
      (number) =>
        `${INSERT} VALUES (${number}, 0, 'command', 'ops', 'bar', 'terms_set', NULL, NULL, '${hash}')`,
    ),
    `${INSERT} VALUES (4, 0, 'nobody', 'ops', 'bar', 'terms_set', NULL, NULL, '${hash}')`,
    `${INSERT} VALUES (4, 0, 'command', 'ops', 'bar', 'terms_set', NULL, NULL, 'short')`,
  ])
    await expect(data.run(statement), statement).rejects.toThrow(/audit/);
  expect(await listAll(storage)).toEqual(before);
});

test('a row that somebody puts in by hand does not fit', async () => {
  const { data, storage } = await openScene(2);
  expect(await data.check()).toEqual([]);
  const hash = 'a'.repeat(64);
  await data.run(`${INSERT} VALUES (3, 0, 'command', 'ops', 'bar', 'terms_set', NULL, NULL, '${hash}')`);
  const found = await data.check();
  expect(found).toEqual([expect.stringContaining('Row 3 of the audit log does not follow')]);
  // What follows from it does not hide it.
  await storage.forgetSecrets(actAt(START_MS + 9));
  expect(await data.check()).toEqual(found);
});

test('of many acts at once, at two processes, each gets a row, in one chain', async () => {
  const { data, storage } = await openScene(0);
  const other = await data.openStorage();
  const moments = Array.from({ length: 24 }, (_, index) => START_MS + index);
  await Promise.all(moments.map((atMs, index) => [storage, other][index % 2]?.forgetSecrets(actAt(atMs))));
  const rows = await listAll(other);
  expect(rows.map(({ number }) => number)).toEqual(moments.map((_, index) => index + 1));
  expect(new Set(rows.map(({ atMs }) => atMs))).toEqual(new Set(moments));
  expect(await data.check()).toEqual([]);
});

test('an act whose row cannot be written is not done', async () => {
  const { data, storage } = await openScene(1);
  const key = Buffer.alloc(32, 7);
  await storage.secret('device_mark', key);
  await expect(storage.forgetSecrets({ ...actAt(START_MS), reason: 'x'.repeat(501) })).rejects.toThrow();
  expect(await storage.secret('device_mark', Buffer.alloc(32))).toEqual(key);
  expect(await data.check()).toEqual([]);
});

test('a note of the log shows that its end was cut off, which the chain cannot', async () => {
  const { storage } = await openScene(3);
  const rows = await listAll(storage);
  const checkOf = (noted: string | null, count: number) => {
    const check = createAuditCheck(noted === null ? null : parseAuditNote(noted));
    for (const row of rows.slice(0, count)) check.add(row);
    return check;
  };
  const note = checkOf(null, 3).note();
  expect(note).toMatch(/^3:[0-9a-f]{64}$/);
  expect([3, 2].map((count) => checkOf(note, count).firstWrong())).toEqual([null, null]);
  expect([3, 2].map((count) => checkOf(note, count).isAsNoted())).toEqual([true, false]);
  expect(checkOf(checkOf(null, 2).note(), 3).isAsNoted()).toBe(true);
  expect(checkOf(`2:${'a'.repeat(64)}`, 3).isAsNoted()).toBe(false);
  expect(checkOf(checkOf(null, 0).note(), 3).isAsNoted()).toBe(true);
  for (const text of ['3', '3:abc', `:${'a'.repeat(64)}`, 'x']) expect(parseAuditNote(text)).toBeNull();
});
