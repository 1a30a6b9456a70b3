/**
 * How fast the public pages are on a phone: Lighthouse's mobile preset on the production build, the median of
 * three, and the size of all scripts that a browser really loads on each route. Run by `npm run bench:page`.
 *
 * Lighthouse is too heavy to be a dependency. It is taken from the folder LIGHTHOUSE_FOLDER, in which it is
 * installed, or installed into a temporary one outside of the project.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { get } from 'node:http';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompressSync } from 'node:zlib';
import { type Browser, chromium } from '@playwright/test';
import { z } from 'zod';
import { brand } from '#shared/brand.ts';
import { findChromium } from '#tests/support/find-chromium.ts';
import {
  type RunningServer,
  startServer,
  stopEverything,
  temporaryFolder,
} from '#tests/support/running-server.ts';

const LIGHTHOUSE = 'lighthouse@13.5.0';
const RUNS = 3;
/** Scripts that are fetched when the browser has nothing better to do count too. */
const LATE_SCRIPTS_MS = 3_000;
const PASSWORD = 'correct horse battery';

const run = promisify(execFile);

interface Page {
  readonly name: string;
  readonly path: string;
  readonly token?: string;
  /** All scripts packed by Brotli, in kilobytes of 1,000 bytes; null without a target. */
  readonly maxScriptKB: number | null;
  /** Null where Lighthouse cannot measure. */
  readonly targets: Targets | null;
}

interface Targets {
  readonly isListed: boolean;
  readonly performance: number;
  readonly lcpMs?: number;
  readonly tbtMs?: number;
  readonly cls?: number;
}

const score = z.object({ score: z.number() });
const metric = z.object({ numericValue: z.number() });
const report = z.object({
  categories: z.object({
    performance: score,
    accessibility: score,
    'best-practices': score,
    seo: score,
  }),
  audits: z.object({
    'first-contentful-paint': metric,
    'largest-contentful-paint': metric,
    'total-blocking-time': metric,
    'cumulative-layout-shift': metric,
  }),
});

interface Measured {
  readonly performance: number;
  readonly accessibility: number;
  readonly bestPractices: number;
  readonly seo: number;
  readonly fcpMs: number;
  readonly lcpMs: number;
  readonly tbtMs: number;
  readonly cls: number;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function medianOf(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

async function findLighthouse(): Promise<string> {
  let folder = process.env['LIGHTHOUSE_FOLDER'];
  if (folder === undefined) {
    folder = temporaryFolder();
    say(`LIGHTHOUSE_FOLDER is not set: installing ${LIGHTHOUSE} into ${folder}, for this run only.`);
    await run('npm', [
      'install',
      '--prefix',
      folder,
      '--no-audit',
      '--no-fund',
      '--ignore-scripts',
      LIGHTHOUSE,
    ]);
  }
  const command = join(folder, 'node_modules/lighthouse/cli/index.js');
  if (!existsSync(command))
    throw new Error(`There is no Lighthouse in ${folder}: npm install --prefix ${folder} ${LIGHTHOUSE}`);
  return command;
}

/** Lighthouse sometimes misses the beginning of a page and asks for another run itself. */
async function askLighthouse(
  lighthouse: string,
  url: string,
  browserPath: string,
  isLast = false,
): Promise<string> {
  try {
    const { stdout } = await run(
      process.execPath,
      [
        lighthouse,
        url,
        '--quiet',
        '--output=json',
        '--chrome-flags=--headless=new --no-sandbox --disable-gpu',
      ],
      { env: { ...process.env, CHROME_PATH: browserPath }, maxBuffer: 64 * 2 ** 20 },
    );
    return stdout;
  } catch (error) {
    const words = error instanceof Error && 'stderr' in error ? String(error.stderr) : '';
    if (isLast || !words.includes('run Lighthouse again')) throw error;
    return askLighthouse(lighthouse, url, browserPath, true);
  }
}

async function measure(lighthouse: string, url: string, browserPath: string): Promise<Measured> {
  const { categories, audits } = report.parse(JSON.parse(await askLighthouse(lighthouse, url, browserPath)));
  return {
    performance: 100 * categories.performance.score,
    accessibility: 100 * categories.accessibility.score,
    bestPractices: 100 * categories['best-practices'].score,
    seo: 100 * categories.seo.score,
    fcpMs: audits['first-contentful-paint'].numericValue,
    lcpMs: audits['largest-contentful-paint'].numericValue,
    tbtMs: audits['total-blocking-time'].numericValue,
    cls: audits['cumulative-layout-shift'].numericValue,
  };
}

function medianOfRuns(runs: readonly Measured[]): Measured {
  const of = (field: keyof Measured) => medianOf(runs.map((one) => one[field]));
  return {
    performance: of('performance'),
    accessibility: of('accessibility'),
    bestPractices: of('bestPractices'),
    seo: of('seo'),
    fcpMs: of('fcpMs'),
    lcpMs: of('lcpMs'),
    tbtMs: of('tbtMs'),
    cls: of('cls'),
  };
}

/** Preloaded scripts count too. */
async function scriptsOf(browser: Browser, url: string, token: string | undefined): Promise<string[]> {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } });
  if (token !== undefined) {
    const entry = [brand.tokenStorageKey, token] as const;
    await context.addInitScript(([key, value]) => localStorage.setItem(key, value), entry);
  }
  const page = await context.newPage();
  const scripts = new Set<string>();
  page.on('response', (response) => {
    if (/javascript/.test(response.headers()['content-type'] ?? '')) scripts.add(response.url());
  });
  await page.goto(url, { waitUntil: 'load' });
  await page.waitForTimeout(LATE_SCRIPTS_MS);
  await context.close();
  return [...scripts];
}

/** The size of the body packed by Brotli; NaN when it is not packed. */
function sizeOf(url: string): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { headers: { 'Accept-Encoding': 'br' } }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        if (answer.headers['content-encoding'] !== 'br') return resolve(Number.NaN);
        brotliDecompressSync(body);
        resolve(body.length);
      });
    }).on('error', reject);
  });
}

async function post(server: RunningServer, path: string, body: unknown, token = ''): Promise<unknown> {
  const answer = await fetch(`${server.url}/api${path}`, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      ...(token !== '' && { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

async function prepare(server: RunningServer) {
  const customerToken = await register(server, 'chris', { is_service_provider: false });
  const providerToken = await register(server, 'pat', {
    is_service_provider: true,
    service_categories: ['bartender'],
  });
  const made = await post(server, '/qr-codes', { service_category: 'bartender' }, providerToken);
  return { customerToken, providerToken, code: z.object({ id: z.string() }).parse(made).id };
}

async function register(server: RunningServer, username: string, kind: object): Promise<string> {
  const credentials = { email: `${username}@example.com`, password: PASSWORD };
  await post(server, '/auth/register', {
    ...credentials,
    username,
    full_name: username,
    phone: null,
    ...kind,
  });
  const login = await post(server, '/auth/login', credentials);
  return z.object({ access_token: z.string() }).parse(login).access_token;
}

function verdictOf({ targets }: Page, measured: Measured): string {
  if (!targets) return '';
  const missed = [
    measured.performance < targets.performance && `performance ${targets.performance}`,
    targets.lcpMs !== undefined && measured.lcpMs > targets.lcpMs && `LCP ${targets.lcpMs} ms`,
    targets.tbtMs !== undefined && measured.tbtMs > targets.tbtMs && `TBT ${targets.tbtMs} ms`,
    targets.cls !== undefined && measured.cls > targets.cls && `CLS ${targets.cls}`,
    measured.accessibility < 100 && 'accessibility 100',
    measured.bestPractices < 100 && 'best practices 100',
    targets.isListed && measured.seo < 100 && 'SEO 100',
  ].filter((words) => words !== false);
  return missed.length === 0 ? 'met' : `MISSED: ${missed.join(', ')}`;
}

async function main(): Promise<void> {
  const browserPath = findChromium();
  if (browserPath === null) throw new Error('There is no Chromium: npx playwright install chromium');
  const lighthouse = await findLighthouse();
  const server = await startServer();
  const { customerToken, providerToken, code } = await prepare(server);
  const ofTip: Targets = { isListed: false, performance: 100, lcpMs: 800, tbtMs: 50, cls: 0 };
  const pages: readonly Page[] = [
    { name: 'landing', path: '/', maxScriptKB: null, targets: { isListed: true, performance: 99 } },
    { name: 'auth', path: '/auth', maxScriptKB: null, targets: { isListed: false, performance: 99 } },
    { name: 'tip page', path: `/tip/${code}`, maxScriptKB: 70, targets: ofTip },
    { name: 'demo tip page', path: '/tip/demo-alex-bartender', maxScriptKB: 70, targets: ofTip },
    {
      name: "a provider's dashboard",
      path: '/dashboard',
      token: providerToken,
      maxScriptKB: 115,
      targets: null,
    },
    {
      name: "a customer's dashboard",
      path: '/dashboard',
      token: customerToken,
      maxScriptKB: 115,
      targets: null,
    },
  ];
  say(
    `${cpus()[0]?.model.trim()}, ${availableParallelism()} cores, Node ${process.version}; load ${loadavg()[0]?.toFixed(2)}`,
  );

  say('\n| page | performance | FCP | LCP | TBT | CLS | accessibility, best practices, SEO | targets |');
  say('| --- | --- | --- | --- | --- | --- | --- | --- |');
  for (const page of pages.filter(({ targets }) => targets !== null)) {
    const runs: Measured[] = [];
    for (let time = 0; time < RUNS; time += 1)
      runs.push(await measure(lighthouse, server.url + page.path, browserPath));
    const found = medianOfRuns(runs);
    const ms = (value: number) => `${Math.round(value)} ms`;
    const others = [found.accessibility, found.bestPractices, found.seo].map(Math.round).join(', ');
    const verdict = verdictOf(page, found);
    if (verdict !== 'met') process.exitCode = 1;
    say(
      `| ${page.name} | ${Math.round(found.performance)} | ${ms(found.fcpMs)} | ${ms(found.lcpMs)} | ${ms(found.tbtMs)} | ${found.cls.toFixed(3)} | ${others} | ${verdict} |`,
    );
  }

  say('\n| page | scripts | size (Brotli) | target |');
  say('| --- | --- | --- | --- |');
  const browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu'],
  });
  for (const page of pages) {
    const scripts = await scriptsOf(browser, server.url + page.path, page.token);
    const sizes = await Promise.all(scripts.map(sizeOf));
    const size = sizes.reduce((total, one) => total + one, 0) / 1_000;
    const isMet = page.maxScriptKB === null || size <= page.maxScriptKB;
    if (!isMet) process.exitCode = 1;
    const target = page.maxScriptKB === null ? '' : `<= ${page.maxScriptKB} KB: ${isMet ? 'met' : 'MISSED'}`;
    say(`| ${page.name} | ${scripts.length} | ${size.toFixed(1)} KB | ${target} |`);
  }
  await browser.close();
  await server.stop();
  say(`\nload ${loadavg()[0]?.toFixed(2)} at the end`);
}

try {
  await main();
} finally {
  await stopEverything();
}
