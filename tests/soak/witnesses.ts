/**
 * Who is there while a server is attacked, and tells how they fared: a prober of /healthz, people who tip,
 * and people who log in on a device on which they have logged in before. None of them does anything that a
 * limit is for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Device, type Person, type Received, send } from './visitor.ts';

const PROBER = '127.0.1.1';
const GIVERS = '127.0.2.';
const PROBE_INTERVAL_MS = 20;
const TIP_INTERVAL_MS = 100;
const LOGIN_INTERVAL_MS = 500;
const MOST_LOGINS = 4;

export interface Regular {
  readonly device: Device;
  readonly person: Person;
}

export interface Crowd {
  readonly giverTokens: readonly string[];
  readonly codes: readonly { readonly id: string; readonly category: string }[];
  readonly regulars: readonly Regular[];
}

export interface Deeds {
  readonly done: number;
  readonly timesMs: readonly number[];
  readonly refused: readonly string[];
}

export interface Testimony {
  readonly probes: Deeds;
  readonly tips: Deeds;
  readonly logins: Deeds;
}

/** Ends at `overAt` on the clock of `performance.now()`; Infinity while the end is unknown. */
export interface Phase {
  overAt: number;
}

let tipsSent = 0;

export async function witness(port: number, crowd: Crowd, phase: Phase): Promise<Testimony> {
  const [probes, tips, logins] = await Promise.all([
    probe(port, phase),
    atIntervals(TIP_INTERVAL_MS, phase, () => tip(port, crowd)),
    atIntervals(LOGIN_INTERVAL_MS, phase, loginsOf(crowd)),
  ]);
  return { probes, tips, logins };
}

/** @returns null when a login on a known device succeeds; else the problem. */
export async function logIn({ device, person: { email, password } }: Regular): Promise<string | null> {
  return refusalOf(() => device.send('/api/auth/login', { body: { email, password } }));
}

/** @returns null for a success; else the answer. */
export async function refusalOf(act: () => Promise<Received>): Promise<string | null> {
  try {
    const { status, text } = await act();
    if (status >= 200 && status < 300) return null;
    return `${status} ${/"code":"(\w+)"/.exec(text)?.[1] ?? text.slice(0, 100)}`;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/**
 * One request after another on a connection. Each is measured from the time at which it was due, as somebody
 * would wait who came then.
 */
async function probe(port: number, phase: Phase): Promise<Deeds> {
  const deeds = { done: 0, timesMs: [] as number[], refused: [] as string[] };
  const startedAt = performance.now();
  for (let dueAt = startedAt; dueAt < phase.overAt; dueAt += PROBE_INTERVAL_MS) {
    await sleep(Math.max(0, dueAt - performance.now()));
    if (phase.overAt <= dueAt) break;
    const refusal = await refusalOf(() => send(port, '/healthz', { from: PROBER }));
    deeds.timesMs.push(performance.now() - dueAt);
    if (refusal === null) deeds.done += 1;
    else deeds.refused.push(refusal);
    // After waiting in vain, later due times are skipped.
    if (refusal !== null) dueAt = Math.max(dueAt, performance.now());
  }
  return deeds;
}

/** Requests begin on time, even if earlier ones are unanswered; null from `act` skips one. */
async function atIntervals(
  intervalMs: number,
  phase: Phase,
  act: () => Promise<string | null> | null,
): Promise<Deeds> {
  const deeds = { done: 0, timesMs: [] as number[], refused: [] as string[] };
  const begun: Promise<void>[] = [];
  for (let dueAt = performance.now(); ; dueAt += intervalMs) {
    await sleep(Math.max(0, dueAt - performance.now()));
    if (phase.overAt <= dueAt) break;
    const sentAt = performance.now();
    const acting = act()?.then((refusal) => {
      if (refusal !== null) deeds.refused.push(refusal);
      else {
        deeds.done += 1;
        deeds.timesMs.push(performance.now() - sentAt);
      }
    });
    if (acting) begun.push(acting);
  }
  await Promise.all(begun);
  return deeds;
}

/** Givers alternate, so that nobody comes near a limit. */
function tip(port: number, { giverTokens, codes }: Crowd): Promise<string | null> {
  tipsSent += 1;
  const giver = tipsSent % giverTokens.length;
  const code = codes[tipsSent % codes.length];
  return refusalOf(() =>
    send(port, '/api/transactions', {
      from: `${GIVERS}${1 + giver}`,
      token: giverTokens[giver],
      body: { amount: 10, receiver_qr_id: code?.id, service_category: code?.category },
      headers: { 'Idempotency-Key': `tip-${tipsSent}` },
    }),
  );
}

/** People alternate, nobody before their last login was answered or more often than people do. */
function loginsOf({ regulars }: Crowd): () => Promise<string | null> | null {
  const due = Array.from({ length: MOST_LOGINS }, () => regulars).flat();
  const waiting = new Set<Regular>();
  return () => {
    const index = due.findIndex((regular) => !waiting.has(regular));
    const [regular] = index === -1 ? [] : due.splice(index, 1);
    if (!regular) return null;
    waiting.add(regular);
    return logIn(regular).finally(() => waiting.delete(regular));
  };
}
