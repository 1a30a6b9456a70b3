/**
 * Runs a command of this program in a process of its own, because copying and checking a database would stop the server meanwhile.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';

/** The same program as this process, with the same options of Node.js. */
const PROGRAM = [
  ...process.execArgv,
  join(import.meta.dirname, `main${extname(import.meta.filename)}`),
] as const;

/** What is kept of an output: of one without an end, the last part says why. */
const MAX_OUTPUT_LENGTH = 1_000_000;

export interface RunApart {
  /** Of the command, after its name. */
  readonly words: readonly string[];
  /** The settings of the process; those of this one when they are not given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** After this time, in milliseconds, the process is ended, with all that it has started. */
  readonly patienceMs: number;
  /** Ends it earlier. */
  readonly signal: AbortSignal;
}

export interface EndedApart {
  /** The exit code; null for a process that a signal has ended. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/**
 * Runs a command to its end, whatever its exit code.
 * @param program what Node.js runs, with its options.
 * @throws Error when it could not be started, or had to be ended.
 */
export async function runApart(
  { words, environment, patienceMs, signal }: RunApart,
  program: readonly string[] = PROGRAM,
): Promise<EndedApart> {
  signal.throwIfAborted();
  const child = spawn(process.execPath, [...program, ...words], {
    ...(environment && { env: environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own, so that pg_dump, which it starts, is ended with it.
    detached: process.platform !== 'win32',
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (text: string) => {
      said[stream] = (said[stream] + text).slice(-MAX_OUTPUT_LENGTH);
    });
  }
  const tooLate = AbortSignal.timeout(patienceMs);
  const ending = AbortSignal.any([signal, tooLate]);
  const end = () => endGroup(child);
  ending.addEventListener('abort', end, { once: true });
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', resolve);
    });
    signal.throwIfAborted();
    if (tooLate.aborted)
      throw new Error(
        `${words[0]} did not come to an end within ${Math.round(patienceMs / 60_000)} minutes, and was ended`,
      );
    return { code, ...said };
  } finally {
    ending.removeEventListener('abort', end);
  }
}

/** Ends a process and its group. SIGKILL, because whatever hangs may not hear anything else. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself meanwhile.
  }
}
