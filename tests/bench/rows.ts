/** Printing of figures, and rounds in turns. */
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { LoadResult } from './load.ts';

export interface Row {
  readonly what: string;
  /** Empty for a figure without a target. */
  readonly target: string;
  readonly values: readonly number[];
  readonly unit: string;
  isMet(median: number): boolean;
  readonly note: string;
}

export interface Pace {
  readonly seconds: number;
  readonly rounds: number;
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

export function parametersFile(folder: string, name: string, lines: readonly string[]): string {
  const path = join(folder, `${name}.txt`);
  writeFileSync(path, `${lines.join('\n')}\n`);
  return path;
}

/** One of each in turn, so that other work of the machine falls on both alike. */
export async function inTurns<A, B>(rounds: number, one: () => Promise<A>, other: () => Promise<B>) {
  const pairs: (readonly [A, B])[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push([await one(), await other()]);
  return pairs;
}

export function describeRates(pairs: readonly (readonly [LoadResult, LoadResult])[]): string {
  const of = (index: 0 | 1) => Math.round(medianOf(pairs.map((pair) => pair[index].perSecond)));
  const cpu = (index: 0 | 1) => Math.round(medianOf(pairs.map((pair) => pair[index].cpuUs)));
  return `${of(0)}/s against ${of(1)}/s; CPU for each ${cpu(0)} µs against ${cpu(1)} µs`;
}

export function isRowMet({ values, isMet }: Row): boolean {
  return isMet(medianOf(values));
}

export function print(rows: readonly Row[]): void {
  const number = (value: number, unit: string) => `${value.toFixed(value < 10 ? 2 : 0)}${unit}`;
  say('');
  say('| what | target | min | median | max | | |');
  say('| --- | --- | --- | --- | --- | --- | --- |');
  for (const row of rows) {
    const { what, target, values, unit, note } = row;
    const cells = [Math.min(...values), medianOf(values), Math.max(...values)].map((value) =>
      number(value, unit),
    );
    const verdict = target === '' ? '' : isRowMet(row) ? 'met' : 'MISSED';
    say(`| ${what} | ${target} | ${cells.join(' | ')} | ${verdict} | ${note} |`);
  }
  say(`load ${loadavg()[0]?.toFixed(2)} at the end`);
}

export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  const load = `load ${loadavg()[0]?.toFixed(2)}`;
  return `${cpu?.model.trim()}, ${availableParallelism()} cores, ${memory}, Linux ${release()}, Node ${process.version}; ${load}`;
}
