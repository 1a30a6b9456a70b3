import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  // The views are written by hand; drizzle-kit would make tables of what describes them.
  schema: './src/server/storage/schema/!(views).ts',
  out: './drizzle/postgres',
});
