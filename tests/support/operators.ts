/** Operators with a live session, put straight into a storage, and a typed client of the console on a test app. */
import { createHash, randomBytes } from 'node:crypto';
import { createTRPCClient, httpBatchStreamLink, httpLink, splitLink } from '@trpc/client';
import { type ConsoleRouter, consoleRouter } from '#server/api/console/console-router.ts';
import type { Operator } from '#server/storage/port/operators.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { newOperatorId } from '#shared/ids.ts';

/** Every procedure of the console, under a path such as `session.me`. */
export const CONSOLE_PROCEDURES = Object.entries<unknown>(consoleRouter._def.procedures).map(
  ([path, procedure]) => {
    if (!isProcedure(procedure)) throw new Error(`${path} is no procedure`);
    return { path, type: procedure._def.type };
  },
);

function isProcedure(value: unknown): value is { readonly _def: { readonly type: string } } {
  return typeof value === 'function' && '_def' in value;
}

const OPERATOR_ADDRESS = '192.0.2.1';

interface Choices {
  readonly email?: string;
  /** When the second factor was proved; just now unless a test is about that. */
  readonly confirmedAtMs?: number;
  /** False for one who has only begun to enrol. */
  readonly isEnrolled?: boolean;
}

/** Adds an operator who has enrolled, with a session. @returns the token. */
export async function addOperator(
  { operators }: Pick<Storage, 'operators'>,
  nowMs: number,
  {
    email = `ops-${randomBytes(4).toString('hex')}@example.com`,
    confirmedAtMs = nowMs,
    isEnrolled = true,
  }: Choices = {},
): Promise<{ readonly operator: Operator; readonly token: string }> {
  const id = newOperatorId(randomBytes);
  const link = { tokenHash: randomBytes(32), expiresAtMs: nowMs + 60_000 };
  const outcome = await operators.add({ id, email, createdAtMs: nowMs }, link);
  if (outcome !== 'added') throw new Error(outcome);
  const token = randomBytes(32).toString('base64url');
  const session = {
    tokenHash: createHash('sha256').update(token).digest(),
    createdAtMs: nowMs,
    lastUsedAtMs: nowMs,
    expiresAtMs: nowMs + 12 * 3_600_000,
    confirmedAtMs,
    address: OPERATOR_ADDRESS,
    device: '',
  };
  const operator = await operators.beginEnrolment(link.tokenHash, session, nowMs);
  if (!operator) throw new Error('the link did not work');
  if (isEnrolled) await operators.finishEnrolment(session.tokenHash, null, nowMs);
  return { operator: { ...operator, enrolledAtMs: isEnrolled ? nowMs : null }, token };
}

interface ConsoleApp {
  readonly storage: Storage;
  readonly clock: { readonly nowMs: number };
  send(path: string, init?: RequestInit, peer?: string): Promise<Response>;
}

/** The console of a test app, with a token or without one. */
export function consoleOf({ send }: Pick<ConsoleApp, 'send'>, token?: string, peer = OPERATOR_ADDRESS) {
  const http = {
    url: 'http://localhost/operator/trpc',
    headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
    fetch: (url: unknown, init?: object) => send(String(url), { ...init, signal: null } as RequestInit, peer),
  };
  return createTRPCClient<ConsoleRouter>({
    links: [
      splitLink({
        condition: ({ path }) => path === 'people.export',
        true: httpBatchStreamLink({ ...http, maxItems: 1 }),
        false: httpLink(http),
      }),
    ],
  });
}

/** An operator of a test app whose second factor was just proved, and their console. */
export async function createOperator(t: ConsoleApp, choices: Choices = {}) {
  const { operator, token } = await addOperator(t.storage, t.clock.nowMs, choices);
  return { operator, token, console: consoleOf(t, token) };
}
