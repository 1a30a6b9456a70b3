import type { Clock } from '#shared/calendar.ts';
import type { NotedPast } from '../checks/past.ts';
import type { Act } from './audit.ts';
import type { Storage } from './storage.ts';

export type DatabaseAddress =
  | {
      readonly engine: 'sqlite';
      readonly path: string;
    }
  | {
      readonly engine: 'postgres';
      /** `postgres://` with the password and all else that a connection needs; never logged. */
      readonly url: string;
    };

/** Why a database, a backup or a place for one is refused, in a sentence for the operator. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

export interface Findings {
  /** Sentences; empty when the data is whole and the ledger adds up. */
  readonly problems: readonly string[];
  /** How the ledger differs from earlier notes of it, in sentences. */
  readonly differences: readonly string[];
  /** What was changed in the audit log, in sentences; the rest of the data can be trusted all the same. */
  readonly auditProblems: readonly string[];
  readonly tipCount: number;
  readonly past: string;
}

export interface RestoreOptions {
  /** Keeps the backup's sessions, device marks, API keys and webhooks. */
  readonly keepsSessions: boolean;
  /** Accepts a backup whose tips contradict those of the database that it replaces. */
  readonly acceptsOtherPast: boolean;
  /** An earlier note of the ledger; a backup that contradicts it is refused. */
  readonly noted: NotedPast | null;
  /** Called before anything is replaced, when the present tips that the backup lacks were counted. */
  tellLostTips(count: number): void;
  readonly act?: Act | undefined;
}

export interface AccountDifferences {
  readonly changedPasswords: number;
  readonly missing: number;
}

/** An act of an operator in the replaced audit log, which the backup lacks. */
export interface UndoneAct {
  readonly atMs: number;
  readonly action: string;
  readonly subject: string | null;
}

export interface Restored {
  readonly tipCount: number;
  readonly past: string;
  readonly newestTipAtMs: number | null;
  readonly sessionCount: number;
  readonly apiKeyCount: number;
  /** The number of webhooks that were on in the backup. */
  readonly webhookCount: number;
  /** Devices with notifications, and invitations with a use left. */
  readonly deviceCount: number;
  readonly invitationCount: number;
  /** Tips of the replaced database that the backup lacks; null when there was none or it was unreadable. */
  readonly lostTips: number | null;
  readonly accounts: AccountDifferences | null;
  /** What operators did since and may have to do again, with the oldest 20 of these acts; null as `lostTips` is. */
  readonly undoneActs: { readonly count: number; readonly oldest: readonly UndoneAct[] } | null;
  /** Operators of the backup who were removed since, and are not brought back. */
  readonly removedOperatorCount: number;
  /** The new place of the replaced database; null when there was none. */
  readonly keptAside: string | null;
  /** False when the next start will migrate the schema. */
  readonly isCurrent: boolean;
}

/** What one engine reads at once and the other in pieces. */
type InTurn<Item> = Iterable<Item> | AsyncIterable<Item>;

/** The rows of a table. Tables and columns have the same names and order on every engine. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  /** Numbers, texts, bytes and nulls; booleans may be 1 or 0. */
  readonly rows: InTurn<readonly unknown[]>;
}

/** Each table after those that it refers to. */
export type AllRows = InTurn<TableRows>;

type OpeningStep =
  | 'waiting for another process that migrates the tables'
  | 'migrating the tables'
  | 'checking the ledger';

/** Called before a step with its sizes. The returned function is called when the step has succeeded. */
export type Announce = (step: OpeningStep, about: Readonly<Record<string, number>>) => () => void;

export interface Opening {
  readonly clock: Clock;
  warn(sentence: string, cause?: unknown): void;
  tellNew(): void;
  readonly announce: Announce;
}

export const announceNothing: Announce = () => () => {};

export interface ManagedDatabase {
  readonly name: string;
  /**
   * Creates the data when there is none, migrates it, and checks what was written to the ledger since the last check.
   * Data for one process is locked until the storage is closed. @throws DatabaseRefused
   */
  openForServer(opening: Opening): Promise<Storage>;
  /** Opens the data, also beside a server. @throws DatabaseRefused when there is none, or its schema is not current. */
  openForCommand(): Promise<Storage>;
  /** Reads all data as of one moment. @throws DatabaseRefused when it is missing, foreign, or of an unknown version. */
  check(noted: readonly NotedPast[]): Promise<Findings>;
  /**
   * Copies the data as of one moment. The copy gets its name once it is complete, checked and flushed.
   * @param noted earlier notes of the ledger; a copy that contradicts them is written all the same.
   * @throws DatabaseRefused when there is nothing to copy, the file exists, or the copy is not sound.
   */
  backUp(file: string, noted: readonly NotedPast[]): Promise<Findings>;
  /**
   * Replaces the data, which is kept aside, by a backup, which stays as it is.
   * @throws DatabaseRefused, with nothing changed, when a server has the data, or the backup is damaged, does
   *   not add up, has other tables or another past, or comes from a newer version.
   */
  restore(backup: string, options: RestoreOptions): Promise<Restored>;
  /**
   * Passes on all rows as of one moment, and the past of the ledger among them.
   * @throws DatabaseRefused when a server has the data, it is not sound, or its schema is not current.
   */
  readAll<Result>(use: (tables: AllRows, past: NotedPast) => Promise<Result>): Promise<Result>;
  /**
   * Fills an empty database, which is no file yet on SQLite, with the rows of another and checks it, in one step.
   * @param past as it was read with the rows: the filled ledger has to have the same.
   * @throws DatabaseRefused, with nothing changed, when it is not empty or the filled data is not sound.
   */
  fill(tables: AllRows, past: NotedPast, act?: Act): Promise<Findings>;
}
