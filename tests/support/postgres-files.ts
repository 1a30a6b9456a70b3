/** Around every test file on PostgreSQL: no database of its tests outlives it. */
import { afterAll } from 'vitest';
import { dropFreeDatabases } from '#tests/support/postgres.ts';

afterAll(dropFreeDatabases);
