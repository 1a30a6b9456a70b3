/** The serving process: reads the configuration, opens the storage, listens, and shuts down gracefully. */
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type Logger, pino } from 'pino';
import { CLOSING_GRACE_DAYS } from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { AppError } from '#shared/errors.ts';
import type { RandomBytes } from '#shared/ids.ts';
import { readOperatorContact } from '#shared/later/operator-contact.ts';
import { formatMoney, terms } from '#shared/money.ts';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';
import type { PaymentMode } from '#shared/payments.ts';
import type { Renderer } from '#shared/rendered-page.ts';
import { SOFTWARE } from '#shared/software.ts';
import { STREAM_HEARTBEAT_MS } from './api/http/envelope.ts';
import { createRequestServer } from './api/http/unread-requests.ts';
import { type App, createApp } from './app.ts';
import { createPasswords } from './auth/passwords.ts';
import { createCare } from './backups.ts';
import { BrandRefused } from './brand/brand-refused.ts';
import { type OwnBrand, readOwnBrand, termsOfUseOf } from './brand/own-brand.ts';
import { startClockwork } from './clockwork.ts';
import { type Config, ConfigError, parseConfig, readEnvironment } from './config.ts';
import { openMailRelay, openMetrics, openPaymentService, requireKeys } from './configured-parts.ts';
import { createAnnounce, createLogDestination } from './log-destination.ts';
import { logOptions } from './log-options.ts';
import { type Pages, preparePages } from './pages/pages.ts';
import { createDrawing } from './print/drawing.ts';
import { databaseAt } from './storage/open.ts';
import { DatabaseRefused } from './storage/port/database.ts';
import { readSecrets } from './storage/port/secrets.ts';
import type { Storage } from './storage/port/storage.ts';
import { BlockedWordsRefused, readBlockedWords } from './tips/blocked-words-file.ts';
import { unpayableAtStripe } from './tips/next-terms.ts';
import { isReplaced } from './tips/terms.ts';
import { createTroubles } from './troubles.ts';
import { createBackupDesk } from './upkeep/backup-desk.ts';
import { createHealth } from './upkeep/health.ts';
import { RUNNING } from './version.ts';

const PROJECT_FOLDER = join(import.meta.dirname, '../..');
const CLIENT_FOLDERS = {
  folder: join(PROJECT_FOLDER, 'dist/client'),
  earlierFolder: join(PROJECT_FOLDER, 'dist/earlier'),
  consoleFolder: join(PROJECT_FOLDER, 'dist/operator'),
};
const RENDERER = join(PROJECT_FOLDER, 'dist/render/render.js');
/** Long enough for an answer in progress, short enough for a supervisor's patience. */
export const DRAIN_PATIENCE_MS = 8_000;
const DRAIN_INTERVAL_MS = 100;
const STOP_PATIENCE_MS = 9_500;
const DAY_MS = 86_400_000;
const RANDOM_STOCK_BYTES = 4_096;

/** Cuts off slow senders, within a second after the headers have had 10 s to arrive, or the whole request 14 s. */
export const SERVER_OPTIONS = {
  headersTimeout: 10_000,
  requestTimeout: 14_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
  // unread-requests.ts refuses a request without a Host in the form of every other error.
  requireHostHeader: false,
} as const;

/** Far fewer than the service's file descriptors (deploy/tipwell.service), because files are opened as well. */
const MAX_CONNECTIONS = 20_000;

/** V8 lets a small heap quadruple before it collects: twenty whole histories at once took 150 MB more without this. */
const HEAP_GROWTH_PERCENT = 50;

/** The host of an HTTP/1.0 request without one; nothing relies on it. */
const UNNAMED_HOST = 'localhost';

/** A silent connection is cut after twice this time. Heartbeats of streams are more frequent. */
const SILENCE_PATIENCE_MS = Math.max(STREAM_HEARTBEAT_MS, CLIENT_PATIENCE_MS) + 2_000;

export async function serve(): Promise<void> {
  try {
    await start();
  } catch (error) {
    const isForeseen =
      error instanceof ConfigError ||
      error instanceof DatabaseRefused ||
      error instanceof BlockedWordsRefused ||
      error instanceof BrandRefused;
    process.stderr.write(
      `${SOFTWARE} cannot start: ` +
        `${isForeseen ? error.message : error instanceof Error ? error.stack : String(error)}\n`,
    );
    process.exit(1);
  }
}

async function start(): Promise<void> {
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = parseConfig(readEnvironment());
  const blockedWords = await readBlockedWords(config.blockedWordsFile);
  const logged = createLogDestination();
  const own = await readOwnBrand(config, factsOf(config));
  const log = pino(logOptions(config), logged);

  const database = databaseAt(config.database);
  let isNew = false;
  const storage = await database.openForServer({
    clock: Date.now,
    warn: (sentence, err) => log.warn({ err }, sentence),
    tellNew: () => {
      isNew = true;
    },
    announce: createAnnounce(log, logged, Date.now),
  });
  const metrics = await openMetrics(config);
  const troubles = createTroubles(Date.now);
  const care = createCare({ config, clock: Date.now, log, troubles, isNew });
  let isShuttingDown = false;
  const random = createRandomBytes();
  const paymentService = await openPaymentService(config, log);
  const paymentMode = paymentService?.mode ?? 'simulated';
  const { backups } = care;
  const health = createHealth({ config, storage, clock: Date.now, troubles, backups, paymentMode });
  const drawing = createDrawing({ onTrouble: (err) => log.error({ err }, 'could not draw') });
  const app = createApp({
    config,
    storage: metrics?.counting(storage) ?? storage,
    secrets: await readSecrets(storage, random),
    passwords: await createPasswords(),
    clock: Date.now,
    random,
    log,
    pages: await openPages(config, paymentMode, own),
    own,
    paymentService,
    mailRelay: await openMailRelay(config),
    blockedWords,
    drawing,
    isShuttingDown: () => isShuttingDown,
    troubles,
    upkeep: { health, backups: createBackupDesk(backups, config) },
  });

  await requireKeys(config, storage);
  // The terms of tips, before anything is answered.
  await app.tick();
  if (paymentService) await requirePayableTerms(storage);
  const server = await listen(app, config);
  if (metrics && config.metrics) {
    const { maintenance } = config;
    metrics.watch({ storage, streams: app.streams, troubles: troubles.present, maintenance });
    const { serveMetrics } = await import('./metrics/metrics-server.ts');
    const { host, port } = config.metrics;
    await serveMetrics(metrics, { host, port, log }).catch((cause: unknown) => {
      throw cannotListen(`METRICS_HOST ${host}, METRICS_PORT ${port}`, cause);
    });
  }
  log.info({ ...RUNNING, database: database.name }, 'listening');
  await tellWarnings({ config, own, storage, log });
  const stopClockwork = startClockwork({ app, storage, care, clock: Date.now, log, troubles });

  const stop = async (signal: string) => {
    isShuttingDown = true;
    log.info({ signal }, 'stopping');
    stopClockwork();
    app.endStreams();
    const tooLate = sleep(STOP_PATIENCE_MS).then(() => {
      throw new Error(`the database did not let go within ${STOP_PATIENCE_MS} ms`);
    });
    await Promise.race([
      Promise.all([drain(server), app.endNotifications(), app.endMails(), app.endWebhooks()]).then(() =>
        Promise.all([storage.close(), drawing.end()]),
      ),
      tooLate,
    ]);
    app.tellProbes();
    log.info('stopped');
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.on(signal, () => {
      // npm also forwards signals of the terminal: a second one must not interrupt the shutdown.
      if (isShuttingDown) return;
      stop(signal).then(
        () => process.exit(0),
        (err: unknown) => {
          log.error({ err }, 'could not stop in order');
          process.exit(1);
        },
      );
    });
  }
  // Standard output may be a file on the full disk of the log.
  process.stdout.on('error', () => {});
  process.stdout.write(`${SOFTWARE} is ready at ${addressOf(config)}\n`);
}

/** @throws ConfigError when tips under the present terms, or under those to come, can only be simulated. */
async function requirePayableTerms(storage: Storage): Promise<void> {
  const versions = await storage.listTerms();
  const toCome = versions.filter(
    ({ fromMs }, index) => fromMs > Date.now() && !isReplaced(fromMs, versions.slice(index + 1)),
  );
  for (const each of [terms(), ...toCome]) {
    const unpayable = unpayableAtStripe(each);
    if (unpayable)
      throw new ConfigError(
        `${unpayable.message} Tips under version ${each.version} of the terms can be simulated, not paid.`,
      );
  }
}

async function tellWarnings({
  config,
  own,
  storage,
  log,
}: {
  readonly config: Config;
  readonly own: OwnBrand;
  readonly storage: Pick<Storage, 'factors' | 'operations'>;
  readonly log: Logger;
}): Promise<void> {
  for (const warning of config.warnings) log.warn(warning);
  const held = config.stripe ? null : await storage.operations.sumArriving();
  if (held && held.count > 0)
    log.warn(
      { tips: held.count, sum: formatMoney(held.cents) },
      'tips are held on cards, and without the keys of the payment service nobody charges them',
    );
  const orphans = await storage.factors.countPasskeysElsewhere(new URL(config.publicUrl).hostname);
  if (orphans > 0)
    log.warn(
      { passkeys: orphans },
      'passkeys were made for another host than that of PUBLIC_URL, and log nobody in here',
    );
  for (const shade of own.accent?.mended ?? []) log.warn(`BRAND_COLOR: ${shade}`);
}

function factsOf(config: Config): Parameters<typeof readOwnBrand>[1] {
  return {
    siteName: brand.name,
    contact: readOperatorContact(config.operatorContact)?.text ?? null,
    isPaidByStripe: config.stripe !== null,
    sendsMail: config.mail !== null,
    takesGuestTips: config.takesGuestTips,
    hashesLogNames: config.hashesLogNames,
    sessionDays: config.sessionLifetimeMs / DAY_MS,
    closingDays: CLOSING_GRACE_DAYS,
  };
}

/** Null without a build in development, where Vite serves the client, which renders every page itself. */
async function openPages(
  { publicUrl, takesGuestTips, operatorContact, mail, registration, maintenance }: Config,
  paymentMode: PaymentMode,
  own: OwnBrand,
): Promise<Pages | null> {
  if (!existsSync(RENDERER)) return null;
  const { renderer }: { readonly renderer: Renderer } = await import(pathToFileURL(RENDERER).href);
  return preparePages(
    CLIENT_FOLDERS,
    renderer,
    publicUrl,
    {
      paymentMode,
      takesGuestTips,
      operatorContact,
      sendsMail: mail !== null,
      registration,
      hasTerms: termsOfUseOf(own) !== null,
      maintenance,
    },
    own,
  );
}

/** Buffers random bytes, because each fetch costs as much as hundreds of bytes. No byte is returned twice. */
function createRandomBytes(): RandomBytes {
  let stock = Buffer.alloc(0);
  return (size) => {
    if (size > stock.length) stock = randomBytes(Math.max(RANDOM_STOCK_BYTES, size));
    const taken = Buffer.from(stock.subarray(0, size));
    stock.fill(0, 0, size);
    stock = stock.subarray(size);
    return taken;
  };
}

function listen(app: App, config: Config): Promise<Server> {
  const errorHandler = (error: unknown) => {
    const code = error instanceof RequestError ? 'malformed_request' : 'internal';
    const { body, ...rest } = app.refuseUnread(new AppError(code, { cause: error }));
    return new Response(body, rest);
  };
  // The adapter would cut a connection whose body continues after the answer, without an error.
  const adapting = { errorHandler, hostname: UNNAMED_HOST, autoCleanupIncoming: false };
  const listener = getRequestListener(app.fetch, adapting);
  const server = createRequestServer(SERVER_OPTIONS, listener, app.refuseUnread);
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(SILENCE_PATIENCE_MS);
  return new Promise((resolve, reject) => {
    server.once('error', (cause) => reject(cannotListen(`${config.host} port ${config.port}`, cause)));
    server.listen(config.port, config.host, () => resolve(server));
  });
}

function cannotListen(place: string, cause: unknown): ConfigError {
  if (!(cause instanceof Error)) throw cause;
  const isTaken = 'code' in cause && cause.code === 'EADDRINUSE';
  const reason = isTaken ? 'the port is already in use' : cause.message;
  return new ConfigError(`cannot listen on ${place}: ${reason}`, { cause });
}

function drain(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.closeAllConnections(), DRAIN_PATIENCE_MS);
    // Connections become idle as their answers end, and a client that kept one would only be refused on it.
    const closing = setInterval(() => server.closeIdleConnections(), DRAIN_INTERVAL_MS);
    server.close(() => {
      clearTimeout(deadline);
      clearInterval(closing);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function addressOf(config: Config): string {
  const host = config.host === '127.0.0.1' ? 'localhost' : config.host;
  return `http://${host.includes(':') ? `[${host}]` : host}:${config.port}`;
}
