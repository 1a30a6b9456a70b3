/** The storage port by which operators find accounts and their facts: no message, no secret. */
import type { ServiceCategory } from '#shared/categories.ts';
import type { UserId } from '#shared/ids.ts';
import type { Cents } from '#shared/money.ts';
import type { Suspension } from './suspensions.ts';

/** A closed account has placeholders for names. */
export interface PersonNames {
  readonly id: UserId;
  readonly email: string;
  readonly username: string;
  readonly fullName: string;
  readonly suspendedAtMs: number | null;
  /** When the account will be closed; null unless its owner is closing it. */
  readonly closesAtMs: number | null;
  readonly closedAtMs: number | null;
}

export interface PersonFacts extends Omit<PersonNames, 'suspendedAtMs'> {
  readonly suspension: Suspension | null;
  readonly serviceCategories: readonly ServiceCategory[];
  readonly totalTipsReceivedCents: Cents;
  readonly totalTipsGivenCents: Cents;
  readonly mustChangePassword: boolean;
  readonly createdAtMs: number;
  readonly confirmedAtMs: number | null;
  /** Without expired ones. */
  readonly sessionCount: number;
  readonly deviceCount: number;
  readonly apiKeyCount: number;
  readonly webhookCount: number;
  /** The number of webhooks that are switched off, by whomever. */
  readonly webhookOffCount: number;
}

export interface PeopleStorage {
  /** Accounts with this text as their email, or as a present or former username, in any case. */
  findNamed(text: string): Promise<PersonNames[]>;
  /** Open accounts whose email or username begins with a text in any case, at most `atMost`. */
  listFrom(text: string, atMost: number): Promise<PersonNames[]>;
  /** Open accounts after an id, in the order of ids, at most `atMost`; '' for the first. */
  listAfter(after: string, atMost: number): Promise<PersonNames[]>;
  findMany(ids: readonly UserId[]): Promise<PersonNames[]>;
  describe(id: UserId, nowMs: number): Promise<PersonFacts | null>;
}
