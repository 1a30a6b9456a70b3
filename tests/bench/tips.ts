/** The load of tips, and whether each tip that was acknowledged stands in the ledger once. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type LoadResult, runLoad } from './load.ts';
import { describeRates, medianOf, parametersFile, type Row } from './rows.ts';
import type { SeededLedger } from './seeded-ledger.ts';
import type { BenchServer } from './servers.ts';

export const CONNECTIONS = 64;

/** @returns the path of the file that says who gives tips, and to which codes. */
export function tipParameters(folder: string, seeded: Pick<SeededLedger, 'giverTokens' | 'codes'>): string {
  return parametersFile(folder, 'tips', [
    ...seeded.giverTokens.map((token) => `token ${token}`),
    ...seeded.codes.map(({ id, category }) => `code ${id} ${category}`),
  ]);
}

interface TipLoad {
  readonly parameters: string;
  readonly seconds: number;
  readonly connections?: number;
}

export interface TipResult extends LoadResult {
  /** The ids of the tips that were acknowledged. */
  readonly ids: readonly string[];
}

/** @throws Error when an answer was wrong, or a connection broke. */
export async function runTips(server: BenchServer, folder: string, load: TipLoad): Promise<TipResult> {
  const acknowledged = join(folder, `acknowledged-${new URL(server.url).port}.txt`);
  const measured = await runLoad(server, {
    kind: 'tips',
    parameters: load.parameters,
    connections: load.connections ?? CONNECTIONS,
    seconds: load.seconds,
    acknowledged,
  });
  const ids = readFileSync(acknowledged, 'utf8')
    .split('\n')
    .filter((id) => id !== '');
  if (ids.length !== measured.right) throw new Error(`${ids.length} ids of ${measured.right} answers`);
  return { ...measured, ids };
}

/**
 * @param recorded the tips that the ledger has beyond those that were seeded.
 * @param runs how many loads there were, each of which may end before the answers to its last tips.
 * @throws Error when a tip that was acknowledged is lost or doubled.
 */
export function requireOnce(
  name: string,
  acknowledged: readonly string[],
  recorded: readonly string[],
  runs: number,
): void {
  const kept = new Set(recorded);
  const lost = acknowledged.filter((id) => !kept.has(id)).length;
  const doubled = acknowledged.length - new Set(acknowledged).size;
  // When a load ends, what is under way may be recorded without anybody there to be told.
  const untold = kept.size - acknowledged.length;
  if (lost > 0 || doubled > 0 || untold > runs * CONNECTIONS) {
    throw new Error(`${name}: ${lost} tips lost, ${doubled} answered twice, ${untold} too many`);
  }
}

/**
 * The rows of tips of the product against a floor. @param p99Below the target of the one p99 over the other;
 * null for none.
 */
export function rowsOfTips(
  pairs: readonly (readonly [TipResult, TipResult])[],
  {
    what,
    least,
    p99Below = null,
  }: { readonly what: string; readonly least: number; readonly p99Below?: number | null },
): Row[] {
  const p99 = (index: 0 | 1) => medianOf(pairs.map((pair) => pair[index].p99Ms)).toFixed(0);
  return [
    {
      what: `${what}, tips/s over the floor`,
      target: `>= ${least.toFixed(1)}`,
      values: pairs.map(([ours, theirs]) => ours.perSecond / theirs.perSecond),
      unit: 'x',
      isMet: (median) => median >= least,
      note: describeRates(pairs),
    },
    {
      what: 'the same, p99 over the floor',
      target: p99Below === null ? '' : `< ${p99Below.toFixed(2)}`,
      values: pairs.map(([ours, theirs]) => ours.p99Ms / theirs.p99Ms),
      unit: 'x',
      isMet: (median) => p99Below === null || median < p99Below,
      note: `${p99(0)} ms against ${p99(1)} ms`,
    },
  ];
}
