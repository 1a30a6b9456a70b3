/** The storage port for operators, who are no accounts. Tokens of sessions and links are stored as hashes. */
import type { OperatorId } from '#shared/ids.ts';
import type { Act } from './audit.ts';

export interface Operator {
  readonly id: OperatorId;
  readonly email: string;
  readonly createdAtMs: number;
  /** When the present factors were enrolled; null before that. */
  readonly enrolledAtMs: number | null;
}

export interface OperatorSession {
  /** SHA-256 of the bearer token. The token itself is not stored. */
  readonly tokenHash: Uint8Array;
  readonly operatorId: OperatorId;
  readonly createdAtMs: number;
  readonly lastUsedAtMs: number;
  /** Use does not prolong it. */
  readonly expiresAtMs: number;
  /** When the second factor was last proved; 0 before that. */
  readonly confirmedAtMs: number;
  readonly address: string;
  readonly device: string;
}

export interface OperatorLink {
  readonly tokenHash: Uint8Array;
  readonly expiresAtMs: number;
}

export interface Operators {
  add(
    operator: Pick<Operator, 'id' | 'email' | 'createdAtMs'>,
    link: OperatorLink,
    act?: Act,
  ): Promise<'added' | 'email_taken'>;
  /** Oldest first. */
  list(): Promise<Operator[]>;
  /** Finds an operator by email, case-insensitively. */
  find(email: string): Promise<{ readonly operator: Operator; readonly passwordHash: string | null } | null>;
  /** Replaces the operator's links by a new one. @returns false when there is no such operator. */
  addLink(id: OperatorId, link: OperatorLink, act?: Act): Promise<boolean>;
  /** Removes an operator with all that is theirs; `last`, with nothing changed, for the only one. */
  remove(id: OperatorId, act?: Act): Promise<'removed' | 'last' | 'unknown'>;

  /**
   * The link ends, with the operator's sessions and former factors, and an enrolment begins in a session that can do
   * nothing else. @returns null, with nothing changed, when the link is unknown, used or has expired at `nowMs`.
   */
  beginEnrolment(
    linkHash: Uint8Array,
    session: Omit<OperatorSession, 'operatorId'>,
    nowMs: number,
  ): Promise<Operator | null>;
  /** The owner of a link that `beginEnrolment` would take. */
  findLink(linkHash: Uint8Array, nowMs: number): Promise<Operator | null>;
  /**
   * @param passwordHash null for an operator without a password.
   * @returns false when the enrolment had ended before, or the session has, because another link was used.
   */
  finishEnrolment(
    tokenHash: Uint8Array,
    passwordHash: string | null,
    nowMs: number,
    act?: Act,
  ): Promise<boolean>;

  /** Beyond `maxCount` the oldest sessions end. @returns false for an operator who did not enrol at `enrolledAtMs`. */
  createSession(session: OperatorSession, enrolledAtMs: number | null, maxCount: number): Promise<boolean>;
  /** Finds expired sessions too, because the caller knows the lifetimes. */
  findSession(
    tokenHash: Uint8Array,
  ): Promise<{ readonly session: OperatorSession; readonly operator: Operator } | null>;
  noteUse(tokenHash: Uint8Array, nowMs: number): Promise<void>;
  /** Stores that the second factor was just proved. @returns false for an unknown session. */
  confirmSession(tokenHash: Uint8Array, nowMs: number): Promise<boolean>;
  endSession(tokenHash: Uint8Array): Promise<boolean>;
  listSessions(id: OperatorId): Promise<OperatorSession[]>;
  /** Deletes sessions and links that have expired at `nowMs`, and sessions not used since `unusedSinceMs`. */
  forgetEnded(nowMs: number, unusedSinceMs: number): Promise<void>;
}
