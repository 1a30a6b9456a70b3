/**
 * What the alert rules of deploy/ are about: each condition is caused at a server of its own, and ended.
 */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, openDatabase } from '#server/storage/sqlite/connection.ts';
import { forge } from '#tests/support/forgery.ts';
import { startMailServer } from '#tests/support/mail-server.ts';
import { until } from '#tests/support/postgres-cluster.ts';
import type { PostgresServer } from '#tests/support/postgres-server.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import {
  type Environment,
  freePort,
  type RunningServer,
  startServer,
  temporaryFolder,
} from '#tests/support/running-server.ts';
import { startStripe } from '#tests/support/stripe/stand-in.ts';

const OLD_MS = 27 * 3_600_000;
/** No number is left after it, so that no backup can be made. */
const LAST_NUMBER = 'tipwell-999999999999-2026-01-01.db';
interface Site {
  readonly instance: string;
  server(): RunningServer;
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Starts it again on the same data and the same ports. */
  start(): Promise<void>;
}

export interface Condition {
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

/**
 * The bank of a giver takes a tip back, and decides for the provider later. Every event is delivered, so that nothing
 * else needs care.
 */
async function disputed(): Promise<Condition> {
  const stripe = await startStripe();
  const [webhookSecret = ''] = stripe.settings.webhookSecrets;
  const site = await openSite({
    STRIPE_SECRET_KEY: stripe.settings.secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: stripe.url,
    UNDO_MINUTES: '0',
  });
  const { url } = site.server();
  let delivered = 0;
  const deliver = async () => {
    for (; delivered < stripe.webhookEvents.length; delivered += 1) {
      const webhookEvent = stripe.webhookEvents[delivered];
      if (!webhookEvent) throw new Error('a webhook event has gone');
      const { body, signature } = stripe.sign(webhookEvent);
      const headers = { 'Content-Type': 'application/json', 'Stripe-Signature': signature };
      const sent = { method: 'POST', headers, body: Buffer.from(body) };
      assert.equal((await fetch(`${url}/api/payments/stripe/webhook`, sent)).status, 200);
    }
  };
  const pat = await enter(site.server(), 'pat', ['bartender']);
  const cam = await enter(site.server(), 'cam');
  const onboarding = { token: pat.token, body: { country: 'US' } };
  const begun = await call<{ url: string }>(site.server(), '/payments/account', onboarding);
  const [, accountId = ''] = /onboarding\/([^?]+)/.exec(begun.body.url) ?? [];
  stripe.enable(accountId);
  await deliver();
  const code = await createCode(site.server(), pat.token, 'bartender');
  const tip = { amount: 20, receiver_qr_id: code, service_category: 'bartender' };
  assert.equal((await call(site.server(), '/transactions', { token: cam.token, body: tip })).status, 201);
  const page = [...stripe.sessions.values()].at(-1);
  if (!page || !stripe.pay(page.id) || page.intentId === null) throw new Error('nobody could pay');
  const { intentId } = page;
  await deliver();
  let dispute = '';
  return {
    what: 'the bank of a giver takes a tip back',
    alerts: ['TipwellPaymentsNeedCare'],
    site,
    async begin() {
      dispute = stripe.openDispute(intentId);
      await deliver();
    },
    async end() {
      stripe.closeDispute(dispute, 'won');
      await deliver();
    },
    close: () => stripe.stop(),
  };
}

/** The page is for the night in which payments may be failing; the server finds out when it starts, and every ten minutes. */
async function keyRefused(): Promise<Condition> {
  const stripe = await startStripe();
  const [webhookSecret = ''] = stripe.settings.webhookSecrets;
  const site = await openSite({
    STRIPE_SECRET_KEY: stripe.settings.secretKey,
    STRIPE_WEBHOOK_SECRET: webhookSecret,
    STRIPE_API_BASE: stripe.url,
  });
  return {
    what: 'Stripe refuses the key',
    alerts: ['TipwellStripeUnanswered'],
    site,
    async begin() {
      await site.stop();
      stripe.fail(() => ({ is: 'refused', status: 401, message: 'Expired API Key provided' }));
      await site.start();
    },
    async end() {
      await site.stop();
      stripe.fail(() => null);
      await site.start();
    },
    close: () => stripe.stop(),
  };
}

/** One of each kind, all begun. @param postgres is paused and resumed by one of them. */
export async function openConditions(postgres: PostgresServer): Promise<readonly Condition[]> {
  return [
    await killed(),
    await refusing(),
    await withoutDatabase(postgres),
    await falsified(),
    await notBackedUp(),
    await withoutRelay(),
    await outOfBreath(),
    await slowToTip(),
    await disputed(),
    await keyRefused(),
  ];
}
