/** PostgreSQL keeps the promises of the storage port. */
import { borrowDatabase } from '#tests/support/postgres.ts';
import { describeStorage } from '#tests/support/storage-contract/storage-contract.ts';

describeStorage({
  name: 'PostgreSQL',
  // Migrated already: what the migrations do with an empty database is told in postgres-schema-check.test.ts.
  createAddress: async () => ({ engine: 'postgres', url: (await borrowDatabase()).url }),
  isLasting: true,
});
