/**
 * The migrations that belong to this code. A build carries its own, so that newer sources beside it, as after a pull, change
 * nothing of what it does.
 */
import { extname, join } from 'node:path';

export const MIGRATIONS_FOLDER = join(
  import.meta.dirname,
  extname(import.meta.filename) === '.ts' ? '../../../../drizzle' : 'drizzle',
);
