/** A database as the server and the operator's commands handle it, whichever engine keeps it. */
import type { Clock } from '#shared/calendar.ts';
import type { NotedPast } from '../checks/past.ts';
import type { Storage } from './storage.ts';

/** Where the data lies. */
export type DatabaseAddress =
  | {
      readonly engine: 'sqlite';
      /** Absolute path of the file. */
      readonly path: string;
    }
  | {
      readonly engine: 'postgres';
      /** `postgres://` with everything that the server needs to connect, a password included: it is never logged. */
      readonly url: string;
    };

/** Thrown with a sentence for the operator: why a database, a backup or a place for one is not used. */
export class DatabaseRefused extends Error {
  override name = 'DatabaseRefused';
}

export interface Findings {
  /** What is wrong, in sentences; empty when the data is whole and the ledger adds up. */
  readonly problems: readonly string[];
  /** How the ledger differs from what was noted of it, in sentences. */
  readonly differences: readonly string[];
  readonly tipCount: number;
  /** `COUNT:HEX` of the whole ledger. */
  readonly past: string;
}

export interface RestoreOptions {
  /** Leave the sessions of the backup as they are, and the marks of devices. */
  readonly keepsSessions: boolean;
  /** Accept a backup whose tips are others than those of the database that it replaces. */
  readonly acceptsOtherPast: boolean;
  /** What was noted of the ledger earlier; a backup that does not begin like that is refused. */
  readonly noted: NotedPast | null;
  /** Called before anything is replaced, with how many tips of the present database the backup does not have, if it could be read. */
  tellLostTips(count: number): void;
}

/** How the accounts of a backup differ from those of the database that it replaces. */
export interface AccountDifferences {
  /** Accounts whose password is another one. */
  readonly changedPasswords: number;
  /** Accounts that the backup does not have. */
  readonly missing: number;
}

export interface Restored {
  readonly tipCount: number;
  /** `COUNT:HEX` of the ledger. */
  readonly past: string;
  /** When the newest tip was given, in milliseconds since 1970; null when there is none. */
  readonly newestTipAtMs: number | null;
  /** How many sessions were ended, or kept. */
  readonly sessionCount: number;
  /** How many tips of the database that was there before are not in it: null when there was none, or it could not be read. */
  readonly lostTips: number | null;
  /** Compared with the database that was there before: null when there was none, or it could not be read. */
  readonly accounts: AccountDifferences | null;
  /** Where the database that was there before lies now; null when there was none. */
  readonly keptAside: string | null;
  /** Whether its schema is today's; else the next start brings it up to date. */
  readonly isCurrent: boolean;
}

/** The rows of one table, in the names and the order in which every engine has its tables and columns. */
export interface TableRows {
  readonly table: string;
  readonly columns: readonly string[];
  /** Numbers, texts, bytes and nulls; what is true or false may be 1 or 0. */
  readonly rows: Iterable<readonly unknown[]>;
}

/** A step of opening the data that can take minutes. */
type OpeningStep = 'migrating the tables' | 'checking the ledger';

/** Called before such a step begins, with what it is about in numbers. What it returns is called when the step has ended well. */
export type Announce = (step: OpeningStep, about: Readonly<Record<string, number>>) => () => void;

/** What a server hands in when it opens its data. */
export interface Opening {
  readonly clock: Clock;
  /** Called with what an operator should know, in a sentence. */
  warn(sentence: string, cause?: unknown): void;
  /** Called when there was no data, and it has been made. */
  tellNew(): void;
  readonly announce: Announce;
}

export const announceNothing: Announce = () => () => {};

export interface ManagedDatabase {
  /** How the operator knows it. */
  readonly name: string;
  /**
   * Opens the data for a server, making it when there is none. Its schema is brought up to date, and what was written to its
   * ledger since it was checked last adds up. Where data is for one process alone, no other server may have it until the
   * storage is closed.
   * @throws DatabaseRefused
   */
  openForServer(opening: Opening): Promise<Storage>;
  /**
   * Opens the data for one command, also while a server has it.
   * @throws DatabaseRefused when there is none, or its schema is not today's.
   */
  openForCommand(): Promise<Storage>;
  /**
   * Reads all of the data, as of one moment, also while a server has it.
   * @param noted what was noted of the ledger earlier, to see whether it still begins like that.
   * @throws DatabaseRefused when it is missing, none of this product's, or of a version that is not known here.
   */
  check(noted: readonly NotedPast[]): Promise<Findings>;
  /**
   * Copies the data, as of one moment, also while a server writes to it; the copy appears under its name only once it is complete,
   * checked and on the disk.
   * @param noted what was noted of the ledger earlier. A copy that does not begin like that is written all the same.
   * @throws DatabaseRefused when there is nothing to copy, the file exists, or the copy does not check out.
   */
  backUp(file: string, noted: readonly NotedPast[]): Promise<Findings>;
  /**
   * Puts a backup in the place of the data, which is kept aside. The backup itself stays untouched.
   * @throws DatabaseRefused when a server has the data, or the backup is damaged, does not add up, has other tables or another
   *   past, or comes from a newer version; nothing has changed then.
   */
  restore(backup: string, options: RestoreOptions): Promise<Restored>;
  /**
   * Hands over all rows, table by table, none before those that it refers to, while no server has the data.
   * @throws DatabaseRefused when a server has it, or it is not sound, or its schema is not today's.
   */
  readAll<Result>(use: (tables: Iterable<TableRows>) => Promise<Result>): Promise<Result>;
  /**
   * Fills an empty database with the rows of another, in one step, and checks all of it before the step is done.
   * @throws DatabaseRefused when it is not empty, or what was filled in does not check out; nothing has changed then.
   */
  fill(tables: Iterable<TableRows>): Promise<Findings>;
}
