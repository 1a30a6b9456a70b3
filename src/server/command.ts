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

/** Answers whether all is well. */
export type Command = (input: CommandInput) => boolean | Promise<boolean>;

/**
 * Runs a command with the words that stand behind it; the exit code is 0 when all is well.
 * @throws whatever the command throws that no operator can mend.
 */
export async function runCommand(command: Command, words: readonly string[]): Promise<void> {
  process.exitCode = 1;
  try {
    const { databasePath, sessionLifetimeMs } = parseConfig(readEnvironment());
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    if (await command({ databasePath, sessionLifetimeMs, words, say })) process.exitCode = 0;
  } catch (error) {
    if (!isForeseen(error)) throw error;
    process.stderr.write(`${error.message}\n`);
  }
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
