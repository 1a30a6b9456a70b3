// drizzle-kit looks for tables among the exports of a module, and these are made by a function.
import { sqliteTables } from './sqlite-tables.ts';

module.exports = sqliteTables();
