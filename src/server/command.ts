/**
 * What the operator's commands share: they say what they did, or in one line why they could not, and answer with an
 * exit code.
 */
import { type Config, ConfigError, parseConfig, readEnvironment } from './config.ts';
import { DatabaseRefused } from './storage/sqlite/connection.ts';
import { StorageUnavailable } from './storage/storage.ts';

interface CommandInput extends Pick<Config, 'databasePath' | 'sessionLifetimeMs'> {
  /** What stands behind the command. */
  readonly words: readonly string[];
  say(line: string): void;
}

/** Thrown when the command was called in a way that it does not understand. */
export class UsageError extends Error {}

/** Runs a command; it answers whether all is well. */
export function runCommand(command: (input: CommandInput) => boolean | Promise<boolean>): void {
  run(command).catch((error: unknown) => {
    if (!isForeseen(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  });
}

async function run(command: (input: CommandInput) => boolean | Promise<boolean>): Promise<void> {
  const { databasePath, sessionLifetimeMs } = parseConfig(readEnvironment());
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const isWell = await command({ databasePath, sessionLifetimeMs, words: process.argv.slice(2), say });
  process.exitCode = isWell ? 0 : 1;
}

/** The one file that a command is given. */
export function fileFrom(words: readonly string[], usage: string): string {
  const [file, ...rest] = words;
  if (file === undefined || file === '' || rest.length > 0) throw new UsageError(`Usage: ${usage}`);
  return file;
}

function isForeseen(error: unknown): error is Error {
  const isFileTrouble = error instanceof Error && 'code' in error && 'syscall' in error;
  return (
    isFileTrouble ||
    [ConfigError, DatabaseRefused, StorageUnavailable, UsageError].some(
      (foreseen) => error instanceof foreseen,
    )
  );
}
