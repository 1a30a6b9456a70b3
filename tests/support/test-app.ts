/**
 * The real application on a real SQLite in memory, with a clock that stands still until told otherwise, and a client
 * for each door. Whatever a test did, its ledger must add up in the end.
 */
import { randomBytes } from 'node:crypto';
import { EventEmitter } from 'node:events';
import { createTRPCClient, httpLink, TRPCClientError } from '@trpc/client';
import { pino } from 'pino';
import { expect, onTestFinished } from 'vitest';
import type { AppRouter } from '#server/api/router.ts';
import { createApp } from '#server/app.ts';
import { createPasswords } from '#server/auth/passwords.ts';
import { type Config, parseConfig } from '#server/config.ts';
import type { Pages } from '#server/pages/pages.ts';
import { type Database, IN_MEMORY, openDatabase } from '#server/storage/sqlite/connection.ts';
import { checkLedger } from '#server/storage/sqlite/ledger-check.ts';
import { migrate, readMigrations } from '#server/storage/sqlite/migrations.ts';
import { createSqliteStorage } from '#server/storage/sqlite/storage.ts';
import { readSecrets } from '#server/storage/storage.ts';
import type { ServiceCategory } from '#shared/categories.ts';

export const PUBLIC_URL = 'https://tips.example.com';
export const PASSWORD = 'correct horse battery';

/** A Friday noon in UTC. */
export const START_MS = Date.UTC(2026, 4, 15, 12);

const passwords = createPasswords();

export interface RestAnswer {
  readonly status: number;
  /** The body as parsed JSON; null when empty. Tests look into it as they please. */
  // biome-ignore lint/suspicious/noExplicitAny: the wire is what is being tested, not typed
  readonly body: any;
  readonly headers: Headers;
}

interface RestOptions {
  readonly token?: string | undefined;
  /** Sent as JSON; a string or bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>;

/** Makes an app for the running test and cleans up after it. */
export async function createTestApp(
  options: {
    /** Rate limits are off unless a test is about them. */
    readonly config?: Partial<Config>;
    readonly database?: Database;
    readonly isShuttingDown?: () => boolean;
    /** Pages are served only where a test is about them. */
    readonly pages?: Pages;
  } = {},
) {
  const database = options.database ?? openDatabase(IN_MEMORY);
  migrate(database, readMigrations('drizzle'));
  const storage = createSqliteStorage(database);
  const clock = { nowMs: START_MS };
  const logLines: string[] = [];
  const config = { ...parseConfig({ PUBLIC_URL, RATE_LIMIT: 'off', LOG_LEVEL: 'trace' }), ...options.config };
  const app = createApp({
    config,
    storage,
    secrets: await readSecrets(storage, randomBytes),
    passwords: await passwords,
    clock: () => clock.nowMs,
    random: randomBytes,
    log: pino({ level: config.logLevel, base: null }, { write: (line: string) => void logLines.push(line) }),
    pages: options.pages ?? null,
    isShuttingDown: options.isShuttingDown ?? (() => false),
  });

  onTestFinished(async () => {
    app.endStreams();
    if (database.open) {
      expect(checkLedger(database)).toEqual([]);
      await storage.close();
    }
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

  /** Calls the REST door. `path` is below /api. */
  async function rest(
    method: string,
    path: string,
    { token, body, headers }: RestOptions = {},
  ): Promise<RestAnswer> {
    const response = await send(`/api${path}`, {
      method,
      headers: {
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body !== undefined && { body: bodyOf(body) }),
    });
    const text = await response.text();
    return {
      status: response.status,
      body: text === '' ? null : JSON.parse(text),
      headers: response.headers,
    };
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

  /** Registers a provider and logs in; the email is `{username}@example.com`. */
  async function registerProvider(username = 'pat', serviceCategories: ServiceCategory[] = ['bartender']) {
    const email = `${username}@example.com`;
    const person = { email, username, fullName: `Provider ${username}`, password: PASSWORD, phone: null };
    const user = await trpc().auth.register.mutate({ ...person, isServiceProvider: true, serviceCategories });
    const token = await logIn(email);
    return { user, token, trpc: trpc(token) };
  }

  /** Registers a customer and logs in; the email is `{username}@example.com`. */
  async function registerCustomer(username = 'cam') {
    const email = `${username}@example.com`;
    const person = { email, username, fullName: `Customer ${username}`, password: PASSWORD, phone: null };
    const user = await trpc().auth.register.mutate({ ...person, isServiceProvider: false });
    const token = await logIn(email);
    return { user, token, trpc: trpc(token) };
  }

  /** A provider with a code, and a customer: what most tests begin with. */
  async function setTheScene() {
    const provider = await registerProvider();
    const customer = await registerCustomer();
    const code = await provider.trpc.qrCodes.create.mutate({ serviceCategory: 'bartender' });
    return { provider, customer, code };
  }

  return {
    app,
    database,
    storage,
    clock,
    config,
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

function bodyOf(body: unknown): BodyInit {
  if (body instanceof Uint8Array) return Buffer.from(body);
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** What a refused tRPC call was told, as the client sees it. */
export async function refusal(call: Promise<unknown>) {
  const error = await call.then(
    () => {
      throw new Error('the call was not refused');
    },
    (reason: unknown) => reason,
  );
  if (!(error instanceof TRPCClientError)) throw error;
  return {
    status: error.data?.httpStatus as number,
    code: error.data?.errorCode as string,
    detail: error.message,
    fieldErrors: error.data?.fieldErrors as { field: string; message: string }[],
  };
}
