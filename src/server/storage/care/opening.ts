/** The check of the data at start, on every engine. */
import { DatabaseRefused, type Opening } from '../port/database.ts';

/**
 * Checks what was written to the ledger since the last check. A check that cannot run now, by `isPassing`, does not
 * keep the server from starting. @throws DatabaseRefused with the first problem.
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
