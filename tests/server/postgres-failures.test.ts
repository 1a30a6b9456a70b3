/**
 * What the port comes to on PostgreSQL when servers and lines fail: nothing is done twice, and nothing is
 * lost.
 */
import { createHash, randomBytes } from 'node:crypto';
import { inspect } from 'node:util';
import { Client } from 'pg';
import { expect, onTestFinished, test, vi } from 'vitest';
import { onMeasure } from '#server/measures.ts';
import { databaseAt } from '#server/storage/open.ts';
import { DatabaseRefused } from '#server/storage/port/database.ts';
import type { PaymentMove } from '#server/storage/port/payments.ts';
import { type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';
import { connect } from '#server/storage/postgres/connection.ts';
import {
  newApiKeyId,
  newDeviceId,
  newInvitationId,
  newOperatorId,
  newQrCodeId,
  newUserId,
} from '#shared/ids.ts';
import { takeBack } from '#tests/support/ledger-steps.ts';
import { OPENING } from '#tests/support/opening.ts';
import { beginPayment, payoutAccountOf } from '#tests/support/payment-steps.ts';
import { createPeople } from '#tests/support/people.ts';
import { createMigratedDatabase, createPostgresDatabase, openPatiently } from '#tests/support/postgres.ts';
import { createPostgresLine } from '#tests/support/postgres-line.ts';

const NOW = Date.UTC(2026, 4, 15, 12);
const bytes = (text: string) => createHash('sha256').update(text).digest();

async function openAt(url: string): Promise<Storage> {
  const storage = await databaseAt({ engine: 'postgres', url }).openForServer(OPENING);
  onTestFinished(() => storage.close());
  return storage;
}

/** A connection past the storage, in the schema of its tables. */
async function connectPast(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('SET search_path = tipwell');
  return client;
}

/** A storage behind a line that can be cut, and a connection past both. */
async function openBehindLine() {
  const url = await createMigratedDatabase();
  const line = await createPostgresLine(url);
  const storage = await openAt(line.url);
  const past = await connectPast(url);
  return { url, line, storage, past, scene: await createPeople(storage).setTheScene() };
}

/** Ends the connections that others have to the database. */
function endOthers(past: Client) {
  return past.query(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
  );
}

for (const when of ['before', 'after'] as const) {
  test(`a tip is recorded once, a reversal and a move of a payment are made once, when the connection is lost ${when} the commit`, async () => {
    const { line, storage, past, scene } = await openBehindLine();
    const heard: unknown[] = [];
    storage.subscribe({ onEntries: (accounts) => heard.push(accounts), onCodes() {} });
    const [tip, unkeyed] = [scene.tip({ idempotencyKey: 'key' }), scene.tip({ idempotencyKey: null })];
    for (const [index, one] of [unkeyed, tip].entries()) {
      heard.splice(0);
      line.loseNextCommit(when);
      expect(await storage.recordTip(one)).toMatchObject({
        outcome: 'recorded',
        transaction: { id: one.id, receiverUsername: scene.provider.username },
      });
      expect(line.lost).toBe(index + 1);
      expect(await storage.listEntriesSince(scene.provider.id, 0, 9)).toHaveLength(index + 1);
      expect(heard.flat()).toEqual(expect.arrayContaining([scene.provider.id, scene.customer.id]));
    }
    const { rows } = await past.query('SELECT id FROM transactions ORDER BY sequence');
    expect(rows).toEqual([{ id: unkeyed.id }, { id: tip.id }]);
    // What was sent again an hour later is no tip of the group that is repeated with it.
    const again = { ...tip, createdAtMs: tip.createdAtMs + 3_600_000 };
    line.loseNextCommit(when);
    expect(await Promise.all([again, scene.tip()].map((each) => storage.recordTip(each)))).toMatchObject([
      { outcome: 'repeated', transaction: { createdAtMs: tip.createdAtMs } },
      { outcome: 'recorded' },
    ]);

    const lostBefore = line.lost;
    line.loseNextCommit(when);
    expect(await takeBack(storage, tip, NOW)).toMatchObject({ outcome: 'reversed' });
    expect(line.lost).toBe(lostBefore + 1);
    expect(await storage.listEntriesSince(scene.provider.id, 0, 9)).toHaveLength(4);
    expect(await takeBack(storage, tip, NOW)).toMatchObject({ outcome: 'reversed_before' });

    // A move of a payment tells what it brought to the ledger.
    const { payments } = storage;
    await payments.savePayoutAccount(payoutAccountOf(scene.provider.id), NOW);
    const told = [];
    const lostBeforeMoves = line.lost;
    for (const end of ['refunded', 'cancelled'] as const) {
      const one = scene.tip();
      await beginPayment(storage, one);
      const paid = { chargeId: `pi_${one.id}`, capturesAtMs: NOW };
      const moves: readonly PaymentMove[] =
        end === 'refunded'
          ? [
              { kind: 'succeeded', chargeId: paid.chargeId },
              { kind: end, adjustmentCount: 0 },
            ]
          : [{ kind: 'authorised', ...paid }, { kind: end }];
      for (const [step, move] of moves.entries()) {
        line.loseNextCommit(when);
        const moved = await payments.movePayment(one.id, move, NOW + 1 + step, NOW);
        told.push([moved?.outcome, moved?.entered]);
      }
    }
    expect(line.lost - lostBeforeMoves).toBe(told.length);
    expect(told).toEqual([
      ['moved', 'tip'],
      ['moved', 'reversal'],
      ['moved', 'tip'],
      ['moved', 'reversal'],
    ]);
  });

  test(`accounts, codes, sessions and passwords are as told, and an attempt counts once at most, when the connection is lost ${when} the commit`, async () => {
    const { line, storage, past, scene } = await openBehindLine();
    const losing = <Result>(step: () => Promise<Result>) => {
      line.loseNextCommit(when);
      return step();
    };
    const { customer, provider } = scene;
    const account = {
      ...customer,
      id: newUserId(randomBytes),
      email: 'new@example.com',
      username: 'new',
      passwordHash: 'none',
      createdAtMs: NOW,
    };
    expect(await losing(() => storage.createAccount(account))).toBe('created');
    const code = { id: newQrCodeId(randomBytes), userId: provider.id, createdAtMs: NOW };
    const picture = { address: 'address', png: Buffer.from('png') };
    expect(await losing(() => storage.createQrCode({ ...code, serviceCategory: 'barber' }, picture))).toBe(
      'created',
    );
    const session = {
      tokenHash: bytes('token'),
      userId: account.id,
      createdAtMs: NOW,
      expiresAtMs: NOW + 9,
      device: '',
    };
    expect(await losing(() => storage.createSession(session, 'none', 1))).toBe('created');
    const kept = {
      tokenHash: session.tokenHash,
      nextTokenHash: bytes('next'),
      expiresAtMs: NOW + 99,
      confirmedAtMs: NOW,
    };
    const next = { passwordHash: 'next', expiresAtMs: null, changedAtMs: NOW };
    expect(await losing(() => storage.changePassword(account.id, 'none', next, kept))).toBe('changed');
    expect(line.lost).toBe(4);
    expect(await storage.findSession(bytes('next'), NOW)).toMatchObject({ expiresAtMs: NOW + 99 });
    const { rows } = await past.query('SELECT count(*)::integer AS count FROM sessions');
    expect(rows).toEqual([{ count: 1 }]);

    const attempt = { limit: 'login', account: 'pat', address: '', maxCount: 5, windowMs: 60_000 };
    await expect(losing(() => storage.takeAttempt([attempt], NOW))).rejects.toThrow(StorageUnavailable);
    const counted = await past.query('SELECT count::integer FROM attempts');
    expect(counted.rows).toEqual(when === 'before' ? [] : [{ count: 1 }]);
    expect(await storage.takeAttempt([attempt], NOW)).toEqual({ outcome: 'taken' });
  });

  test(`what operators do and what is ended or removed is told to be done when the connection is lost ${when} the commit, and the log has it once`, async () => {
    const { line, storage, past, scene } = await openBehindLine();
    const actor = { kind: 'command', name: 'root', host: 'tips' } as const;
    const actOn = (action: 'report_settled' | 'invitation_revoked', subject: string) =>
      ({ actor, action, subject, reason: null, atMs: NOW }) as const;
    const giverMessage = { message: 'ugly', giverName: null, isRefused: false };
    const tip = scene.tip({ giverMessage });
    await storage.recordTip(tip);
    await storage.messages.reportMessage(scene.provider.id, tip.id, NOW);
    const ends = { createdAtMs: NOW, expiresAtMs: NOW + 9, maxUses: 1, usesLeft: 1, emailKey: null };
    const id = newInvitationId(randomBytes);
    await storage.invitations.add({ id, tokenHash: bytes('token'), ...ends });
    line.loseNextCommit(when);
    expect(await storage.messages.settleReport(tip.id, NOW, actOn('report_settled', tip.id))).toBe(true);
    line.loseNextCommit(when);
    expect(await storage.invitations.revoke(id, NOW, actOn('invitation_revoked', id))).toBe(true);
    expect(line.lost).toBe(2);
    expect(await storage.messages.settleReport(tip.id, NOW, actOn('report_settled', tip.id))).toBe(false);
    expect(await storage.invitations.revoke(id, NOW, actOn('invitation_revoked', id))).toBe(false);

    const { id: userId } = scene.provider;
    const life = { createdAtMs: NOW, expiresAtMs: NOW + 9 };
    const key = { id: newApiKeyId(randomBytes), userId, name: 'Till', ending: 'none' };
    const rights = { scopes: ['tips:read'], addresses: [], keyHash: bytes('key') } as const;
    await storage.apiKeys.add({ ...key, ...rights, ...life }, 9);
    const sessionHash = bytes('session');
    await storage.createSession({ tokenHash: sessionHash, userId, device: '', ...life }, 'none', 9);
    const device = { id: newDeviceId(randomBytes), userId, sessionHash, endpoint: 'none', createdAtMs: NOW };
    const keys = { p256dh: Buffer.alloc(65, 4), auth: Buffer.alloc(16), withWords: false };
    await storage.devices.add({ ...device, ...keys }, 9);
    const operator = { id: newOperatorId(randomBytes), email: 'op@example.com', createdAtMs: NOW };
    await storage.operators.add(operator, { tokenHash: bytes('link'), expiresAtMs: NOW + 9 });
    const place = { lastUsedAtMs: NOW, confirmedAtMs: NOW, address: '', device: '' };
    const session = { operatorId: operator.id, tokenHash: bytes('operator'), ...life, ...place };
    await storage.operators.createSession(session, null, 9);
    await storage.announce({ text: 'Late payouts', fromMs: NOW, untilMs: null });
    const act = { actor, action: 'announcement_ended', subject: null, reason: null, atMs: NOW } as const;
    const steps = [
      () => storage.apiKeys.end(userId, key.id),
      () => storage.devices.remove(userId, device.id),
      () => storage.operators.endSession(session.tokenHash),
      () => storage.endAnnouncement(act),
    ];
    for (const step of steps) {
      line.loseNextCommit(when);
      expect(await step()).toBe(true);
      expect(await step()).toBe(false);
    }
    expect(line.lost).toBe(2 + steps.length);
    const { rows } = await past.query('SELECT action FROM audit_log ORDER BY number');
    const acts = ['report_settled', 'invitation_revoked', 'announcement_ended'];
    expect(rows.map(({ action }) => action)).toEqual(acts);
  });
}

test('steps wait for a server that is away for a moment; it is unavailable when it stays away, and for writes while it can only be read', async () => {
  const { line, storage, past, scene } = await openBehindLine();
  await line.cut();
  const connecting = vi.spyOn(Client.prototype, 'connect');
  const [tip, found] = [storage.recordTip(scene.tip()), storage.findQrCode(scene.code)];
  // Two steps and the listening connection try once; a fourth attempt is of somebody who was refused and goes on.
  await expect.poll(() => connecting.mock.calls.length, { interval: 10 }).toBeGreaterThan(3);
  connecting.mockRestore();
  await line.mend();
  expect(await tip).toMatchObject({ outcome: 'recorded' });
  expect(await found).toMatchObject({ id: scene.code });
  await line.cut();
  const refused = [storage.recordTip(scene.tip()), storage.findQrCode(scene.code), storage.proveWritable()];
  for (const { status, reason } of await Promise.allSettled(refused).then((all) =>
    all.map((one) => ({ reason: undefined, ...one })),
  )) {
    expect(status).toBe('rejected');
    expect(reason).toBeInstanceOf(StorageUnavailable);
  }
  await line.mend();
  expect(await storage.recordTip(scene.tip())).toMatchObject({ outcome: 'recorded' });

  const name = past.database;
  await past.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
  await endOthers(past);
  await expect(storage.recordTip(scene.tip())).rejects.toThrow(StorageUnavailable);
  await expect(storage.proveWritable()).rejects.toThrow(StorageUnavailable);
  expect(await storage.findQrCode(scene.code)).toMatchObject({ id: scene.code });
  await past.query(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
  await endOthers(past);
  await storage.proveWritable();
  expect(await storage.recordTip(scene.tip())).toMatchObject({ outcome: 'recorded' });
});

test('a tip that meets a deadlock is recorded once', async () => {
  const url = await createMigratedDatabase();
  const storage = openPatiently(url);
  const past = await connectPast(url);
  const scene = await createPeople(storage).setTheScene();
  const [first, second] = [scene.provider.id, scene.customer.id].sort();
  const watching = await connectPast(url);
  const lock = (id: string | undefined) =>
    past.query('SELECT 1 FROM accounts WHERE id = $1 FOR UPDATE', [id]);
  // Whoever has waited for a second looks for a deadlock, once. On a busy machine the tip may have looked
  // before there was one: then it is not the tip that is refused, and another has to meet one.
  let deadlocks = 0;
  let isTipRefused = false;
  while (!isTipRefused) {
    await past.query('BEGIN');
    await lock(second);
    const tip = storage.recordTip(scene.tip());
    const isWaiting = async () => {
      // The locks of all databases of the server are there, and other tests wait in theirs.
      const { rows } = await watching.query(
        `SELECT 1 FROM pg_locks JOIN pg_stat_activity USING (pid)
         WHERE NOT granted AND datname = current_database()`,
      );
      expect(rows).toHaveLength(1);
    };
    await vi.waitFor(isWaiting, { timeout: 30_000 });
    isTipRefused = await lock(first).then(
      () => true,
      (error: unknown) => {
        expect(error).toMatchObject({ code: '40P01' });
        return false;
      },
    );
    await past.query(isTipRefused ? 'COMMIT' : 'ROLLBACK');
    expect(await tip).toMatchObject({ outcome: 'recorded' });
    deadlocks += 1;
  }
  const { rows } = await watching.query(
    'SELECT deadlocks::integer FROM pg_stat_database WHERE datname = current_database()',
  );
  expect(rows).toEqual([{ deadlocks }]);
  expect(await storage.listEntriesSince(scene.provider.id, 0, 9)).toHaveLength(deadlocks);
});

test('a transaction that fails to serialise is run again, and a bounded number of times', async () => {
  const { storage, past, scene } = await openBehindLine();
  // A sequence keeps what was drawn in a transaction that is undone.
  await past.query('CREATE SEQUENCE failures');
  await past.query(`CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    IF nextval('tipwell.failures') <= current_setting('tests.failures')::integer THEN
      RAISE serialization_failure;
    END IF;
    RETURN NEW; END $$`);
  await past.query('CREATE TRIGGER fail BEFORE INSERT ON reversals FOR EACH ROW EXECUTE FUNCTION fail()');
  await past.query('CREATE TRIGGER fail BEFORE INSERT ON tips FOR EACH ROW EXECUTE FUNCTION fail()');
  const failFor = async (count: number) => {
    await past.query(`ALTER DATABASE ${past.database} SET tests.failures = ${count}`);
    await past.query(`SELECT setval('failures', 1, false)`);
    await endOthers(past);
  };
  await failFor(3);
  const tip = scene.tip();
  expect(await storage.recordTip(tip)).toMatchObject({ outcome: 'recorded' });
  await failFor(3);
  expect(await takeBack(storage, tip, NOW)).toMatchObject({ outcome: 'reversed' });
  await failFor(1_000);
  await expect(storage.recordTip(scene.tip())).rejects.toThrow(StorageUnavailable);
  expect(await storage.listEntriesSince(scene.provider.id, 0, 9)).toHaveLength(2);
});

test('a tip that the tables refuse fails alone, without a word of what was in it; damage that the server finds is told to who watches for it', async () => {
  const { storage, past, scene } = await openBehindLine();
  const tips = Array.from({ length: 9 }, () => scene.tip());
  const poisoned = scene.tip({ amountCents: 0, idempotencyKey: 'poisoned key' });
  const outcomes = await Promise.allSettled([...tips, poisoned].map(storage.recordTip));
  const failed = outcomes.pop();
  expect(outcomes.map((outcome) => outcome.status)).toEqual(tips.map(() => 'fulfilled'));
  expect(failed).toMatchObject({ status: 'rejected' });
  const reason = failed?.status === 'rejected' ? failed.reason : null;
  expect(reason).not.toBeInstanceOf(StorageUnavailable);
  expect(inspect(reason, { depth: 9, showHidden: true })).toContain('tips_amount');
  expect(inspect(reason, { depth: 9, showHidden: true })).not.toContain('poisoned key');
  expect(await storage.listEntriesSince(scene.provider.id, 0, 99)).toHaveLength(9);

  const told: unknown[] = [];
  onTestFinished(onMeasure('damage', ({ error }) => void told.push(error)));
  await storage.recordTip(scene.tip());
  expect(told).toEqual([]);
  // No page is damaged as the server itself would see it, which needs its files; the code is what it answers then.
  await past.query(
    `CREATE FUNCTION meet_damage() RETURNS trigger LANGUAGE plpgsql
     AS $$ BEGIN RAISE EXCEPTION 'invalid page in block 7' USING ERRCODE = 'XX001'; END $$;
     CREATE TRIGGER meet_damage BEFORE INSERT ON tips EXECUTE FUNCTION meet_damage()`,
  );
  await expect(storage.recordTip(scene.tip())).rejects.toThrow('invalid page');
  expect(told[0]).toMatchObject({ code: 'XX001' });
});

test('tips at once for one receiver, by two processes, stand in the chains of their accounts without a gap', async () => {
  const url = await createMigratedDatabase();
  const [first, second] = [await openAt(url), await openAt(url)];
  const { addAccount, setTheScene } = createPeople(first);
  const { provider, tip } = await setTheScene();
  const givers = await Promise.all(['a', 'b', 'c', 'd'].map((name) => addAccount(name)));
  const tips = Array.from({ length: 200 }, (_, index) =>
    tip({ giverId: givers[index % 4]?.id ?? provider.id, amountCents: 1_000 + index }),
  );
  const outcomes = await Promise.all(
    tips.map((one, index) => (index % 3 === 0 ? first : second).recordTip(one)),
  );
  expect(new Set(outcomes.map(({ outcome }) => outcome))).toEqual(new Set(['recorded']));
  const entries = await second.listEntriesSince(provider.id, 0, 999);
  expect(entries.map(({ position }) => position)).toEqual(tips.map((_, index) => index + 1));
  const past = await connectPast(url);
  const { rows } = await past.query(`
    SELECT account_id, position FROM (
      SELECT *, row_number() OVER chain AS place, sum(cents) OVER chain AS balance FROM entries
      WINDOW chain AS (PARTITION BY account_id ORDER BY position)
    ) AS chains WHERE position <> place OR balance_after_cents <> balance`);
  expect(rows).toEqual([]);
  expect((await databaseAt({ engine: 'postgres', url }).check([])).problems).toEqual([]);
});

test('listeners hear of the entries of other processes, and of everything once the line to the server was lost', async () => {
  const url = await createMigratedDatabase();
  const [listening, other] = [await openAt(url), await openAt(url)];
  const { provider, customer, tip } = await createPeople(other).setTheScene();
  const heard: unknown[] = [];
  const codes: unknown[] = [];
  listening.subscribe({
    onEntries: (accounts) => heard.push(accounts),
    onCodes: (owners) => codes.push(owners),
  });
  const take = async () => {
    await vi.waitFor(() => expect(heard).toHaveLength(1), { timeout: 9_000 });
    return heard.splice(0);
  };
  expect(await take()).toEqual(['any']);
  await other.recordTip(tip());
  expect((await take()).flat().sort()).toEqual([provider.id, customer.id].sort());
  // One's own commit is heard once.
  await listening.recordTip(tip());
  await other.recordTip(tip());
  await expect.poll(() => heard).toHaveLength(2);
  heard.splice(0);

  const past = await connectPast(url);
  codes.splice(0);
  await past.query('UPDATE accounts SET full_name = $1 WHERE id = $2', ['Another', provider.id]);
  await expect.poll(() => codes).toEqual([[provider.id]]);

  codes.splice(0);
  const { rowCount } = await past.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query = 'LISTEN tipwell'`,
  );
  expect(rowCount).toBe(1);
  expect(await take()).toEqual(['any']);
  expect(codes).toEqual(['any']);
  await other.recordTip(tip());
  expect((await take()).flat().sort()).toEqual([provider.id, customer.id].sort());
});

test('a process that finds no place to listen looks for itself what others have entered, and says so once', async () => {
  const url = await createMigratedDatabase();
  const other = await openAt(url);
  const { provider, customer, tip } = await createPeople(other).setTheScene();
  const past = await connectPast(url);
  const role = past.database;
  await past.query(`CREATE ROLE ${role} LOGIN SUPERUSER PASSWORD 'own'`);
  const own = new URL(url);
  own.username = role ?? '';
  own.password = 'own';
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const storage = await databaseAt({ engine: 'postgres', url: own.href }).openForServer({ ...OPENING, warn });
  onTestFinished(async () => {
    await storage.close();
    await past.query(`DROP ROLE ${role}`);
  });
  const heard: unknown[] = [];
  storage.subscribe({ onEntries: (accounts) => heard.push(accounts) });
  const PATIENCE = { timeout: 30_000 };
  await expect.poll(() => heard, PATIENCE).toEqual(['any']);
  // Its other connections stay, so that it serves.
  expect(await storage.listEntriesSince(provider.id, 0, 9)).toEqual([]);
  await past.query(`ALTER ROLE ${role} NOLOGIN`);
  await past.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = $1 AND query = 'LISTEN tipwell'`,
    [role],
  );
  await other.recordTip(tip());
  heard.splice(0);
  await expect.poll(() => heard, PATIENCE).toEqual(['any', 'any']);
  expect(await storage.listEntriesSince(provider.id, 0, 9)).toHaveLength(1);
  expect(warnings).toEqual([expect.stringMatching(/^no connection to PostgreSQL can listen/)]);
  await past.query(`ALTER ROLE ${role} LOGIN`);
  await expect.poll(() => warnings, PATIENCE).toEqual([expect.anything(), expect.stringMatching(/again$/)]);
  heard.splice(0);
  await other.recordTip(tip());
  await expect.poll(() => heard.flat().sort(), PATIENCE).toEqual([provider.id, customer.id].sort());
});

test('a database that is away wakes nobody, whose reading would fail', async () => {
  const line = await createPostgresLine(await createMigratedDatabase());
  const warnings: string[] = [];
  const warn = (sentence: string) => void warnings.push(sentence);
  const storage = await databaseAt({ engine: 'postgres', url: line.url }).openForServer({ ...OPENING, warn });
  onTestFinished(() => storage.close());
  const heard: unknown[] = [];
  storage.subscribe({ onEntries: (accounts) => heard.push(accounts) });
  await expect.poll(() => heard, { timeout: 30_000 }).toEqual(['any']);
  await line.cut();
  await expect.poll(() => warnings, { timeout: 30_000 }).toHaveLength(1);
  await expect(storage.proveWritable()).rejects.toThrow(StorageUnavailable);
  expect(heard.splice(0)).toEqual(['any']);
  await line.mend();
  await expect.poll(() => warnings, { timeout: 30_000 }).toHaveLength(2);
  expect(heard[0]).toBe('any');
});

test('the password of an address is in no error and in no name', async () => {
  const url = new URL(await createPostgresDatabase());
  url.password = 'hunter22';
  url.port = '1';
  const refused = databaseAt({ engine: 'postgres', url: url.href });
  expect(refused.name).not.toContain('hunter22');
  const error = await refused.openForServer(OPENING).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseRefused);
  expect(String(error)).toContain('ECONNREFUSED');
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('hunter22');
});

test('a commit waits for the disk whatever the server is set to, no wait is without an end, and the sessions of a machine that has died end within minutes', async () => {
  const url = await createPostgresDatabase();
  const past = await connectPast(url);
  const name = past.database;
  for (const [set, expected] of [
    ['off', 'on'],
    ['local', 'on'],
    ['remote_write', 'on'],
    ['remote_apply', 'remote_apply'],
  ]) {
    await past.query(`ALTER DATABASE ${name} SET synchronous_commit = ${set}`);
    const client = await connect(url);
    const settingOf = async (setting: string) =>
      (await client.query<{ value: string }>('SELECT current_setting($1) AS value', [setting])).rows[0]
        ?.value;
    expect(await settingOf('synchronous_commit')).toBe(expected);
    expect(await settingOf('statement_timeout')).toBe('4s');
    expect(await settingOf('lock_timeout')).toBe('3s');
    expect(await settingOf('idle_in_transaction_session_timeout')).toBe('10s');
    expect(await settingOf('application_name')).toBe('tipwell');
    const keepalive = async (setting: string) => Number(await settingOf(`tcp_keepalives_${setting}`));
    expect((await keepalive('idle')) + (await keepalive('interval')) * (await keepalive('count'))).toBe(90);
    await client.end();
  }
});
