/**
 * An accountant's quarter: a provider's three months with refunds across their ends, through the real server. Each
 * month is closed on the day after it ended: its statement is noted, its CSV is saved and opened in LibreOffice, whose
 * own arithmetic sums the columns up. At the end of the quarter each month is asked for again: its statement is the one
 * that was noted, and what was changed since explains to the day what its tips come to now.
 */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { databaseAt } from '#server/storage/open.ts';
import { newTransactionId, readQrCodeId, type TransactionId, type UserId } from '#shared/ids.ts';
import { cents } from '#shared/money.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { call, createCode, enter } from '#tests/support/rest-client.ts';
import { startServer, temporaryFolder } from '#tests/support/running-server.ts';

const run = promisify(execFile);
const TIME_ZONE = 'America/New_York';
const MONTHS = [
  { from: '2026-01-01', to: '2026-01-31', closedOn: '2026-02-01' },
  { from: '2026-02-01', to: '2026-02-28', closedOn: '2026-03-01' },
  { from: '2026-03-01', to: '2026-03-31', closedOn: '2026-04-01' },
] as const;
const DAY_MS = 86_400_000;
const COLUMNS = ['Tip', 'Service fee', 'Net amount', 'Refunded'] as const;

interface Moves {
  readonly count: number;
  readonly net_minor: number;
}
interface Sums {
  readonly received_minor: number;
  readonly books: {
    readonly received_tips: Moves;
    readonly received_changes: Moves;
    readonly received_since: Moves;
  };
}
interface Entry {
  readonly created_at: string;
  readonly net_amount_minor: number;
}

/** @param report is told of each month. */
export async function closeAQuarter(report: (line: string) => void) {
  const violations: string[] = [];
  const server = await startServer();
  const pat = await enter(server, 'pat', ['bartender', 'dj']);
  const cam = await enter(server, 'cam');
  const codes = [await createCode(server, pat.token, 'bartender'), await createCode(server, pat.token, 'dj')];
  const services = ['bartender', 'dj'] as const;
  const storage = await databaseAt({ engine: 'sqlite', path: server.databasePath }).openForCommand();
  const given: { readonly id: TransactionId; readonly atMs: number; refundMs: number | null }[] = [];
  const ask = async <Body>(path: string) => (await call<Body>(server, path, { token: pat.token })).body;
  let at = Date.parse('2026-01-01T17:00:00Z');
  let random = 7;
  const below = (count: number) => {
    random = (random * 48_271) % 2_147_483_647;
    return random % count;
  };
  const noted = [];
  try {
    for (const { from, to, closedOn } of MONTHS) {
      for (; at < Date.parse(`${closedOn}T05:00:00Z`); at += DAY_MS / 6) {
        const place = below(2);
        const qrCodeId = readQrCodeId(codes[place] ?? '');
        if (!qrCodeId) throw new Error('there is no code');
        const id = newTransactionId(randomBytes);
        const tip = { id, giverId: cam.id as UserId, qrCodeId, createdAtMs: at };
        const serviceCategory = services[place] ?? 'bartender';
        const amountCents = cents(1_000 + below(20_000));
        await storage.recordTip(newTip({ ...tip, amountCents }, { serviceCategory }));
        given.push({ id, atMs: at, refundMs: below(6) === 0 ? at + below(40) * DAY_MS : null });
        for (const due of given) {
          if (due.refundMs === null || due.refundMs > at) continue;
          const reversal = { transactionId: due.id, userId: pat.id as UserId, idempotencyKey: null };
          await storage.reverseTip({
            ...reversal,
            createdAtMs: Math.max(due.refundMs, due.atMs),
            giverFromMs: 0,
          });
          due.refundMs = null;
        }
      }
      const period = `direction=received&from=${from}&to=${to}&time_zone=${TIME_ZONE}`;
      const sums = await ask<Sums>(`/transactions/sums?${period}`);
      const csv = await fetch(`${server.url}/api/transactions?${period}`, {
        headers: { Authorization: `Bearer ${pat.token}`, Accept: 'text/csv' },
      });
      const inLibreOffice = await sumsOfSpreadsheet(Buffer.from(await csv.arrayBuffer()));
      const { received_tips: tips, received_changes: changes } = sums.books;
      const total = tips.net_minor + changes.net_minor;
      report(`${from}: ${tips.count} tips, ${changes.count} refunds, net ${total / 100}`);
      expectSame(violations, `${from} in LibreOffice`, inLibreOffice['Net amount'], total);
      expectSame(violations, `${from} refunded`, inLibreOffice['Refunded'], -changes.net_minor);
      expectSame(
        violations,
        `${from} gross less fees`,
        (inLibreOffice['Tip'] ?? 0) - (inLibreOffice['Service fee'] ?? 0),
        total,
      );
      noted.push({ from, to, closedOn, period, total, tips: sums.received_minor });
    }
    for (const { from, to, closedOn, period, total, tips } of noted) {
      const now = await ask<Sums>(`/transactions/sums?${period}`);
      const { received_tips: given, received_changes: changes, received_since: since } = now.books;
      expectSame(violations, `${from} after the quarter`, given.net_minor + changes.net_minor, total);
      const changed = await ask<readonly Entry[]>(
        `/transactions/entries?direction=received&only=changes&from=${closedOn}&tips_from=${from}&tips_to=${to}` +
          `&time_zone=${TIME_ZONE}`,
      );
      const byDay = changed.reduce((sum, entry) => sum + entry.net_amount_minor, 0);
      expectSame(violations, `${from} changed since`, byDay, since.net_minor);
      expectSame(violations, `${from} as it counts today`, tips + byDay, now.received_minor);
      report(
        `${from}: ${changed.length} changed since, ${byDay / 100}: ${tips / 100} -> ${now.received_minor / 100}`,
      );
    }
  } finally {
    await storage.close();
    await server.stop();
  }
  return { figures: { months: noted.length, tips: given.length }, violations };
}

function expectSame(violations: string[], what: string, told: number | undefined, expected: number): void {
  if (told !== expected) violations.push(`${what}: ${told} in place of ${expected}`);
}

/**
 * Opens a CSV in LibreOffice with a row of SUM formulas below it, and reads what LibreOffice made of them.
 * @returns whole cents by the name of the column.
 */
async function sumsOfSpreadsheet(csv: Buffer): Promise<Readonly<Record<string, number>>> {
  const folder = temporaryFolder();
  const [header = [], ...rows]: string[][] = parse(csv, { bom: true });
  const letters = header.map((_, index) => String.fromCharCode('A'.charCodeAt(0) + index));
  const formulas = header.map((name, index) =>
    COLUMNS.some((column) => column === name)
      ? `=ROUND(100*SUM(${letters[index]}2:${letters[index]}${rows.length + 1});0)`
      : '',
  );
  const path = join(folder, 'month.csv');
  const quoted = (cells: readonly string[]) => `${cells.map((cell) => `"${cell}"`).join(',')}\r\n`;
  await writeFile(path, Buffer.concat([csv, Buffer.from(quoted(formulas))]));
  // Separated by commas, in UTF-8, with formulas and numbers evaluated as in English.
  const filter = 'CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true';
  const profile = `-env:UserInstallation=file://${join(folder, 'profile')}`;
  const into = (format: string, from: string, ...more: readonly string[]) =>
    run('soffice', [profile, '--headless', ...more, '--convert-to', format, '--outdir', folder, from]);
  await into('ods', path, `--infilter=${filter}`);
  await into('csv:Text - txt - csv (StarCalc):44,34,76,1', join(folder, 'month.ods'));
  const written: string[][] = parse(await readFile(path), { bom: true, relax_column_count: true });
  const last = written.at(-1) ?? [];
  return Object.fromEntries(COLUMNS.map((name) => [name, Number(last[header.indexOf(name)])]));
}
