/** What every engine asks of a backup: it appears under its name only once it is complete, and is trusted only when it checks out. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { DatabaseRefused } from '../port/database.ts';

/** For this user alone. */
export const FILE_MODE = 0o600;

/**
 * Writes a backup beside its name, which it gets once it is on the disk.
 * @param write makes the file that it is handed, and answers what was found in it.
 * @throws DatabaseRefused when there is a file of that name; whatever `write` throws, and nothing of the backup is left then.
 */
export async function writeBackup<Findings>(
  target: string,
  write: (unfinished: string, file: string) => Findings | Promise<Findings>,
): Promise<Findings> {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(`${file} exists already; a backup never overwrites a file.`);
  const unfinished = `${file}.unfinished`;
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

/** @param name what is wrong with. @throws DatabaseRefused with the first of the problems, if there are any. */
export function requireTrusted(name: string, [problem]: readonly string[]): void {
  if (problem !== undefined) throw new DatabaseRefused(`${name} cannot be trusted. ${problem}`);
}

/** Makes sure that a file, or the names in a folder, are on the disk. */
export function flush(path: string): void {
  const handle = openSync(path, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
