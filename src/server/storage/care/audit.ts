/** The audit log where no step runs: rows read by a check, and the row of an act on whole databases. */
import { rowsInPages } from '../in-pages.ts';
import type { Act, AuditLog, AuditRow } from '../port/audit.ts';
import { type AuditHead, type AuditNote, createAuditCheck, nextAuditRow } from '../rules/audit.ts';

const ROWS_AT_ONCE = 1_000;

export const ALL_AUDIT_ROWS = `SELECT number, at_ms AS "atMs", actor_kind AS "actorKind", actor_name AS "actorName",
  host, action, subject, reason, hash FROM audit_log ORDER BY number`;

export const AUDIT_HEAD = 'SELECT number, hash FROM audit_log ORDER BY number DESC LIMIT 1';

export function problemsOfAudit(rows: Iterable<AuditRow>): string[] {
  const check = createAuditCheck();
  for (const row of rows) check.add(row);
  return spellWrongRow(check.firstWrong());
}

export const spellWrongRow = (number: number | null) =>
  number === null
    ? []
    : [`Row ${number} of the audit log does not follow from the one before: somebody has changed the log.`];

export const allAuditRows = (log: Pick<AuditLog, 'list'>, sinceMs = 0): AsyncGenerator<AuditRow, void> =>
  rowsInPages(
    0,
    ROWS_AT_ONCE,
    (after, atMost) => log.list({ after, sinceMs, atMost }),
    ({ number }) => number,
  );

export async function checkAllRows(log: Pick<AuditLog, 'list'>, noted: AuditNote | null = null) {
  const check = createAuditCheck(noted);
  for await (const row of allAuditRows(log)) check.add(row);
  return check;
}

/** The statement that writes the row of an act. @param head the newest row; undefined for none. */
export function insertingAct(head: AuditHead | undefined, act: Act): string {
  const row = nextAuditRow(head, act);
  const texts = [row.actorKind, row.actorName, row.host, row.action, row.subject, row.reason, row.hash];
  return `INSERT INTO audit_log (number, at_ms, actor_kind, actor_name, host, action, subject, reason, hash)
    VALUES (${row.number}, ${row.atMs}, ${texts.map(quoted).join(', ')})`;
}

export const quoted = (text: string | null) => (text === null ? 'NULL' : `'${text.replaceAll("'", "''")}'`);
