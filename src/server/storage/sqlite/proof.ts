/** Proves that tips could be recorded. */
import type { GroupCommit } from './group-commit.ts';
import type { Statements } from './statements.ts';

/**
 * A count of attempts at nothing, over before it began, which takes as much room as the longest tip: one that splits a page of
 * each index was measured to write 29 pages (11 as a rule). Of this row the table and an index hold the long text each.
 */
const PROOF = {
  limit: 'readiness',
  account: 'readiness '.padEnd(64 * 1_024),
  address: '',
  count: 0,
  endsAtMs: 0,
} as const;

/** `Storage.proveWritable`. */
export async function proveWritable(statements: Statements, write: GroupCommit['write']): Promise<void> {
  await write(() => {
    // One that is left from a proof that was cut off would be kept as it is, which writes little.
    statements.deleteAttemptsOn.run({ account: PROOF.account });
    statements.saveAttemptCount.run(PROOF);
  });
  // In a commit of its own: what is made and deleted in one never reaches the disk.
  await write(() => {
    statements.deleteAttemptsOn.run({ account: PROOF.account });
  });
}
