/** The storage port for the audit log: each act of an operator is a row, written in the step of the act. */
import type { UserId } from '#shared/ids.ts';
import { ACCOUNT_ACTS } from '#shared/operator-acts.ts';

export const AUDIT_ACTIONS = [
  ...ACCOUNT_ACTS,
  'account_closed',
  'all_sessions_ended',
  'installation_keys_renewed',
  'terms_set',
  'invitation_made',
  'invitation_revoked',
  'announcement_made',
  'announcement_ended',
  'report_settled',
  'database_restored',
  'database_moved',
  'backup_made',
  'operator_added',
  'operator_link_made',
  'operator_removed',
  'operator_enrolled',
  'operator_factors_changed',
  'tip_refunded',
  'refund_paid_otherwise',
  'debt_written_off',
  'dispute_paid_otherwise',
] as const;
export type AuditAction = (typeof AUDIT_ACTIONS)[number];

/** Who acts: the user of the operating system behind a command, or an operator by name. */
export interface Actor {
  readonly kind: 'command' | 'operator';
  readonly name: string;
  readonly host: string;
}

export interface Act {
  readonly actor: Actor;
  readonly action: AuditAction;
  /**
   * The id of the account, tip or invitation, or which terms or announcement were set; null for the installation.
   * Never a name, which could not be erased.
   */
  readonly subject: string | null;
  readonly reason: string | null;
  readonly atMs: number;
}

export type ActAbout = (subject: string) => Act;

export interface AuditRow {
  /** 1, 2, 3 ... without a gap. */
  readonly number: number;
  readonly atMs: number;
  readonly actorKind: Actor['kind'];
  readonly actorName: string;
  readonly host: string;
  /** An `AuditAction`, or one that only a newer version knows. */
  readonly action: string;
  readonly subject: string | null;
  readonly reason: string | null;
  /** SHA-256 of the row and of the hash of the row before, in hexadecimal. */
  readonly hash: string;
}

/** An empty text selects all rows. */
export interface AuditFilter {
  readonly actorName: string;
  readonly action: string;
  readonly subject: string;
  /** Inclusive; `untilMs` is exclusive. */
  readonly sinceMs: number;
  readonly untilMs: number;
}

export interface AuditLog {
  /** Rows after a number and not before a time, oldest first. */
  list(place: {
    readonly after: number;
    readonly sinceMs: number;
    readonly atMost: number;
  }): Promise<AuditRow[]>;
  /** The newest rows about an account and about its codes, newest first. */
  listAboutAccount(id: UserId, atMost: number): Promise<AuditRow[]>;
  listAbout(subject: string, atMost: number): Promise<AuditRow[]>;
  /** Rows before a number (null for the newest), newest first. */
  listNewest(
    filter: AuditFilter,
    page: { readonly before: number | null; readonly atMost: number },
  ): Promise<AuditRow[]>;
  listActors(atMost: number): Promise<string[]>;
  /** Writes the row of an act that changes no data, such as a backup. */
  note(act: Act): Promise<void>;
}
