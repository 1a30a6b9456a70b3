/**
 * Compares the clock of this process with the database's. Processes that share a database share sessions, limits and everything else
 * that ends at some time: one whose clock is ahead by weeks would log everybody out and forget what others still count.
 */
import type { ClientBase } from 'pg';
import type { Clock } from '#shared/calendar.ts';
import { StorageUnavailable } from '../port/storage.ts';
import type { AtomicSteps } from './atomic-steps.ts';

/** How far apart two clocks may be, in milliseconds. What NTP keeps is within a tenth of a second. */
const TOLERANCE_MS = 60_000;

/** @returns a sentence for the operator when the two are more than a minute apart, however long the answer took; null when they are not. */
export async function compareClocks(client: ClientBase, clock: Clock): Promise<string | null> {
  const before = clock();
  const { rows } = await client.query<{ nowMs: number }>(
    'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS "nowMs"',
  );
  const after = clock();
  const databaseMs = rows[0]?.nowMs ?? before;
  if (databaseMs >= before - TOLERANCE_MS && databaseMs <= after + TOLERANCE_MS) return null;
  const isAhead = after > databaseMs;
  const apart = spellDuration(isAhead ? before - databaseMs : databaseMs - after);
  return `The clock of this machine is ${apart} ${isAhead ? 'ahead of' : 'behind'} that of the database (${spellTime(after)} here, ${spellTime(databaseMs)} there): set the one that is wrong`;
}

/** What a storage does about a clock that went wrong while it runs. */
export function createClockGuard(steps: Pick<AtomicSteps, 'lend' | 'setReadOnly'>) {
  let wrong: string | null = null;
  return {
    /** `Storage.checkGround`: the server refuses whatever writes until the clocks agree again. */
    async check(clock: Clock): Promise<string | null> {
      wrong = await steps.lend((client) => compareClocks(client, clock));
      steps.setReadOnly(wrong !== null);
      return wrong;
    },
    isRight: () => wrong === null,
    /**
     * Asks whether a session is over by this clock: whoever is told so forgets it.
     * @throws StorageUnavailable while the clock is not believed.
     */
    async judge<Result>(find: () => Promise<Result>): Promise<Result> {
      if (wrong !== null) throw new StorageUnavailable(new Error(wrong));
      return find();
    },
  };
}

function spellDuration(timeMs: number): string {
  const minutes = Math.round(timeMs / 60_000);
  if (minutes < 120) return minutes === 1 ? '1 minute' : `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

function spellTime(timeMs: number): string {
  return new Date(timeMs).toISOString();
}
