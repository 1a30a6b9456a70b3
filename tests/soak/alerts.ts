/**
 * The alert rules of deploy/ against what they are about: each condition is caused at a real server, seen at a
 * receiver behind Prometheus and Alertmanager, ended, and seen to be over. All of them at once, each at a
 * server of its own, so that an alert of somebody else's trouble is found too.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { forge } from '#tests/support/forgery.ts';
import { startMailServer } from '#tests/support/mail-server.ts';
import { until } from '#tests/support/postgres-cluster.ts';
import { type PostgresServer, startPostgres } from '#tests/support/postgres-server.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import {
  type Environment,
  freePort,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { type Alerting, startAlerting, TIMES_SHORTER } from './prometheus.ts';

/** The next look at the backups comes after ten minutes, and Alertmanager has to hear of it. */
const PATIENCE_MS = 15 * 60_000;
const OLD_MS = 27 * 3_600_000;
/** No number is left after it, so that no backup can be made. */
const LAST_NUMBER = 'tipwell-999999999999-2026-01-01.db';
/** On a machine with other work the event loops of all servers may be late. */
const OF_THE_MACHINE = 'TipwellSlow';

type Report = (line: string) => void;
type Figures = Readonly<Record<string, string | number>>;

interface Site {
  readonly instance: string;
  server(): RunningServer;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same data and the same ports. */
  start(): Promise<void>;
}

interface Condition {
  readonly what: string;
  readonly alerts: readonly string[];
  readonly site: Site;
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Ends what goes on behind it, before its server is ended. */
  close?(): Promise<void>;
}

async function openSite(env: Environment = {}): Promise<Site> {
  const port = String(await freePort());
  let server = await startServer({ ...env, METRICS_PORT: port });
  return {
    instance: `127.0.0.1:${port}`,
    server: () => server,
    async stop(signal) {
      await server.stop(signal);
    },
    async start() {
      const same = { PUBLIC_URL: server.url, PORT: String(server.port), DATABASE_URL: server.databasePath };
      server = await startServer({ ...env, ...same, METRICS_PORT: port });
    },
  };
}

/** A loop that goes on until it is ended. */
function repeat(round: () => Promise<void>) {
  let isEnded = false;
  const running = (async () => {
    while (!isEnded) await round();
  })();
  return async () => {
    isEnded = true;
    await running;
  };
}

/** Somebody who tips all the time, and counts on no answer. */
async function openTipping(site: Site) {
  const pat = await enter(site.server(), 'pat', ['bartender']);
  const cam = await enter(site.server(), 'cam');
  const code = await createCode(site.server(), pat.token, 'bartender');
  const body = { amount: 20, receiver_qr_id: code, service_category: 'bartender' };
  const give = () => call<{ id: string }>(site.server(), '/transactions', { token: cam.token, body });
  const giveAll = () =>
    repeat(async () => {
      await give().catch(() => null);
      await sleep(100);
    });
  return { give, giveAll };
}

/** Holds the lock of writing that another program would hold. */
function lockOf(path: string) {
  const database: Database = openDatabase(path, { mustExist: true });
  return {
    async take() {
      for (;;) {
        try {
          database.exec('BEGIN IMMEDIATE');
          return;
        } catch {
          await sleep(5);
        }
      }
    },
    release: () => void database.exec('ROLLBACK'),
    close: () => void database.close(),
  };
}

async function killed(): Promise<Condition> {
  const site = await openSite();
  return {
    what: 'the process is killed',
    alerts: ['TipwellDown'],
    site,
    begin: () => site.stop('SIGKILL'),
    end: site.start,
  };
}

async function refusing(): Promise<Condition> {
  const site = await openSite();
  const { giveAll } = await openTipping(site);
  const tipping = [giveAll(), giveAll()];
  const lock = lockOf(site.server().databasePath);
  return {
    what: 'another program holds the lock of the file',
    alerts: ['TipwellFailing'],
    site,
    begin: lock.take,
    async end() {
      lock.release();
      lock.close();
    },
    async close() {
      await Promise.all(tipping.map((endTipping) => endTipping()));
    },
  };
}

async function withoutDatabase(postgres: PostgresServer): Promise<Condition> {
  const site = await openSite({ DATABASE_URL: postgres.url('postgres') });
  return {
    what: 'PostgreSQL hangs',
    alerts: ['TipwellFailing', 'TipwellLedgerUnsound'],
    site,
    begin: async () => postgres.pause(),
    end: async () => postgres.resume(),
  };
}

async function falsified(): Promise<Condition> {
  const site = await openSite();
  const { give } = await openTipping(site);
  const add = (cents: number) =>
    forge(
      site.server().databasePath,
      `UPDATE entries SET cents = cents + ${cents} WHERE kind = 'received' AND transaction_sequence = (SELECT max(sequence) FROM transactions);`,
    );
  return {
    what: 'an amount of the ledger is changed in the file',
    alerts: ['TipwellLedgerUnsound'],
    site,
    async begin() {
      assert.equal((await give()).status, 201);
      add(1);
    },
    async end() {
      await site.stop();
      add(-1);
      await site.start();
    },
  };
}

async function notBackedUp(): Promise<Condition> {
  const folder = temporaryFolder();
  const site = await openSite({ BACKUP_FOLDER: folder });
  const names = () => readdirSync(folder);
  await until(() => names().some((name) => name.endsWith('.db') && existsSync(join(folder, `${name}.past`))));
  return {
    what: 'the last backup is 27 hours old, and none can be made',
    alerts: ['TipwellBackupFailing'],
    site,
    async begin() {
      await site.stop();
      const before = Date.now() / 1_000 - OLD_MS / 1_000;
      for (const name of names()) utimesSync(join(folder, name), before, before);
      writeFileSync(join(folder, LAST_NUMBER), '');
      await site.start();
    },
    end: async () => rmSync(join(folder, LAST_NUMBER)),
  };
}

async function withoutRelay(): Promise<Condition> {
  const port = await freePort();
  const site = await openSite({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'tips@example.com' });
  const relays: Awaited<ReturnType<typeof startMailServer>>[] = [];
  return {
    what: 'nobody answers at the mail server',
    alerts: ['TipwellOutboxStuck'],
    site,
    async begin() {
      await enter(site.server(), 'pat', ['bartender']);
    },
    async end() {
      relays.push(await startMailServer({}, port));
    },
    async close() {
      for (const relay of relays) await relay.close();
    },
  };
}

async function outOfBreath(): Promise<Condition> {
  const site = await openSite();
  let end = async () => {};
  return {
    what: 'the process stands still for most of the time',
    alerts: ['TipwellSlow'],
    site,
    async begin() {
      const { process: child } = site.server();
      end = repeat(async () => {
        child.kill('SIGSTOP');
        await sleep(500);
        child.kill('SIGCONT');
        await sleep(250);
      });
    },
    end: () => end(),
  };
}

async function slowToTip(): Promise<Condition> {
  const site = await openSite();
  const { giveAll } = await openTipping(site);
  const lock = lockOf(site.server().databasePath);
  const tipping = [giveAll(), giveAll(), giveAll(), giveAll()];
  let end = async () => {};
  return {
    what: 'tips wait for the file for up to 1.7 s',
    alerts: ['TipwellSlow'],
    site,
    async begin() {
      end = repeat(async () => {
        await lock.take();
        await sleep(1_700);
        lock.release();
        await sleep(50);
      });
    },
    async end() {
      await end();
      lock.close();
    },
    async close() {
      await Promise.all(tipping.map((endTipping) => endTipping()));
    },
  };
}

/** @returns the seconds of each, and what did not hold. */
export async function causeAlerts(report: Report): Promise<{ figures: Figures; violations: string[] }> {
  const postgres = await startPostgres();
  const conditions: readonly Condition[] = [
    await killed(),
    await refusing(),
    await withoutDatabase(postgres),
    await falsified(),
    await notBackedUp(),
    await withoutRelay(),
    await outOfBreath(),
    await slowToTip(),
  ];
  report(`${conditions.length} servers; the times of the rules are ${TIMES_SHORTER} times shorter`);
  const alerting = await startAlerting(conditions.map(({ site }) => site.instance));
  try {
    const ended = await Promise.allSettled(
      conditions.map((condition) => follow(condition, alerting, report)),
    );
    const failures = ended.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    const figures = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
    return {
      figures: Object.fromEntries(figures),
      violations: [...failures, ...strays(conditions, alerting)],
    };
  } finally {
    await alerting.stop();
    await Promise.all(conditions.map((condition) => condition.close?.()));
    for (const { site } of conditions) await site.stop('SIGKILL');
    await postgres.stop();
  }
}

async function follow(
  { what, alerts, site, begin, end }: Condition,
  alerting: Alerting,
  report: Report,
): Promise<[string, string][]> {
  const timed = async (cause: () => Promise<void>, status: 'firing' | 'resolved') => {
    const startedAt = performance.now();
    await cause();
    return Promise.all(
      alerts.map(async (alert) => {
        await alerting.waitFor(alert, site.instance, status, PATIENCE_MS);
        const seconds = Math.round((performance.now() - startedAt) / 1_000);
        report(`${alert}: ${what}: ${status} after ${seconds} s`);
        return seconds;
      }),
    );
  };
  const firing = await timed(begin, 'firing');
  const resolved = await timed(end, 'resolved');
  return alerts.map((alert, index) => [
    `${alert}, ${what}`,
    `firing after ${firing[index]} s, resolved after ${resolved[index]} s`,
  ]);
}

/** Alerts of servers to which something else was done. */
function strays(conditions: readonly Condition[], alerting: Alerting): string[] {
  const due = new Set(
    conditions.flatMap(({ alerts, site }) => alerts.map((alert) => `${alert} at ${site.instance}`)),
  );
  const others = [...alerting.fired()].filter((one) => !due.has(one) && !one.startsWith(OF_THE_MACHINE));
  return others.map((one) => {
    const { what } = conditions.find(({ site }) => one.endsWith(site.instance)) ?? {};
    return `${one}, where ${what}`;
  });
}
