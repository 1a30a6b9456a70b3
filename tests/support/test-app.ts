/**
 * The real application on a real database, with a clock that stands still until told otherwise, and a client
 * for each door. Whatever a test did, its ledger must add up in the end.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createTRPCClient, httpLink } from '@trpc/client';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { AppRouter } from '#server/api/procedures/router.ts';
import { createApp } from '#server/app.ts';
import { createPasswords, type Passwords } from '#server/auth/passwords.ts';
import type { BackupKeeper } from '#server/backups.ts';
import { NO_BRAND, type OwnBrand } from '#server/brand/own-brand.ts';
import { type Config, parseConfig } from '#server/config.ts';
import { logOptions } from '#server/log-options.ts';
import { createSmtpRelay } from '#server/mail/smtp-relay.ts';
import type { Pages } from '#server/pages/pages.ts';
import type { PaymentService } from '#server/payments/payment-service.ts';
import { readSecrets } from '#server/storage/port/secrets.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { type BlockedWords, NO_BLOCKED_WORDS } from '#server/tips/blocked-words.ts';
import { createTroubles } from '#server/troubles.ts';
import { createBackupDesk } from '#server/upkeep/backup-desk.ts';
import { createHealth } from '#server/upkeep/health.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { newQrCodeId, newUserId, tipPageUrl } from '#shared/ids.ts';
import { type Answer, type CallOptions, callRest, PUBLIC_URL } from './both-doors.ts';
import { testDrawing } from './drawing.ts';
import { beginSession, START_MS } from './people.ts';
import { createTestData, type TestData } from './test-data.ts';

export const PASSWORD = 'correct horse battery';

/**
 * Argon2 at its least cost, at the cost of production, and at its least cost but as slow as in production.
 */
const HASHING = {
  cheap: createPasswords({ memoryCost: 8, timeCost: 1 }),
  costly: createPasswords(),
  slow: createPasswords({ memoryCost: 8, timeCost: 1 }).then(
    (passwords): Passwords => ({
      ...passwords,
      verify: (hash, password) => delay(30).then(() => passwords.verify(hash, password)),
    }),
  ),
};

/** The hash of `PASSWORD` at each cost, made once for all tests of a worker. */
const hashes = new Map<Passwords, Promise<string>>();

function hashOf(passwords: Passwords): Promise<string> {
  const hash = hashes.get(passwords) ?? passwords.hash(PASSWORD);
  hashes.set(passwords, hash);
  return hash;
}

export interface RestAnswer extends Answer {
  /**
   * The body as parsed JSON, or as text where it is none; null when empty. Tests look into it as they please.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the wire is what is being tested, not typed
  readonly body: any;
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

/** Makes an app for the running test and cleans up after it. */
export async function createTestApp(
  options: {
    /** Rate limits are off unless a test is about them. */
    readonly config?: Partial<Config>;
    /** That of another app, which this one starts on as after a restart. */
    readonly data?: TestData;
    /** When it begins, for one that begins later than others of its test. */
    readonly beginsAtMs?: number;
    /** Makes the storage that the app gets out of the real one. */
    readonly wrapStorage?: (storage: Storage) => Storage;
    readonly isShuttingDown?: () => boolean;
    readonly hashing?: keyof typeof HASHING;
    /** Pages are served only where a test is about them. */
    readonly pages?: Pages;
    /** Payments are simulated unless a test is about a payment service. */
    readonly paymentService?: (clock: Clock) => PaymentService;
    /** No word is blocked unless a test is about them. */
    readonly blockedWords?: BlockedWords;
    /** The operator brings nothing unless a test is about it. */
    readonly own?: OwnBrand;
    /** No backups are made unless a test is about them. */
    readonly backups?: BackupKeeper;
  } = {},
) {
  const data = options.data ?? (await createTestData());
  const own = await data.openStorage();
  const storage = options.wrapStorage?.(own) ?? own;
  const clock = { nowMs: options.beginsAtMs ?? START_MS };
  const troubles = createTroubles(() => clock.nowMs);
  let health: ReturnType<typeof createHealth> | undefined;
  const logLines: string[] = [];
  const config = {
    ...parseConfig({ PUBLIC_URL, RATE_LIMIT: 'off', LOG_LEVEL: 'trace', PUSH_HOSTS: '127.0.0.1' }),
    allowsLoopbackWebhooks: true,
    ...options.config,
  };
  const passwords = await HASHING[options.hashing ?? 'cheap'];
  const app = createApp({
    config,
    storage,
    secrets: await readSecrets(storage, randomBytes),
    passwords,
    clock: () => clock.nowMs,
    random: randomBytes,
    log: pino(logOptions(config), { write: (line: string) => void logLines.push(line) }),
    pages: options.pages ?? null,
    paymentService: options.paymentService?.(() => clock.nowMs) ?? null,
    mailRelay: config.mail && createSmtpRelay(config.mail),
    blockedWords: options.blockedWords ?? NO_BLOCKED_WORDS,
    drawing: testDrawing,
    own: options.own ?? NO_BRAND,
    isShuttingDown: options.isShuttingDown ?? (() => false),
    troubles,
    upkeep: {
      // It listens to the whole process, and so only where somebody asks for it.
      health: {
        async read(streams, payments) {
          health ??= createHealth({
            config,
            storage,
            clock: () => clock.nowMs,
            troubles,
            backups: options.backups ?? null,
            paymentMode: 'simulated',
          });
          return health.read(streams, payments);
        },
      },
      backups: createBackupDesk(options.backups ?? null, config),
    },
  });

  onTestFinished(async () => {
    app.endStreams();
    await data.setFault(null);
    expect(await data.check()).toEqual([]);
  });

  /** A request as it comes from a socket at `peer`. */
  async function send(path: string, init: RequestInit = {}, peer = '192.0.2.1'): Promise<Response> {
    const socket = Object.assign(new EventEmitter(), {
      remoteAddress: peer,
      remoteFamily: 'IPv4',
      setTimeout() {},
    });
    return app.fetch(new Request(new URL(path, 'http://localhost'), init), { incoming: { socket } });
  }

  /** Calls the REST door. `path` is below /api; the body is sent as JSON, a string or bytes as they are. */
  async function rest(
    method: string,
    path: string,
    { body, ...options }: CallOptions & { readonly body?: unknown } = {},
  ): Promise<RestAnswer> {
    const answer = await callRest({ send }, method, path, body, options);
    const isJson = /\bjson\b/.test(answer.headers.get('Content-Type') ?? '');
    return { ...answer, body: isJson && answer.text !== '' ? JSON.parse(answer.text) : answer.text || null };
  }

  /** A tRPC client through the same app; `httpLink`, so that each call is a request of its own. */
  function trpc(token?: string) {
    return createTRPCClient<AppRouter>({
      links: [
        httpLink({
          url: 'http://localhost/trpc',
          headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
          fetch: (url, init) => send(String(url), { ...init, signal: null } as RequestInit),
        }),
      ],
    });
  }

  async function logIn(email: string, password = PASSWORD): Promise<string> {
    return (await trpc().auth.login.mutate({ email, password })).accessToken;
  }

  /**
   * Puts in somebody who is logged in; the email is `{username}@example.com`. Registering would judge the
   * password.
   */
  async function register(username: string, fullName: string, serviceCategories: ServiceCategory[] | null) {
    const email = `${username}@example.com`;
    const passwordHash = await hashOf(passwords);
    const outcome = await storage.createAccount({
      id: newUserId(randomBytes),
      email,
      username,
      fullName,
      phone: null,
      isServiceProvider: serviceCategories !== null,
      serviceCategories: serviceCategories ?? [],
      createdAtMs: clock.nowMs,
      passwordHash,
    });
    if (outcome !== 'created') throw new Error(outcome);
    const token = await beginSession(storage, email, {
      createdAtMs: clock.nowMs,
      expiresAtMs: clock.nowMs + config.sessionLifetimeMs,
    });
    const user = await trpc(token).auth.me.query();
    return { user, token, trpc: trpc(token) };
  }

  const registerProvider = (username = 'pat', serviceCategories: ServiceCategory[] = ['bartender']) =>
    register(username, `Provider ${username}`, serviceCategories);

  const registerCustomer = (username = 'cam') => register(username, `Customer ${username}`, null);

  /**
   * A provider with a code, and a customer: what most tests begin with.
   * @param picture of the code: none that anybody could scan, unless a test is about pictures.
   */
  async function setTheScene(picture: 'none' | 'drawn' = 'none') {
    const provider = await registerProvider();
    const customer = await registerCustomer();
    if (picture === 'drawn') {
      const drawn = await provider.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
      return { provider, customer, code: drawn };
    }
    const id = newQrCodeId(randomBytes);
    const outcome = await storage.createQrCode(
      { id, userId: provider.user.id, serviceCategory: 'bartender', createdAtMs: clock.nowMs },
      { address: tipPageUrl(config.publicUrl, id), png: Buffer.from('no picture') },
    );
    if (outcome !== 'created') throw new Error(outcome);
    const [code] = await provider.trpc.qrCodes.list.query();
    if (code === undefined) throw new Error('the provider has no code');
    return { provider, customer, code };
  }

  return {
    app,
    data,
    storage,
    passwords,
    clock,
    config,
    troubles,
    logLines,
    send,
    rest,
    trpc,
    logIn,
    registerProvider,
    registerCustomer,
    setTheScene,
  };
}
