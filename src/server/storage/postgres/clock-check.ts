/** Processes share sessions and limits: one whose clock is ahead of the database's would log everybody out. */
import type { ClientBase } from 'pg';
import { type Clock, isoTime } from '#shared/calendar.ts';
import { CLOCKS_APART_MS } from '../port/outboxes.ts';
import { StorageUnavailable } from '../port/storage.ts';
import type { AtomicSteps } from './atomic-steps.ts';

const TOLERANCE_MS = CLOCKS_APART_MS / 2;

/** Allows for the time of the answer. @returns a sentence when the clocks differ too much; else null. */
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
  return `The clock of this machine is ${apart} ${isAhead ? 'ahead of' : 'behind'} that of the database (${isoTime(after)} here, ${isoTime(databaseMs)} there): set the one that is wrong`;
}

export function createClockGuard(steps: Pick<AtomicSteps, 'lend' | 'setReadOnly'>) {
  let wrong: string | null = null;
  return {
    async check(clock: Clock): Promise<string | null> {
      wrong = await steps.lend((client) => compareClocks(client, clock));
      steps.setReadOnly(wrong !== null);
      return wrong;
    },
    isRight: () => wrong === null,
    /** Runs a query by which sessions are forgotten. @throws StorageUnavailable while the clock is wrong. */
    async judge<Result>(find: () => Promise<Result>): Promise<Result> {
      if (wrong !== null) throw new StorageUnavailable(new Error(wrong));
      return find();
    },
  };
}

function spellDuration(timeMs: number): string {
  if (timeMs < 120_000) return `${Math.round(timeMs / 1_000)} seconds`;
  const minutes = Math.round(timeMs / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}
