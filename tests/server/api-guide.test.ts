/**
 * The steps of the README and of docs/api.md: each is run as it stands there, and a running server answers what stands below
 * it.
 */
import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { delimiter, dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { startServer, stopEverything } from '#tests/support/running-server.ts';

const ADDRESS = 'http://localhost:3000';
/** Stands between the answers of two steps. */
const END_OF_STEP = '-- the end of a step --';

/** What differs between two runs; ids keep apart what they tell apart. */
const CHANGING = [
  /\busr_[0-9a-z]{26}\b/g,
  /\btxn_[0-9a-z]{26}\b/g,
  /\b[0-9A-HJKMNP-TV-Z]{10}\b/g,
  /\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b/g,
];
const TIME = /\b\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?|\b\d\d:\d\d:\d\d\b/g;

afterAll(stopEverything);

interface Step {
  readonly commands: string;
  /** Null where the page shows none. */
  answer: string | null;
}

/** The first steps stand in the README. */
const CHAPTERS = [
  { page: 'README.md', chapter: /^## Call it$([\s\S]*?)^## /m },
  { page: 'docs/api.md', chapter: /^## Try it with curl$([\s\S]*?)^## /m },
];

function readSteps(): readonly Step[] {
  const chapter = CHAPTERS.map((each) => each.chapter.exec(readFileSync(each.page, 'utf8'))?.[1]).join('\n');
  const steps: Step[] = [];
  for (const [, commands, answer] of chapter.matchAll(/^((?: {4}.+\n)+)|^```\w*\n([\s\S]*?)^```$/gm)) {
    const last = steps.at(-1);
    if (commands !== undefined) steps.push({ commands: commands.replace(/^ {4}/gm, ''), answer: null });
    else if (last) last.answer = answer ?? null;
  }
  return steps;
}

function withoutChance(text: string): string {
  const named = CHANGING.reduce((result, pattern) => {
    const names = new Map<string, string>();
    return result.replace(pattern, (found) => {
      const name = names.get(found) ?? `<${names.size} of ${pattern.source}>`;
      names.set(found, name);
      return name;
    });
  }, text);
  return named.replace(TIME, '<time>');
}

const has = (program: string) => spawnSync(program, ['--version']).error === undefined;

test('every step of the guide to the API is answered as the guide says', async ({ skip }) => {
  skip(!['bash', 'curl', 'jq', 'openssl'].every(has), 'there is no bash, curl, jq or openssl');
  const steps = readSteps();
  expect(steps.length).toBeGreaterThan(7);
  const server = await startServer();
  const script = steps.map(({ commands }) => `${commands}echo '${END_OF_STEP}'\n`).join('');
  const { stdout } = await promisify(execFile)('bash', ['-euc', script.replaceAll(ADDRESS, server.url)], {
    env: {
      ...process.env,
      PATH: `${dirname(process.execPath)}${delimiter}${process.env['PATH'] ?? ''}`,
    },
  });
  const answers = stdout
    .replace(/[\r\u{feff}]/gu, '')
    .replaceAll(server.url, ADDRESS)
    .split(`${END_OF_STEP}\n`);
  const shown = steps.map(({ answer }, index) => (answer === null ? '' : answers[index]));
  const promised = steps.map(({ answer }) => answer ?? '');
  expect(withoutChance(shown.join('\n'))).toBe(withoutChance(promised.join('\n')));
});
