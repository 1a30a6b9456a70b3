import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: ['schema', 'payment-schema', 'word-schema', 'device-schema'].map((file) => `./src/server/storage/sqlite/${file}.ts`),
  out: './drizzle/sqlite',
});
