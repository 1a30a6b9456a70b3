/** Every engine keeps the promises of the storage port. */
import { join } from 'node:path';
import { IN_MEMORY } from '#server/storage/sqlite/connection.ts';
import { temporaryFolder } from '#tests/support/running-server.ts';
import { describeStorage } from '#tests/support/storage-contract.ts';

describeStorage('SQLite in memory', () => ({ engine: 'sqlite', path: IN_MEMORY }), false);
describeStorage(
  'SQLite in a file',
  () => ({ engine: 'sqlite', path: join(temporaryFolder(), 'tipwell.db') }),
  true,
);
