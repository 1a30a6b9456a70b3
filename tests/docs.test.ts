/** The manuals name nothing that is not there: files, headings, commands, settings, lines of the log. */
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { CONSOLE_REFUSALS } from '#shared/console/refusals.ts';
import { REFUSALS } from '#shared/refusals.ts';
import { withEconomics } from '../tools/payment-economics.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const PAGES = globSync(['*.md', 'docs/**/*.md']).sort();
/** A page of the manual tells how things are; the change-log tells how they were in each version. */
const MANUALS = PAGES.filter((page) => page !== 'CHANGELOG.md');
const SOURCES = globSync(['{src,tests,tools,deploy,drizzle}/**/*.*', '*.*', '.env.example', '.ci/run']);
/** Where a path may begin that a page names. */
const ROOTS = ['', 'src', 'src/server', 'src/server/storage', 'src/client', 'tests', 'docs'];
const MADE_LATER = /^(?:dist|data|node_modules|backups)\//;

const PROSE_WIDTH = 120;
const CELL_WIDTH = 150;
const README_LINES = 120;

const withoutBlocks = (text: string) => text.replace(/^ *```[\s\S]*?^ *```/gm, '').replace(/^ {4}.*$/gm, '');

/** What is found on each page, after its name. */
function foundIn(pages: readonly string[], find: (page: string) => readonly string[]): readonly string[] {
  return pages.flatMap((page) => find(page).map((found) => `${page}: ${found}`));
}

/** As GitHub makes them: https://docs.github.com/en/get-started/writing-on-github, section links. */
function anchorsOf(page: string): readonly string[] {
  return [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading));
}

function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
}

function linksOf(page: string): readonly string[] {
  return [...withoutBlocks(read(page)).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target)
    .filter((target) => !target.includes('://'));
}

test('links lead to files and headings that are there', () => {
  const leadsNowhere = (page: string) => (target: string) => {
    const [path = '', anchor] = target.split('#');
    const file = path === '' ? page : join(dirname(page), path);
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor));
  };
  expect(foundIn(PAGES, (page) => linksOf(page).filter(leadsNowhere(page)))).toEqual([]);
  // A link that is called by the name of a page leads to that page, and one called by a decision to that decision.
  const isMiscalled = ([, name = '', target = '']: readonly string[]) => {
    const file = basename(target.replace(/#.*/, ''));
    const [, page] = /^([\w./-]+\.md)$/.exec(name) ?? [];
    const [, number] = /^decision\s+(\d{3})$/i.exec(name) ?? [];
    return (page !== undefined && basename(page) !== file) || !file.startsWith(number ?? '');
  };
  const named = (page: string) => [...read(page).matchAll(/\[([^\]]+)\]\(([^)\s]+)\)/g)];
  expect(
    foundIn(PAGES, (page) =>
      named(page)
        .filter(isMiscalled)
        .map(([link]) => link),
    ),
  ).toEqual([]);
});

test('every page of the manual can be reached from the README', () => {
  const reached = new Set(['README.md']);
  for (const page of reached)
    for (const target of linksOf(page)) {
      const file = join(dirname(page), target.replace(/#.*/, ''));
      if (file.endsWith('.md')) reached.add(file);
    }
  const others = PAGES.filter((page) => !reached.has(page) && !page.startsWith('docs/decisions/'));
  expect(others).toEqual([]);
});

test('a decision has a number of its own, which its heading repeats', () => {
  const decisions = PAGES.filter((page) => page.startsWith('docs/decisions/'));
  const numbers = decisions.map((page) => basename(page).slice(0, 3));
  expect(numbers).toEqual([...new Set(numbers)]);
  const named = foundIn(decisions, (page) => [/^# (\d{3}): \S/.exec(read(page))?.[1] ?? 'none']);
  expect(named).toEqual(decisions.map((page, index) => `${page}: ${numbers[index]}`));
});

test('a page that begins with a list of its sections lists all of them', () => {
  const missing = foundIn(MANUALS, (page) => {
    const [head = '', ...sections] = withoutBlocks(read(page)).split(/^## /m);
    const listed = [...head.matchAll(/\]\(#([^)\s]+)\)/g)].map(([, anchor = '']) => anchor);
    if (listed.length < 2 || sections.length < 2) return [];
    const names = sections.map((section) => section.split('\n', 1)[0] ?? '');
    return names.filter((name) => !listed.includes(anchorOf(name)));
  });
  expect(missing).toEqual([]);
});

test('the manuals name files and folders that are there', () => {
  const names = new Set(SOURCES.map((path) => basename(path)));
  const isDead = (span: string) => {
    if (/^[a-z][\w-]*\.(?:module\.css|tsx?|cts)$/.test(span)) return !names.has(span);
    if (!/^[\w.-]+\/(?:[\w.-]+\/)*(?:[\w-]+(?:\.[\w-]+)*\.[a-z]+)?$/.test(span)) return false;
    return !MADE_LATER.test(span) && !ROOTS.some((root) => existsSync(join(root, span)));
  };
  const dead = foundIn(MANUALS, (page) =>
    [...withoutBlocks(read(page)).matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span).filter(isDead),
  );
  expect(dead).toEqual([]);
});

test('the manuals name functions, fields and types that some code has', () => {
  const code = SOURCES.filter((path) => /\.(?:[jt]sx?|cts|json)$/.test(path))
    .map(read)
    .join('\n');
  // Rules of the linter, and one of npm's words.
  const ofOthers = ['noDangerouslySetInnerHtml', 'noGlobalEval', 'devDependency'];
  const dead = foundIn(MANUALS, (page) =>
    [...withoutBlocks(read(page)).matchAll(/`([a-z]+(?:[A-Z][a-z0-9]*)+)`/g)]
      .map(([, name = '']) => name)
      .filter((name) => !ofOthers.includes(name) && !code.includes(name)),
  );
  expect(dead).toEqual([]);
});

test('the page about the code names every folder of the server, of the storage and of the client', () => {
  const page = read('docs/architecture.md');
  const folders = ['src/server', 'src/server/storage', 'src/client'].flatMap((parent) =>
    globSync(`${parent}/*/`).map((folder) => basename(folder)),
  );
  expect(folders.length).toBeGreaterThan(20);
  const missing = folders.filter((name) => !new RegExp(`\\b${name}\\b`).test(page));
  expect(missing, 'not named in docs/architecture.md').toEqual([]);
});

test('comments name pages of the manual that are there', () => {
  const texts = SOURCES.filter((path) => !/\.(?:png|ttf|woff2)$/.test(path));
  const dead = foundIn(texts, (path) =>
    [...read(path).matchAll(/(?<![\w/])docs\/[\w/-]+\.md/g)]
      .map(([named]) => named)
      .filter((named) => !existsSync(named)),
  );
  expect(dead).toEqual([]);
});

test('the manuals name commands that npm knows', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  // A release has a script of its own, which trims its packages.
  const known = [...Object.keys(scripts), ...(read('tools/release.js').includes('trim:') ? ['trim'] : [])];
  const unknown = foundIn(MANUALS, (page) =>
    [...read(page).matchAll(/\bnpm run (?:--silent )?([a-z][\w:-]*)/g)]
      .map(([, name = '']) => name)
      .filter((name) => !known.includes(name)),
  );
  expect(unknown).toEqual([]);
  // The machine's own Node.js may be too old; that of a container is not.
  const byOwnNode = foundIn(MANUALS, (page) =>
    read(page)
      .split('\n')
      .filter((line) => /\bnode dist\//.test(line) && !/\bdocker (?:compose|exec|run) /.test(line)),
  );
  expect(byOwnNode).toEqual([]);
});

test('the manuals name every script of npm, and the page for contributors every long form', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const [, forms = ''] = /^const SOAKS.*?\{\n([\s\S]*?)^\};$/m.exec(read('tests/soak/main.ts')) ?? [];
  const names = [...forms.matchAll(/^ {2}'?([\w-]+)'?[:,]/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(10);
  const page = MANUALS.filter((path) => !path.startsWith('docs/decisions/'))
    .map(read)
    .join('\n');
  const ours = Object.keys(scripts).filter((name) => !scripts[name]?.includes(' dist/server/main.js '));
  const isNamed = (name: string) => new RegExp(`(?<![\\w:-])${name}(?!\\w|-|:\\w)`).test(page);
  expect(ours.filter((name) => !isNamed(name))).toEqual([]);
  expect(names.filter((name) => !read('CONTRIBUTING.md').includes(`\`${name}\``))).toEqual([]);
});

test('the page for operators names every host of a push service that the server calls', () => {
  const [, hosts = ''] = /^const KNOWN_HOSTS = \[\n([\s\S]*?)^\];$/m.exec(
    read('src/server/notifications/push-endpoint.ts'),
  ) ?? [''];
  const names = [...hosts.matchAll(/'([^']+)'/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(4);
  expect(names.filter((name) => !read('docs/operating.md').includes(`\`${name}\``))).toEqual([]);
});

test('the page about payments names every service where it stops the tips of all', () => {
  const [, listed = ''] = /^ *STRIPE_EXCLUDED_CATEGORIES=(\S+)$/m.exec(read('docs/payments.md')) ?? [];
  expect(listed.split(',')).toEqual([...SERVICE_CATEGORIES]);
});

test('the table of commands has every command of a server', () => {
  const { scripts } = z
    .object({ scripts: z.record(z.string(), z.string()) })
    .parse(JSON.parse(read('package.json')));
  const commands = Object.keys(scripts).filter((name) => scripts[name]?.includes(' dist/server/main.js '));
  expect(commands.length).toBeGreaterThan(15);
  const rows = read('docs/operating.md').matchAll(/^\| `npm run ([\w:-]+)/gm);
  expect([...rows].map(([, name = '']) => name).sort()).toEqual(commands.sort());
});

test('lines of the log stand in the manuals as some code writes them', () => {
  const code = SOURCES.filter((path) => path.startsWith('src/'))
    .filter((path) => /\.[jt]s$/.test(path))
    .map(read)
    .join('\n');
  // Some lines are put together of parts, and two of these are values. A short part stands in any program, and tells
  // nothing where there are others.
  const isWritten = (text: string) => {
    const parts = text.split(/[:(,|)?]|\bnot set\b|\blocalhost\b/).map((part) => part.trim());
    const telling = parts.filter(({ length }) => length >= 8);
    return (telling.length > 0 ? telling : parts).every((part) => code.includes(part));
  };
  const dead = foundIn(MANUALS, (page) =>
    [...read(page).matchAll(/"(?:msg|event)":"([^"]+)"/g)]
      .map(([, text = '']) => text)
      .filter((text) => !isWritten(text)),
  );
  expect(dead).toEqual([]);
  const [, events = ''] = /^\| `event` \|.*\n((?:\|.*\n)+)/m.exec(read('docs/log.md')) ?? [];
  const names = [...events.matchAll(/`(\w+)`/g)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(15);
  expect(names.filter((name) => !code.includes(`'${name}'`))).toEqual([]);
});

test('steps that give a folder the name of another one have removed or moved away what had that name', () => {
  const steps = PAGES.flatMap((page) => read(page).match(/(?:^ {4}.*\n)+/gm) ?? []).join('\n');
  const isInTheWay = ([, , target = '']: readonly string[], at: number) =>
    ![...steps.slice(0, at).matchAll(/rm -rf ([^&\n]+)|mv (\S+) /g)].some(([, removed = '', moved]) =>
      [...removed.split(' '), moved].includes(target),
    );
  const moves = [...steps.matchAll(/mv (\/opt\/\S+) (\/opt\/\S+)/g)];
  expect(moves.length).toBeGreaterThan(2);
  expect(moves.filter((move) => isInTheWay(move, move.index)).map(([move]) => move)).toEqual([]);
});

test('the settings stand in their page with the defaults that they have', () => {
  const rows = [...read('docs/settings.md').matchAll(/^\| `([A-Z_]+)` \| (?:`(.*?)`)? *\|/gm)];
  const shown = Object.fromEntries(rows.map(([, name = '', value = '']) => [name, value]));
  expect(shown).toEqual(parseEnv(read('.env.example')));
});

test('all errors of the API stand in its page with the status that they have', () => {
  const rows = [...read('docs/api.md').matchAll(/^\| (\d{3}(?:, \d{3})*) \| (.+?) \|/gm)];
  const shown = rows.flatMap(([, statuses = '', codes = '']) =>
    [...codes.matchAll(/`(\w+)`/g)].map(([, code = '']) => [code, statuses.split(', ')] as const),
  );
  const known: Readonly<Record<string, { readonly status: number }>> = REFUSALS;
  const wrong = shown.filter(([code, statuses]) => !statuses.includes(String(known[code]?.status)));
  expect(wrong).toEqual([]);
  // What the console and the endpoint of the payment service refuse, no client of the API meets.
  const isElsewhere = (code: string) => code in CONSOLE_REFUSALS || code === 'invalid_notice';
  const expected = Object.keys(REFUSALS).filter((code) => !isElsewhere(code));
  expect(shown.map(([code]) => code).sort()).toEqual(expected.sort());
});

test('pages have lines and cells that one can read', () => {
  const isWide = (line: string) =>
    line.startsWith('|')
      ? line.split('|').some((cell) => !cell.includes('](') && cell.length > CELL_WIDTH)
      : line.length > PROSE_WIDTH;
  expect(foundIn(PAGES, (page) => withoutBlocks(read(page)).split('\n').filter(isWide))).toEqual([]);
});

test('what an operator keeps of paid tips stands in its page as the program computes it', () => {
  const page = read('docs/payments.md');
  expect(page).toBe(withEconomics(page));
});

test('the README is short, and begins with how to start and how to test', () => {
  const lines = read('README.md').split('\n');
  expect(lines.length).toBeLessThanOrEqual(README_LINES);
  const commands = lines
    .filter((line) => line.startsWith('    '))
    .map((line) => line.replace(/#.*/, '').trim());
  expect(commands.slice(0, 2)).toEqual(['npm ci && npm start', 'npm ci && npm test']);
});

test('the decision about statements gives each reason for which one differs between the engines', () => {
  const statements = globSync('src/server/storage/statements/*.ts').map(read).join('');
  const [, table = ''] = read('docs/decisions/032-storage-said-once.md').split('## Statements that differ');
  const reasonsIn = (text: string, form: RegExp) => [
    ...new Set([...text.matchAll(form)].map(([, reason]) => reason)),
  ];
  expect(
    reasonsIn(table, /^\|.*\| ([^|]+) \|$/gm)
      .slice(1)
      .sort(),
  ).toEqual(reasonsIn(statements, /\bchoose\('([^']+)'/g).sort());
});
