/** A backup is a dump of one moment while servers write, whose schema and ledger are checked at that same moment. */
import { chmodSync } from 'node:fs';
import { FILE_MODE, requireTrusted, writeWhole } from '../care/backup-file.ts';
import { readMigrations } from '../care/migrations.ts';
import type { NotedPast } from '../checks/past.ts';
import type { Findings } from '../port/database.ts';
import { beginSettled, inspectLedger, inspectSchema, requireTipwells } from './ledger-check.ts';
import { runForOperator } from './operator.ts';
import { findTools } from './tools.ts';

export function backUp(url: string, target: string, noted: readonly NotedPast[]): Promise<Findings> {
  return writeWhole(target, (unfinished, signal, requireOwn) =>
    runForOperator(url, async (client, name) => {
      await requireTipwells(client, url);
      const tools = await findTools(client, url, `Cannot back up ${name}`);
      await beginSettled(client);
      const changed = await inspectSchema(client, readMigrations('postgres'));
      requireTrusted(name, changed?.problems ?? []);
      const { rows } = await client.query<{ snapshot: string }>('SELECT pg_export_snapshot() AS snapshot');
      requireOwn();
      const [findings] = await Promise.all([
        inspectLedger(client, noted),
        tools.dump(unfinished, rows[0]?.snapshot ?? '', signal),
      ]);
      requireTrusted(name, findings.problems);
      await tools.list(unfinished);
      chmodSync(unfinished, FILE_MODE);
      return findings;
    }),
  );
}
