/** PostgreSQL keeps the promises of the storage port. */
import { createPostgresDatabase } from '#tests/support/postgres.ts';
import { describeStorage } from '#tests/support/storage-contract.ts';

describeStorage(
  'PostgreSQL',
  async () => ({ engine: 'postgres', url: await createPostgresDatabase() }),
  true,
);
