import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/server/storage/sqlite/schema.ts',
  out: './drizzle/sqlite',
});
