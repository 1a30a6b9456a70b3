/** The frame of the operator's commands, which print what they did, or in one line why they could not. */
import { existsSync, writeSync } from 'node:fs';
import { hostname, userInfo } from 'node:os';
import { dirname } from 'node:path';
import { type ParseArgsOptionsConfig, parseArgs } from 'node:util';
import type { Clock } from '#shared/calendar.ts';
import { MAX_REASON_LENGTH } from '#shared/console/acts.ts';
import { AppError } from '#shared/errors.ts';
import { type Config, ConfigError, parseConfig, readEnvironment } from '../config.ts';
import { EXAMPLE_TIME, timeFrom } from '../setting-forms.ts';
import { type NotedPast, parsePast } from '../storage/checks/past.ts';
import { databaseAt } from '../storage/open.ts';
import type { Act, Actor, AuditAction } from '../storage/port/audit.ts';
import { DatabaseRefused, type ManagedDatabase } from '../storage/port/database.ts';
import { StorageUnavailable } from '../storage/port/storage.ts';

const MAX_NAME_LENGTH = 200;

interface CommandInput {
  readonly config: Config;
  readonly database: ManagedDatabase;
  readonly words: readonly string[];
  readonly actor: Actor;
  say(line: string): void;
}

export class UsageError extends Error {}

/** Its message is what was asked for by `--help`. */
class HelpAsked extends Error {}

/** Returns whether all is well. */
export type Command = (input: CommandInput) => boolean | Promise<boolean>;

export interface Terminal {
  /** @throws ConfigError when `.env` cannot be read. */
  readEnvironment(): Readonly<Record<string, string | undefined>>;
  findActor(environment: Readonly<Record<string, string | undefined>>): Actor;
  print(text: string): void;
  printError(text: string): void;
}

/** @returns the exit code; 0 when all is well. @throws errors of the command that no operator can mend. */
export async function runCommand(
  command: Command,
  words: readonly string[],
  terminal: Terminal,
): Promise<0 | 1> {
  try {
    const environment = terminal.readEnvironment();
    const config = parseConfig(environment);
    const actor = terminal.findActor(environment);
    const say = (line: string) => terminal.print(`${visible(line)}\n`);
    return (await command({ config, database: databaseAt(config.database), words, say, actor })) ? 0 : 1;
  } catch (error) {
    if (error instanceof HelpAsked) {
      terminal.print(`${error.message}\n`);
      return 0;
    }
    if (!isForeseen(error)) throw error;
    terminal.printError(
      `${visible(spellFileTrouble(error) ?? spellStorageTrouble(error) ?? error.message)}\n`,
    );
    return 1;
  }
}

/** The exit code of the process is 1 until the command has ended. */
export async function runInThisProcess(command: Command, words: readonly string[]): Promise<void> {
  process.exitCode = 1;
  for (const stream of [process.stdout, process.stderr]) stream.on('error', passOverBrokenPipe);
  process.exitCode = await runCommand(command, words, {
    readEnvironment,
    findActor,
    print: (text) => void process.stdout.write(text),
    printError: (text) => void process.stderr.write(text),
  });
}

/** The user of the operating system, behind `sudo` the one who called it, and the name of the machine. */
function findActor({ SUDO_USER: caller }: Readonly<Record<string, string | undefined>>): Actor {
  const user = findUser();
  const name = caller === undefined || caller === user ? user : `${caller} (as ${user})`;
  return { kind: 'command', name: printable(name), host: printable(hostname()) };
}

/**
 * What an operator does about a file that cannot be opened; null where the system's own sentence has to do. The code
 * stays in it, because the console tells by it why a backup failed.
 */
function spellFileTrouble(error: Error): string | null {
  if (!('code' in error && 'path' in error && typeof error.path === 'string')) return null;
  const { code, path } = error;
  const folder = dirname(path);
  if (code === 'ENOENT' && !existsSync(folder))
    return `There is no folder ${folder} (ENOENT): make it, or name another one.`;
  if (code === 'EACCES' || code === 'EROFS')
    return `${findUser()} may not open ${path} (${code}): name a file where that user may, such as beside the database.`;
  return null;
}

/** The storage's own error says nothing of why: the reason is its cause, such as a full disk. */
function spellStorageTrouble(error: Error): string | null {
  if (!(error instanceof StorageUnavailable && error.cause instanceof Error)) return null;
  const { message } = error.cause;
  return message === '' ? null : `The database cannot be used at the moment: ${message}. Try again.`;
}

/** Spells out what would move the cursor or change the order of letters. Line breaks and tabs are the command's own. */
function visible(text: string): string {
  return text.replace(
    /(?![\n\t\r])[\p{Cc}\p{Bidi_Control}]/gu,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** In a container the user may have a number only. */
function findUser(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

const printable = (name: string) => name.replace(/[\p{Cc}\p{Cs}]/gu, '').slice(0, MAX_NAME_LENGTH);

/** A reader such as `head` may close the pipe; the command still completes its work. */
function passOverBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === 'EPIPE') return;
  try {
    writeSync(process.stderr.fd, `What the command prints cannot be written: ${error.message}\n`);
  } finally {
    process.exit(1);
  }
}

/**
 * Parses `count` arguments, or as many as one of the numbers, none of them empty.
 * @param reading the first arguments with which the command changes nothing: no row would keep a `--reason`.
 * @throws UsageError
 */
export function parseWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  {
    usage,
    count,
    reading = [],
    options,
  }: {
    readonly usage: string;
    readonly count: number | readonly number[];
    readonly reading?: readonly string[];
    readonly options: Options;
  },
) {
  const { positionals, values } = readWords(words, usage, options);
  if (![count].flat().includes(positionals.length) || positionals.includes(''))
    throw new UsageError(`Usage: ${usage}`);
  const [action = ''] = positionals;
  if (reading.includes(action) && Object.hasOwn(values, 'reason'))
    throw new UsageError(`${action} takes no --reason, because it changes nothing. Usage: ${usage}`);
  return { positionals, values };
}

function readWords<const Options extends ParseArgsOptionsConfig>(
  words: readonly string[],
  usage: string,
  options: Options,
) {
  const end = words.indexOf('--');
  const asked = end === -1 ? words : words.slice(0, end);
  if (asked.includes('--help') || asked.includes('-h')) throw new HelpAsked(`Usage: ${usage}`);
  try {
    return parseArgs({ args: words, options, allowPositionals: true, strict: true });
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    // Node.js's first sentence gives the reason; the others tell how to write an argument that begins with a dash.
    const [reason = ''] = error.message.split(/\.\s|\.?$/);
    throw new UsageError(`${reason}. Usage: ${usage}`, { cause: error });
  }
}

/** Makes an act of a command; without a subject it is done to the installation. */
export type Acts = (action: AuditAction, subject?: string | null) => Act;

export const REASON = { reason: { type: 'string' } } as const;

/** @param reason what the operator gave as `--reason`. @throws UsageError for one that the log cannot keep. */
export function actsOf(actor: Actor, reason: string | undefined, clock: Clock): Acts {
  const given = reason === undefined ? null : readReason(reason);
  return (action, subject = null) => ({ actor, action, subject, reason: given, atMs: clock() });
}

function readReason(written: string): string {
  const text = written.replace(/\s+/gu, ' ').trim();
  if (text === '' || /[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(text))
    throw new UsageError('--reason takes a text without control characters.');
  if ([...text].length > MAX_REASON_LENGTH)
    throw new UsageError(
      `A reason has at most ${MAX_REASON_LENGTH} characters. This has ${[...text].length}.`,
    );
  if (/\S@\S/.test(text))
    throw new UsageError('A reason is kept for good, also when the account is closed: name no email in it.');
  return text;
}

/** Names refused fields by their options, such as `--min`. @throws UsageError for `invalid_input`. */
export async function inOptions<Result>(
  options: Readonly<Record<string, string>>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    const [refused] = error instanceof AppError ? error.fieldErrors : [];
    if (refused === undefined) throw error;
    const option = options[refused.field];
    throw new UsageError(option === undefined ? refused.message : `${option}: ${refused.message}`, {
      cause: error,
    });
  }
}

/** Reads a time, in UTC where it names no zone. @returns milliseconds since 1970. @throws UsageError */
export function readTime(option: string, text: string): number {
  const timeMs = timeFrom(text);
  if (timeMs !== null) return timeMs;
  throw new UsageError(
    `--${option} takes a time such as 2027-01-01 or ${EXAMPLE_TIME}. This is ${JSON.stringify(text)}.`,
  );
}

/** Parses the operator's `--digest COUNT:HEX`; null without one. @throws UsageError */
export function parseNoted(text: string | undefined): NotedPast | null {
  if (text === undefined) return null;
  const noted = parsePast(text);
  if (noted) return noted;
  throw new UsageError(
    '--digest takes what was noted, a number of tips and 32 hexadecimal digits: COUNT:HEX. ' +
      `This is ${JSON.stringify(text)}.`,
  );
}

export const SEVERAL_NOTES = { type: 'string', multiple: true } as const;

/** Parses one or more `--digest COUNT:HEX`. @throws UsageError */
export function parseNotes(texts: readonly string[] = []): NotedPast[] {
  return texts.flatMap((text) => parseNoted(text) ?? []);
}

/** Says that the past up to this many tips is the one that was noted. */
export function spellFirst(count: number): string {
  return count === 1
    ? 'Its first tip is the one that was noted.'
    : `Its first ${count} tips are those that were noted.`;
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
