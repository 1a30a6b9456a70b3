/** Clears away what was deleted, as far as PostgreSQL does that while it runs. */
import { type Remnants, StorageUnavailable } from '../port/storage.ts';
import { asDriverError, asPortError, connect } from './connection.ts';

/** As long as it takes: a large table may take minutes, in which everything else goes on. */
const AS_LONG_AS_IT_TAKES = { statementMs: 0, lockMs: 3_000, idleInTransactionMs: 10_000 };

/**
 * Removes the rows that were deleted or changed from the tables that hold what is personal, without waiting for the server to do it.
 * Their bytes stay in the pages until others take their place, as in its write-ahead log.
 */
export async function forgetRemnants(url: string): Promise<Remnants> {
  try {
    const client = await connect(url, AS_LONG_AS_IT_TAKES);
    try {
      await client.query(
        'VACUUM accounts, former_usernames, sessions, qr_codes, photos, attempts, payout_accounts',
      );
    } finally {
      await client.end().catch(() => {});
    }
    return 'partial';
  } catch (error) {
    const reason = asPortError(asDriverError(error));
    if (reason instanceof StorageUnavailable) return 'busy';
    throw reason;
  }
}
