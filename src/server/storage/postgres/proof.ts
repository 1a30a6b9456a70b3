/** Proves that tips could be recorded. */
import type { Statements } from './statements.ts';

const PROOF = { limit: 'readiness', account: 'readiness', count: 0, endsAtMs: 0 } as const;

/** `Storage.proveWritable`: a row that is written and deleted again in one durable transaction. */
export async function proveWritable(statements: Statements): Promise<void> {
  await statements.insertAttemptCount.run({ ...PROOF, address: '' });
  await statements.deleteAttemptsOn.execute({ account: PROOF.account });
}
