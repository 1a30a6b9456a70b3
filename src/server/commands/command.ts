/**
 * What the operator's commands share: they say what they did, or in one line why they could not, and answer with an
 * exit code.
 */
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import { type Config, ConfigError, parseConfig, readEnvironment } from '../config.ts';
import { type NotedPast, parsePast } from '../storage/checks/past.ts';
import { databaseAt } from '../storage/open.ts';
import { DatabaseRefused, type ManagedDatabase } from '../storage/port/database.ts';
import { StorageUnavailable } from '../storage/port/storage.ts';

interface CommandInput {
  readonly config: Config;
  readonly database: ManagedDatabase;
  /** The words that follow the name of the command. */
  readonly words: readonly string[];
  say(line: string): void;
}

/** Thrown when the command was called in a way that it does not understand. */
export class UsageError extends Error {}

/** Answers whether all is well. */
export type Command = (input: CommandInput) => boolean | Promise<boolean>;

/** What a command has of the process that it runs in. */
export interface Terminal {
  /** @returns the settings, by the names of their environment variables. @throws ConfigError when they cannot be read. */
  readEnvironment(): Readonly<Record<string, string | undefined>>;
  print(text: string): void;
  printError(text: string): void;
}

/**
 * Runs a command with the words that follow its name.
 * @returns the exit code, which is 0 when all is well.
 * @throws whatever the command throws that no operator can mend.
 */
export async function runCommand(
  command: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<0 | 1> {
  try {
    const config = parseConfig(terminal.readEnvironment());
    const say = (line: string) => terminal.print(`${line}\n`);
    return (await command({ config, database: databaseAt(config.database), words, say })) ? 0 : 1;
  } catch (error) {
    if (!isForeseen(error)) throw error;
    terminal.printError(`${error.message}\n`);
    return 1;
  }
}

/** Runs a command on the terminal of this process, whose exit code is that of the command, and 1 until it has ended. */
export async function runInThisProcess(command: Command, words: readonly string[]): Promise<void> {
  process.exitCode = 1;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', passOverBrokenPipe);
  process.exitCode = await runCommand(command, words, {
    readEnvironment,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
  });
}

/** Whoever reads what a command says may stop, as `head` does; the command still does its work to the end. */
function passOverBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EPIPE') throw error;
}

/**
 * Parses the words that follow the name of a command: as many as `count`, none of them empty, and options.
 * @param usage how the command is meant, as an operator would type it.
 * @throws UsageError when it was called in another way.
 */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  { usage, count, options }: { readonly usage: string; readonly count: number; readonly options: Options },
) {
  const { positionals, values } = readWords(words, usage, options);
  if (positionals.length !== count || positionals.includes('')) throw new UsageError(`Usage: ${usage}`);
  return { positionals, values };
}

function readWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  usage: string,
  options: Options,
) {
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // The first sentence of Node.js says what is wrong; the others explain how to write a word that begins with a dash.
    const [reason = ''] = error.message.split(/\. |\.?$/);
    throw new UsageError(`${reason}. Usage: ${usage}`, { cause: error });
  }
}

/**
 * Parses the note of a ledger that an operator gives as `--digest COUNT:HEX`; null when there is none.
 * @throws UsageError when it is no such note.
 */
export function parseNoted(text: string | undefined): NotedPast | null {
  if (text === undefined) return null;
  const noted = parsePast(text);
  if (noted) return noted;
  throw new UsageError(
    `--digest takes what was noted, a number of tips and 32 hexadecimal digits: COUNT:HEX. This is ${JSON.stringify(text)}.`,
  );
}

/** An option that may be given more than once. */
export const SEVERAL_NOTES = { type: 'string', multiple: true } as const;

/**
 * Parses the notes of a ledger that an operator gives as one or more `--digest COUNT:HEX`.
 * @throws UsageError when one of them is no such note.
 */
export function parseNotes(texts: readonly string[] = []): NotedPast[] {
  return texts.flatMap((text) => parseNoted(text) ?? []);
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
