/**
 * What the operator's commands share: they say what they did, or in one line why they could not, and answer with an
 * exit code.
 */
import { ConfigError, parseConfig, readEnvironment } from './config.ts';
import { DatabaseRefused } from './storage/sqlite/connection.ts';

interface CommandInput {
  readonly databasePath: string;
  /** What stands behind the command. */
  readonly words: readonly string[];
  say(line: string): void;
}

/** Thrown when the command was called in a way that it does not understand. */
class UsageError extends Error {}

/** Runs a command; it answers whether all is well. */
export function runCommand(command: (input: CommandInput) => boolean): void {
  try {
    const { databasePath } = parseConfig(readEnvironment());
    const say = (line: string) => void process.stdout.write(`${line}\n`);
    process.exitCode = command({ databasePath, words: process.argv.slice(2), say }) ? 0 : 1;
  } catch (error) {
    if (!isForeseen(error)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
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
    isFileTrouble || [ConfigError, DatabaseRefused, UsageError].some((foreseen) => error instanceof foreseen)
  );
}
