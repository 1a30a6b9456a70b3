/**
 * The chain of the audit log: a row's hash is made of the hash before and of the row's own text, so that a changed,
 * removed or inserted row no longer fits. `sha256sum` makes the same hashes.
 */
import { hash } from 'node:crypto';
import type { Act, AuditRow } from '../port/audit.ts';

export type AuditHead = Pick<AuditRow, 'number' | 'hash'>;

const BEGINNING: AuditHead = { number: 0, hash: '0'.repeat(64) };

/** @param head the newest row; undefined for the first. */
export function nextAuditRow(head: AuditHead | undefined, { actor, ...act }: Act): AuditRow {
  const { number, hash: before } = head ?? BEGINNING;
  const row = { ...act, number: number + 1, actorKind: actor.kind, actorName: actor.name, host: actor.host };
  return { ...row, hash: hashOf(before, row) };
}

function hashOf(before: string, row: Omit<AuditRow, 'hash'>): string {
  const { number, atMs, actorKind, actorName, host, action, subject, reason } = row;
  const text = JSON.stringify([number, atMs, actorKind, actorName, host, action, subject, reason]);
  return hash('sha256', `${before}\n${text}`);
}

/** An earlier note of the log: how many rows it had, and the hash of the last of them. */
export interface AuditNote {
  readonly count: number;
  readonly hash: string;
}

/** @param text `COUNT:HEX`. @returns null for any other text. */
export function parseAuditNote(text: string): AuditNote | null {
  const [, count, noted] = /^(\d{1,15}):([0-9a-f]{64})$/.exec(text.trim()) ?? [];
  return count === undefined || noted === undefined ? null : { count: Number(count), hash: noted };
}

export function createAuditCheck(noted: AuditNote | null = null) {
  let head = BEGINNING;
  let firstWrong: number | null = null;
  let isAsNoted = noted === null || (noted.count === 0 && noted.hash === BEGINNING.hash);
  return {
    add(row: AuditRow): void {
      const fits = row.number === head.number + 1 && row.hash === hashOf(head.hash, row);
      if (!fits) firstWrong ??= row.number;
      if (noted?.count === row.number) isAsNoted = noted.hash === row.hash;
      head = row;
    },
    /** The number of the first row that does not follow from the one before; null when all do. */
    firstWrong: () => firstWrong,
    isAsNoted: () => isAsNoted,
    count: () => head.number,
    /** `COUNT:HEX`, to note elsewhere. */
    note: () => `${head.number}:${head.hash}`,
  };
}
