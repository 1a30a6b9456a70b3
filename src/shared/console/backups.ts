/** Schemas of the backups, as an operator sees and makes them. */
import { z } from 'zod';

const backup = z.object({
  name: z.string(),
  bytes: z.number(),
  madeAt: z.iso.datetime(),
  /** `COUNT:HEX` of its ledger, to note elsewhere; null while it is unknown. */
  past: z.string().nullable(),
  tips: z.number().nullable(),
  /** Whether its past is not that of the database: it is neither counted nor deleted. */
  isOther: z.boolean(),
});
export type BackupShown = z.infer<typeof backup>;

const failure = z.object({
  at: z.iso.datetime(),
  text: z.string(),
  action: z.string(),
  /** What the system or the database said. */
  said: z.string(),
});
export type BackupFailureShown = z.infer<typeof failure>;

export const backups = z.object({
  engine: z.enum(['SQLite', 'PostgreSQL']),
  /** Null where this process makes no backups. */
  folder: z.string().nullable(),
  kept: z.array(backup),
  /** When the one under way was begun; null while none is. */
  begunAt: z.iso.datetime().nullable(),
  failure: failure.nullable(),
  /** Why the folder cannot be read; null when it can. */
  unreadable: z.string().nullable(),
});
export type Backups = z.infer<typeof backups>;

/** `off` where this process makes no backups, `busy` while one is being made. */
export const madeBackup = z.object({ outcome: z.enum(['begun', 'busy', 'off']) });
