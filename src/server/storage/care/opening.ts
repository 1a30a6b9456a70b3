/** What a server asks of its data before it serves it, whichever engine keeps it. */
import { DatabaseRefused, type Opening } from '../port/database.ts';

/**
 * Checks what was written to the ledger since it was checked last. When that cannot be done at the moment, the server starts all the same.
 * @param name how the operator knows the database.
 * @param tips how many there are to check.
 * @param check answers with what is wrong, in sentences.
 * @param isPassing whether a check that failed so may succeed later.
 * @throws DatabaseRefused when anything is wrong.
 */
export async function requireUndamaged(
  name: string,
  tips: number,
  check: () => readonly string[] | Promise<readonly string[]>,
  isPassing: (error: unknown) => boolean,
  { announce, warn }: Pick<Opening, 'announce' | 'warn'>,
): Promise<void> {
  const tellEnd = announce('checking the ledger', { tips });
  try {
    const [problem] = await check();
    if (problem !== undefined) {
      throw new DatabaseRefused(
        `The database ${name} is damaged (${problem}). See all of it with \`npm run db:check\`, and restore a backup.`,
      );
    }
  } catch (error) {
    if (!isPassing(error)) throw error;
    warn('what was written to the ledger since the last check could not be checked', error);
  }
  tellEnd();
}
