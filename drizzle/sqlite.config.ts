import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './drizzle/sqlite-exports.cts',
  out: './drizzle/sqlite',
});
