/** Every engine keeps the promises of the storage port. */
import { join } from 'node:path';
import { IN_MEMORY } from '#server/storage/sqlite/connection.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { describeStorage } from '#tests/support/storage-contract/storage-contract.ts';

describeStorage({
  name: 'SQLite in memory',
  createAddress: () => ({ engine: 'sqlite', path: IN_MEMORY }),
  isLasting: false,
});
describeStorage({
  name: 'SQLite in a file',
  createAddress: () => ({ engine: 'sqlite', path: join(temporaryFolder(), 'tipwell.db') }),
  isLasting: true,
});
