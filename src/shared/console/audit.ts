/** Schemas of the audit log, as an operator reads it. */
import { z } from 'zod';
import { MAX_ID_LENGTH } from '../ids.ts';
import { closedObject } from '../unknown-names.ts';

export const MAX_AUDIT_PAGE = 50;
const MAX_NAME_LENGTH = 320;

const filter = {
  /** Who acted; empty for everybody. */
  actor: z.string().max(MAX_NAME_LENGTH).default(''),
  action: z.string().max(MAX_ID_LENGTH).default(''),
  /** The id of whom or what it was done to; empty for all. */
  subject: z.string().trim().max(MAX_ID_LENGTH).default(''),
  /** From this moment on, and before the other; null for no bound. */
  since: z.iso.datetime().nullable().default(null),
  until: z.iso.datetime().nullable().default(null),
};
export const auditFilter = closedObject(filter);
export type AuditFilterInput = z.infer<typeof auditFilter>;

/** Not closed: the client's pages also name a direction. */
export const auditQuery = z.object({
  ...filter,
  cursor: z.int().min(1).nullable().default(null),
});

const auditRow = z.object({
  number: z.number(),
  at: z.iso.datetime(),
  actorKind: z.enum(['command', 'operator']),
  actor: z.string(),
  host: z.string(),
  action: z.string(),
  text: z.string(),
  subject: z.string().nullable(),
  reason: z.string().nullable(),
});
export type AuditRowShown = z.infer<typeof auditRow>;

export const auditPage = z.object({
  rows: z.array(auditRow),
  nextCursor: z.number().nullable(),
});

export const auditChoices = z.object({
  actors: z.array(z.string()),
  actions: z.array(z.object({ action: z.string(), text: z.string() })),
});

export const auditCheck = z.object({
  /** The first row that does not follow from the one before; null when all do. */
  firstWrong: z.number().nullable(),
  rows: z.number(),
  /** `COUNT:HEX`, to note elsewhere. */
  note: z.string(),
});

export const auditCsv = z.object({
  fileName: z.string(),
  csv: z.string(),
  /** Whether older rows were left out. */
  isCut: z.boolean(),
});
