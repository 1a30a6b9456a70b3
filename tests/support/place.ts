/**
 * Where tests put files that end with them: into memory where a machine has a file system for that, since copying
 * and removing databases took PostgreSQL a third of its processor time on a disk. What only a disk shows (its loss,
 * its end) the tests make themselves.
 */
import { accessSync, constants, statfsSync } from 'node:fs';

/** Where Linux keeps it. */
const IN_MEMORY = '/dev/shm';
/** Twice what all tests have there at once. */
const ENOUGH_BYTES = 6 * 1024 ** 3;

/** Before all tests of a run, whose processes inherit the choice; whoever sets TMPDIR has made it. */
export function setup(): void {
  if (process.env['TMPDIR'] === undefined && hasRoom()) process.env['TMPDIR'] = IN_MEMORY;
}

function hasRoom(): boolean {
  try {
    accessSync(IN_MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= ENOUGH_BYTES;
  } catch {
    return false;
  }
}
