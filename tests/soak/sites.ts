/**
 * What is attacked: the production build with its limits on, over a fresh copy of one ledger each time. It is
 * one process on SQLite or two on PostgreSQL, and is reached directly (the first process) or through the
 * Caddy of this machine with the file that deploy/ has for it.
 */
import { randomBytes } from 'node:crypto';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { databaseAt } from '#server/storage/open.ts';
import { type SeededLedger, seedLedger } from '#tests/bench/seeded-ledger.ts';
import { startCaddy } from '#tests/support/caddy.ts';
import { ask } from '#tests/support/postgres-cluster.ts';
import { startPostgres } from '#tests/support/postgres-server.ts';
import { type RunningServer, startServer, temporaryFolder } from '#tests/support/running-server.ts';

export const LONG_HISTORY = 20_000;

export interface Place {
  readonly engine: 'sqlite' | 'postgres';
  readonly isBehindCaddy: boolean;
}

export interface Site {
  readonly port: number;
  readonly probeFiles: readonly string[];
  end(): Promise<void>;
}

export interface Sites {
  readonly ledger: SeededLedger;
  open(): Promise<Site>;
  close(): Promise<void>;
}

export async function prepareSites({ engine, isBehindCaddy }: Place): Promise<Sites> {
  const path = join(temporaryFolder(), 'ledger.db');
  const ledger = seedLedger(path, { longHistory: LONG_HISTORY });
  const copies = engine === 'sqlite' ? copiesOfFile(path) : await copiesInPostgres(path);
  return {
    ledger,
    close: copies.close,
    async open() {
      const databaseUrl = await copies.next();
      const places = engine === 'sqlite' ? 1 : 2;
      const probeFiles = Array.from({ length: places }, () => join(temporaryFolder(), 'loop.jsonl'));
      const servers: RunningServer[] = [];
      for (const file of probeFiles) servers.push(await startProbed(databaseUrl, file));
      const ports = servers.map(({ port }) => port);
      const file = engine === 'sqlite' ? 'deploy/Caddyfile' : 'deploy/Caddyfile.two';
      const caddy = isBehindCaddy ? await startCaddy(file, ports) : null;
      return {
        port: caddy ? Number(new URL(caddy.url).port) : (ports[0] ?? 0),
        probeFiles,
        async end() {
          await caddy?.stop();
          await Promise.all(servers.map((server) => server.stop('SIGKILL')));
        },
      };
    },
  };
}

function startProbed(databaseUrl: string, probeFile: string): Promise<RunningServer> {
  return startServer({
    // A server with a local address prints nothing.
    PUBLIC_URL: 'https://tips.example.com',
    RATE_LIMIT: 'on',
    DATABASE_URL: databaseUrl,
    LOOP_PROBE_FILE: probeFile,
    TRUST_PROXY: '127.0.0.1',
    NODE_OPTIONS: `--import ${join(import.meta.dirname, 'loop-probe.js')}`,
  });
}

interface Copies {
  next(): Promise<string>;
  close(): Promise<void>;
}

function copiesOfFile(ledger: string): Copies {
  return {
    async next() {
      const copy = join(temporaryFolder(), 'tipwell.db');
      copyFileSync(ledger, copy);
      return copy;
    },
    close: async () => {},
  };
}

async function copiesInPostgres(ledger: string): Promise<Copies> {
  const server = await startPostgres();
  const admin = server.url('postgres');
  await ask(admin, "CREATE DATABASE seeded TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'");
  const target = databaseAt({ engine: 'postgres', url: server.url('seeded') });
  await databaseAt({ engine: 'sqlite', path: ledger }).readAll((tables, past) => target.fill(tables, past));
  await ask(server.url('seeded'), 'VACUUM ANALYZE');
  return {
    async next() {
      const name = `copy_${randomBytes(4).toString('hex')}`;
      await ask(admin, `CREATE DATABASE ${name} TEMPLATE seeded`);
      return server.url(name);
    },
    close: () => server.stop(),
  };
}
