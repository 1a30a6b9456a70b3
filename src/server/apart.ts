/** Runs a command in a process of its own, because copying and checking a database would block the server. */
import { type ChildProcess, spawn } from 'node:child_process';
import { extname, join } from 'node:path';

const PROGRAM = [
  ...process.execArgv,
  join(import.meta.dirname, `main${extname(import.meta.filename)}`),
] as const;

/** Characters; of a longer output the end is kept, which gives the reason. */
const MAX_OUTPUT_LENGTH = 1_000_000;

export interface RunApart {
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** The process and its children are killed after this time. */
  readonly patienceMs: number;
  readonly signal: AbortSignal;
}

export interface EndedApart {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Resolves whatever the exit code is. @throws Error when it could not be started or had to be killed. */
export async function runApart(
  { words, environment, patienceMs, signal }: RunApart,
  program: readonly string[] = PROGRAM,
): Promise<EndedApart> {
  signal.throwIfAborted();
  const child: ChildProcess = spawn(process.execPath, [...program, ...words], {
    ...(environment && { env: environment }),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group, so that pg_dump, which the command starts, is killed with it.
    detached: process.platform !== 'win32',
  });
  // With too few file descriptors there is no stream, and the error comes before anything that is awaited here.
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  const said = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      said[stream] = (said[stream] + text).slice(-MAX_OUTPUT_LENGTH);
    });
  }
  const tooLate = AbortSignal.timeout(patienceMs);
  const ending = AbortSignal.any([signal, tooLate]);
  const end = () => endGroup(child);
  ending.addEventListener('abort', end, { once: true });
  try {
    const code = await ended;
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

/** SIGKILL, because a process that hangs may ignore other signals. */
function endGroup(child: ChildProcess): void {
  if (child.pid === undefined) return;
  try {
    if (process.platform === 'win32') child.kill('SIGKILL');
    else process.kill(-child.pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}
