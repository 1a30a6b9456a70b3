/** Statements as a browser prints them, read from the paper. */
import { chromium } from '@playwright/test';
import { findChromium } from '#tests/support/find-chromium.ts';
import { saveSheet } from '#tests/support/prints.ts';
import type { Person } from '#tests/support/rest-client.ts';
import type { RunningServer } from '#tests/support/running-server.ts';
import { requirePrintTools } from '#tests/support/system-tools.ts';

const AMOUNT = /-?\$[\d,]+\.\d\d/g;
/** Words of one line stand at the same height but for some points. */
const SAME_LINE_POINTS = 3;

interface PrintedStatement {
  /** What leads it: the net that was received, or the total paid. In whole cents, as all of these. */
  readonly totalCents: number;
  /** The last cell of the row of totals of each table that has one. */
  readonly tableTotals: readonly number[];
  /** From the total of the period to what its tips come to today, by the name of the line. */
  readonly today: Readonly<Record<string, number>>;
}

export async function openPrinter({ url }: Pick<RunningServer, 'url'>, timezoneId: string) {
  requirePrintTools();
  const executablePath = findChromium();
  if (executablePath === null) throw new Error('This needs Chromium: npx playwright install chromium');
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  return {
    async print(
      { token }: Person,
      period: { readonly direction: string; readonly from: string; readonly to: string },
    ): Promise<PrintedStatement> {
      const context = await browser.newContext({ locale: 'en-US', timezoneId });
      try {
        await context.addInitScript((own) => localStorage.setItem('tipwell_token', own), token);
        const page = await context.newPage();
        await page.goto(`${url}/statement?${new URLSearchParams({ ...period })}`);
        await page.locator('article dl').waitFor();
        return readStatement(await linesOf(await page.pdf({ format: 'A4' })));
      } finally {
        await context.close();
      }
    },
    close: () => browser.close(),
  };
}

async function linesOf(pdf: Uint8Array): Promise<string[]> {
  const pages = await saveSheet(pdf).pages();
  return pages.flatMap(({ words }) => {
    const lines: { readonly top: number; readonly words: (typeof words)[number][] }[] = [];
    for (const word of words) {
      const line = lines.find(({ top }) => Math.abs(top - word.top) < SAME_LINE_POINTS);
      if (line) line.words.push(word);
      else lines.push({ top: word.top, words: [word] });
    }
    return lines
      .toSorted((one, other) => one.top - other.top)
      .map((line) =>
        line.words
          .toSorted((one, other) => one.left - other.left)
          .map(({ text }) => text)
          .join(' '),
      );
  });
}

function readStatement(lines: readonly string[]): PrintedStatement {
  const heading = lines.findIndex((line) => /^Tips .*(Net|Total paid)$/.test(line));
  const tableTotals = lines.filter((line) => /^Total \d/.test(line)).map(lastAmount);
  const names = [
    'Total of this statement',
    'These tips when the period ended',
    'Changed since',
    'These tips today',
  ];
  const today = names.map((name) => {
    const found = lines.filter((line) => line.startsWith(`${name} `)).map(lastAmount);
    return [name, found.findLast((cents) => !Number.isNaN(cents)) ?? Number.NaN] as const;
  });
  return {
    totalCents: lastAmount(lines[heading + 1] ?? ''),
    tableTotals,
    today: Object.fromEntries(today),
  };
}

/** @returns whole cents; NaN without an amount. */
function lastAmount(line: string): number {
  const amount = line.match(AMOUNT)?.at(-1);
  return amount === undefined ? Number.NaN : Math.round(100 * Number(amount.replaceAll(/[$,]/g, '')));
}
