/**
 * Counts a group of attempts in two round trips. Each count is locked by an advisory lock, because its row
 * may not exist yet, and by its row, which others may delete without that lock.
 */

import type { AttemptCount } from '../port/attempts.ts';
import type { Storage } from '../port/storage.ts';
import { countAttempt } from '../rules/attempts.ts';
import type { StepConnection } from './atomic-steps.ts';

export interface AttemptToTake {
  readonly counts: readonly AttemptCount[];
  readonly nowMs: number;
}

type TakenOrNot = Awaited<ReturnType<Storage['takeAttempt']>>;

interface Stored extends Record<string, unknown> {
  readonly limit: string;
  readonly account: string;
  readonly address: string;
  readonly count: number;
  readonly endsAtMs: number;
}

/** Locks are taken in the order of their numbers, so that transactions cannot deadlock. */
const LOCK = `
  SELECT pg_advisory_xact_lock(number)
  FROM (SELECT DISTINCT hashtextextended(name, 0) AS number FROM unnest($1::text[]) AS name ORDER BY number OFFSET 0) AS lock`;

const STORED = `
  SELECT limit_name AS "limit", account, address, count, ends_at_ms AS "endsAtMs"
  FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (limit_name, account, address)
  JOIN attempts USING (limit_name, account, address)
  ORDER BY limit_name, account, address FOR UPDATE OF attempts`;

const TAKE_BACK = `
  WITH wanted AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[]) AS wanted (limit_name, account, address)
  ), emptied AS (
    DELETE FROM attempts USING wanted
    WHERE (attempts.limit_name, attempts.account, attempts.address) = (wanted.limit_name, wanted.account, wanted.address)
      AND count <= 1
  )
  UPDATE attempts SET count = count - 1 FROM wanted
  WHERE (attempts.limit_name, attempts.account, attempts.address) = (wanted.limit_name, wanted.account, wanted.address)
    AND count > 1`;

const SAVE = `
  INSERT INTO attempts (limit_name, account, address, count, ends_at_ms)
  SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[])
  ON CONFLICT (limit_name, account, address) DO UPDATE SET count = excluded.count, ends_at_ms = excluded.ends_at_ms`;

type CountName = Pick<AttemptCount, 'limit' | 'account' | 'address'>;

const nameOf = ({ limit, account, address }: CountName) => `${limit} ${account} ${address}`;

export async function takeAttempts(
  connection: StepConnection,
  attempts: readonly AttemptToTake[],
): Promise<TakenOrNot[]> {
  const wanted = [
    ...new Map(attempts.flatMap(({ counts }) => counts).map((count) => [nameOf(count), count])).values(),
  ];
  const [, , found] = await Promise.all([
    connection.begun,
    lockCounts(connection, wanted),
    connection.ask<Stored>({ name: 'stored_attempts', text: STORED, values: columnsOf(wanted) }),
  ]);
  const stored = new Map(found.map((row) => [nameOf(row), row]));
  const changed = new Map<string, Stored>();
  const outcomes = attempts.map(({ counts, nowMs }): TakenOrNot => {
    const decision = countAttempt(
      counts.map((count) => ({ ...count, stored: stored.get(nameOf(count)) })),
      nowMs,
    );
    if (decision.outcome === 'used_up') return decision;
    for (const row of decision.rows) {
      stored.set(nameOf(row), row);
      changed.set(nameOf(row), row);
    }
    return { outcome: 'taken' };
  });
  const rows = [...changed.values()];
  await connection.commit(
    connection.ask({
      name: 'save_attempts',
      text: SAVE,
      values: [...columnsOf(rows), rows.map(({ count }) => count), rows.map(({ endsAtMs }) => endsAtMs)],
    }),
  );
  return outcomes;
}

export async function takeBack(connection: StepConnection, counts: readonly CountName[]): Promise<void> {
  await Promise.all([connection.begun, lockCounts(connection, counts)]);
  await connection.commit(connection.ask({ name: 'take_back', text: TAKE_BACK, values: columnsOf(counts) }));
}

function lockCounts(connection: StepConnection, counts: readonly CountName[]) {
  return connection.ask({ name: 'lock_attempts', text: LOCK, values: [counts.map(nameOf)] });
}

function columnsOf(counts: readonly CountName[]) {
  return [
    counts.map(({ limit }) => limit),
    counts.map(({ account }) => account),
    counts.map(({ address }) => address),
  ];
}
