/** A backup file, on every engine, gets its name only once it is complete, and is trusted only after it was checked. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type NotedPast, spellPast } from '../checks/past.ts';
import { DatabaseRefused, type Findings } from '../port/database.ts';

export const FILE_MODE = 0o600;

/** The name of a backup that is being written. */
export const unfinishedOf = (file: string) => `${file}.unfinished`;

/**
 * Writes a backup under a temporary name, which is renamed once it is flushed, and removed when `write` throws.
 * @throws DatabaseRefused when the name is taken.
 */
export async function writeBackup<Written>(
  target: string,
  write: (unfinished: string, file: string) => Written | Promise<Written>,
): Promise<Written> {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(`${file} exists already; a backup never overwrites a file.`);
  const unfinished = unfinishedOf(file);
  rmSync(unfinished, { force: true });
  try {
    const findings = await write(unfinished, file);
    flush(unfinished);
    renameSync(unfinished, file);
    flush(dirname(file));
    return findings;
  } finally {
    rmSync(unfinished, { force: true });
  }
}

/** @throws DatabaseRefused with the first problem, if there is one. */
export function requireTrusted(name: string, [problem]: readonly string[]): void {
  if (problem !== undefined) throw new DatabaseRefused(`${name} cannot be trusted. ${problem}`);
}

/**
 * For a database that was filled with the rows of another.
 * @throws DatabaseRefused when something is wrong with it, or its ledger is not the one that was read.
 */
export function requireArrived(name: string, findings: Findings, read: NotedPast): void {
  const added = findings.past === spellPast(read) ? [] : ['Tips were added'];
  requireTrusted(`What arrived in ${name}`, [...findings.problems, ...findings.differences, ...added]);
}

/** Flushes a file, or the entries of a folder, to the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
