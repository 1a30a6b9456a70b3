/** The audit log where no step runs: rows read by a check, and the row of an act on whole databases. */
import type { Act, AuditRow } from '../port/audit.ts';
import { type AuditHead, createAuditCheck, nextAuditRow } from '../rules/audit.ts';

export const ALL_AUDIT_ROWS = `SELECT number, at_ms AS "atMs", actor_kind AS "actorKind", actor_name AS "actorName",
  host, action, subject, reason, hash FROM audit_log ORDER BY number`;

export const AUDIT_HEAD = 'SELECT number, hash FROM audit_log ORDER BY number DESC LIMIT 1';

/** @returns what is wrong with rows, oldest first, in sentences; none when each follows from the one before. */
export function problemsOfAudit(rows: Iterable<AuditRow>): string[] {
  const check = createAuditCheck();
  for (const row of rows) check.add(row);
  return spellWrongRow(check.firstWrong());
}

export const spellWrongRow = (number: number | null) =>
  number === null
    ? []
    : [`Row ${number} of the audit log does not follow from the one before: somebody has changed the log.`];

/** The statement that writes the row of an act. @param head the newest row; undefined for none. */
export function insertingAct(head: AuditHead | undefined, act: Act): string {
  const row = nextAuditRow(head, act);
  const texts = [row.actorKind, row.actorName, row.host, row.action, row.subject, row.reason, row.hash];
  return `INSERT INTO audit_log (number, at_ms, actor_kind, actor_name, host, action, subject, reason, hash)
    VALUES (${row.number}, ${row.atMs}, ${texts.map(quoted).join(', ')})`;
}

const quoted = (text: string | null) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`);
