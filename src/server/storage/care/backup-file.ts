/** A file that somebody keeps gets its name only once it is complete; a backup is trusted only after it was checked. */
import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { type NotedPast, spellPast } from '../checks/past.ts';
import { DatabaseRefused, type Findings } from '../port/database.ts';

export const FILE_MODE = 0o600;

/** The name of a file that is being written. */
export const unfinishedOf = (file: string) => `${file}.unfinished`;

const ENDING_SIGNALS = ['SIGHUP', 'SIGINT', 'SIGTERM'] as const;

/**
 * Writes a file under a temporary name, which is renamed once it is flushed, and removed when `write` throws or a signal
 * ends the process. (SQLite copies in one call, during which a process dies of a signal at once.) Of two processes that
 * write one file at the same time, the one that began later keeps it.
 * @param write fills the file that is there, and is told by its signal when nobody waits for it any more. It calls
 *   `requireOwn` before another program opens the file by its name.
 * @throws DatabaseRefused when the name is taken, or another process has begun to write the file.
 */
export async function writeWhole<Written>(
  target: string,
  write: (unfinished: string, signal: AbortSignal, requireOwn: () => void) => Written | Promise<Written>,
): Promise<Written> {
  const file = resolve(target);
  if (existsSync(file))
    throw new DatabaseRefused(
      `There is a file ${file} already (EEXIST), and none is written over: name another one.`,
    );
  const unfinished = unfinishedOf(file);
  const begunElsewhere = (cause?: unknown) =>
    new DatabaseRefused(
      `Another command has begun to write ${file} meanwhile: look what that says, or run this again.`,
      { cause },
    );
  rmSync(unfinished, { force: true });
  // Held open until the end, so that no other file gets its identity.
  const handle = openNew(unfinished);
  if (handle === null) throw begunElsewhere();
  const own = identityOf(unfinished);
  const isOwn = () => identityOf(unfinished) === own;
  const requireOwn = (cause?: unknown) => {
    if (!isOwn()) throw begunElsewhere(cause);
  };
  const over = new AbortController();
  function clearAway(): void {
    over.abort();
    if (isOwn()) rmSync(unfinished, { force: true });
  }
  function end(signal: NodeJS.Signals): void {
    clearAway();
    // Nobody listens any more, so that the process ends as if nobody had.
    process.kill(process.pid, signal);
  }
  try {
    const writing = write(unfinished, over.signal, requireOwn);
    for (const signal of ENDING_SIGNALS) process.once(signal, end);
    const written = await writing;
    requireOwn();
    fsyncSync(handle);
    renameSync(unfinished, file);
    flushFolder(dirname(file));
    return written;
  } catch (error) {
    // What was checked by the name is the file of the other command, so that nothing is known of this one's.
    requireOwn(error);
    throw error;
  } finally {
    for (const signal of ENDING_SIGNALS) process.off(signal, end);
    clearAway();
    closeSync(handle);
  }
}

/** @returns null when another process has made the file in this moment. */
function openNew(file: string): number | null {
  try {
    return openSync(file, 'wx', FILE_MODE);
  } catch (error) {
    if (existsSync(file)) return null;
    throw error;
  }
}

/** Device and inode, which identify a file while it is open; null without a file. */
export function identityOf(file: string): string | null {
  const stat = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stat ? `${stat.dev}:${stat.ino}` : null;
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

/** Flushes a file to the disk, by a handle that may write, because Windows takes no other. */
export function flush(file: string): void {
  flushBy(openSync(file, 'r+'));
}

/** Flushes the entries of a folder to the disk; Windows flushes no folder, and journals the renaming of a file. */
export function flushFolder(folder: string): void {
  if (process.platform !== 'win32') flushBy(openSync(folder, 'r'));
}

function flushBy(handle: number): void {
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
