/**
 * Who is there while a server is attacked, and tells how they fared: a prober of /healthz, people who tip, and people
 * who log in on a device on which they have logged in before. None of them does anything that a limit is for.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Device, type Person, type Received, send } from './visitor.ts';

const PROBER = '127.0.1.1';
const GIVERS = '127.0.2.';
const PROBE_INTERVAL_MS = 20;
const TIP_INTERVAL_MS = 100;
const LOGIN_INTERVAL_MS = 500;
/** Of one person in one phase. */
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
  /** How long each took that was done, in milliseconds. */
  readonly timesMs: readonly number[];
  /** What was answered instead. */
  readonly refused: readonly string[];
}

export interface Testimony {
  readonly probes: Deeds;
  readonly tips: Deeds;
  readonly logins: Deeds;
}

/** A stretch of time, which is over at `overAt` as `performance.now()` tells it: Infinity as long as nobody knows. */
export interface Phase {
  overAt: number;
}

let tipsSent = 0;

/** Watches until the phase is over, and until everything that was due before has its answer. */
export async function witness(port: number, crowd: Crowd, phase: Phase): Promise<Testimony> {
  const [probes, tips, logins] = await Promise.all([
    probe(port, phase),
    atIntervals(TIP_INTERVAL_MS, phase, () => tip(port, crowd)),
    atIntervals(LOGIN_INTERVAL_MS, phase, loginsOf(crowd)),
  ]);
  return { probes, tips, logins };
}

/** @returns what was wrong; null when somebody who has logged in on this device before could do so again. */
export async function logIn({ device, person: { email, password } }: Regular): Promise<string | null> {
  return refusalOf(() => device.send('/api/auth/login', { body: { email, password } }));
}

/** @returns what was answered instead of a success; null when it was one. */
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
 * One request after the other on one connection. Each is due at its time, however long the one before took, and what it
 * took is counted from then: it is what somebody met who came at that moment.
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
    // Whoever has waited in vain for so long does not wait again for each that would have been due meanwhile.
    if (refusal !== null) dueAt = Math.max(dueAt, performance.now());
  }
  return deeds;
}

/** Whatever the one before is waiting for, the next begins at its time; with null from `act` there is none. */
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

/** Each from somebody else, so that nobody comes near the limit of a giver. */
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

/** In turns, nobody again before their last login was answered, and nobody more often than people do. */
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
