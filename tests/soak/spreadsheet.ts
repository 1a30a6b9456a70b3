/** A CSV file that LibreOffice opens, with formulas below its rows that LibreOffice works out. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parse } from 'csv-parse/sync';
import { temporaryFolder } from '#tests/support/running-server.ts';

const run = promisify(execFile);
/** Separated by commas, in UTF-8, with formulas, numbers and dates evaluated as in English. */
const AS_SHOWN = 'CSV:44,34,76,1,,1033,false,true,false,false,false,-1,true';

/** @param cells the range of all rows in the column of this name. */
type Formula = (cells: (column: string) => string) => string;

/** What a column comes to, in whole cents. */
export const sumOf =
  (column: string): Formula =>
  (cells) =>
    `=ROUND(100*SUM(${cells(column)});0)`;

/** What the refunds and other changes of the tips of one day come to in a column, in whole cents. */
export function changesOf(column: string, date: string): Formula {
  const [year, month, day] = date.split('-').map(Number);
  const ofDay = `DATE(${year};${month};${day})`;
  return (cells) =>
    `=ROUND(100*SUMIFS(${cells(column)};${cells('Date of tip')};${ofDay};${cells('Entry')};"<>Tip");0)`;
}

/** Has LibreOffice open a CSV file. @returns what it has made of the formula of a name; it throws without a number. */
export async function calculate(
  csv: Buffer,
  formulas: ReadonlyMap<string, Formula>,
): Promise<(name: string) => number> {
  const folder = temporaryFolder();
  const [header = [], ...rows]: string[][] = parse(csv, { bom: true });
  const cells = (column: string) => {
    const index = header.indexOf(column);
    if (index < 0) throw new Error(`there is no column ${column}`);
    const letter = String.fromCharCode('A'.charCodeAt(0) + index);
    return `$${letter}$2:$${letter}$${rows.length + 1}`;
  };
  const names = [...formulas.keys()];
  const written = [...formulas.values()].map((formula) => `"${formula(cells).replaceAll('"', '""')}"`);
  const path = join(folder, 'books.csv');
  await writeFile(path, Buffer.concat([csv, Buffer.from(`${written.join(',')}\r\n`)]));
  const into = (format: string, from: string, ...more: readonly string[]) =>
    run('soffice', [
      `-env:UserInstallation=file://${join(folder, 'profile')}`,
      '--headless',
      ...more,
      '--convert-to',
      format,
      '--outdir',
      folder,
      from,
    ]);
  await into('ods', path, `--infilter=${AS_SHOWN}`);
  await into('csv:Text - txt - csv (StarCalc):44,34,76,1', join(folder, 'books.ods'));
  const results: string[][] = parse(await readFile(path), { bom: true, relax_column_count: true });
  const values = results.at(-1) ?? [];
  return (name) => {
    const value = values[names.indexOf(name)] ?? '';
    if (!/^-?\d+$/.test(value)) throw new Error(`LibreOffice makes ${JSON.stringify(value)} of ${name}`);
    return Number(value);
  };
}
