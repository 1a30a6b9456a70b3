import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: ['columns', 'schema', 'payment-schema', 'word-schema', 'device-schema'].map((file) => `./src/server/storage/postgres/${file}.ts`),
  out: './drizzle/postgres',
});
