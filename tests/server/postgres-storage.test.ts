/** PostgreSQL keeps the promises of the storage port. */
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { describeStorage } from '#tests/support/storage-contract/storage-contract.ts';

describeStorage({
  name: 'PostgreSQL',
  createAddress: async () => ({ engine: 'postgres', url: await createPostgresDatabase() }),
  isLasting: true,
});
