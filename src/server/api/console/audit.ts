/** The part of the console about what operators did. */
import { checkAllRows } from '#server/storage/care/audit.ts';
import type { AuditFilter, AuditRow } from '#server/storage/port/audit.ts';
import { ACTIONS_IN_WORDS, wordsOf } from '#server/storage/rules/audit-sentences.ts';
import { brand } from '#shared/brand.ts';
import { isoDate, isoTime } from '#shared/calendar.ts';
import {
  type AuditFilterInput,
  type AuditRowShown,
  auditCheck,
  auditChoices,
  auditCsv,
  auditFilter,
  auditPage,
  auditQuery,
  MAX_AUDIT_PAGE,
} from '#shared/console/audit.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import { readQrCodeId } from '#shared/ids.ts';
import { operatorProcedure, router } from './console-trpc.ts';

const MAX_ACTORS = 100;
/** A file of some megabytes; the whole of a longer log is asked for by periods. */
const MAX_CSV_ROWS = 10_000;
const CSV_COLUMNS = ['Number', 'Time (UTC)', 'Who', 'From', 'Action', 'In words', 'To', 'Reason'];

export const auditProcedures = router({
  list: operatorProcedure
    .input(auditQuery)
    .output(auditPage)
    .query(async ({ ctx: { services }, input: { cursor, ...filter } }) => {
      // One more than a page has tells whether another follows.
      const page = { before: cursor, atMost: MAX_AUDIT_PAGE + 1 };
      const found = await services.storage.audit.listNewest(filterOf(filter), page);
      const rows = found.slice(0, MAX_AUDIT_PAGE);
      return {
        rows: rows.map(shown),
        nextCursor: found.length > MAX_AUDIT_PAGE ? (rows.at(-1)?.number ?? null) : null,
      };
    }),

  choices: operatorProcedure.output(auditChoices).query(async ({ ctx: { services } }) => ({
    actors: await services.storage.audit.listActors(MAX_ACTORS),
    actions: [...ACTIONS_IN_WORDS],
  })),

  check: operatorProcedure.output(auditCheck).query(async ({ ctx: { services } }) => {
    const check = await checkAllRows(services.storage.audit);
    return { firstWrong: check.firstWrong(), rows: check.count(), note: check.note() };
  }),

  csv: operatorProcedure
    .input(auditFilter)
    .output(auditCsv)
    .query(async ({ ctx: { services }, input }) => {
      const page = { before: null, atMost: MAX_CSV_ROWS + 1 };
      const rows = await services.storage.audit.listNewest(filterOf(input), page);
      const day = isoDate(services.clock());
      const lines = rows.slice(0, MAX_CSV_ROWS).map(csvOf);
      return {
        fileName: `${brand.linkScheme}-audit-log-${day}.csv`,
        csv: CSV_BOM + csvLine(CSV_COLUMNS) + lines.join(''),
        isCut: rows.length > MAX_CSV_ROWS,
      };
    }),
});

function filterOf({ actor, action, subject, since, until }: AuditFilterInput): AuditFilter {
  return {
    actorName: actor,
    action,
    // A code may be typed as it is printed.
    subject: readQrCodeId(subject) ?? subject,
    sinceMs: since === null ? 0 : Date.parse(since),
    untilMs: until === null ? Number.MAX_SAFE_INTEGER : Date.parse(until),
  };
}

function shown({
  number,
  atMs,
  actorKind,
  actorName,
  host,
  action,
  subject,
  reason,
}: AuditRow): AuditRowShown {
  const at = isoTime(atMs);
  return { number, at, actorKind, actor: actorName, host, action, text: wordsOf(action), subject, reason };
}

function csvOf({ number, atMs, actorName, host, action, subject, reason }: AuditRow): string {
  const at = isoTime(atMs);
  return csvLine([String(number), at, actorName, host, action, wordsOf(action), subject ?? '', reason ?? '']);
}
