/**
 * SECURITY.md promises, and names the tests that show it: every one of them exists, every requirement of the level has
 * a row, and what the page says is nowhere in the product is nowhere in it.
 */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readSources } from '#tests/support/architecture.ts';

const PAGE = readFileSync('SECURITY.md', 'utf8');

/** OWASP ASVS 5.0.0, level 1: from its table of requirements. */
const LEVEL_1 = [
  ...['1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5', '1.3.1', '1.3.2', '1.5.1'],
  ...['2.1.1', '2.2.1', '2.2.2', '2.3.1'],
  ...['3.2.1', '3.2.2', '3.3.1', '3.4.1', '3.4.2', '3.5.1', '3.5.2', '3.5.3'],
  ...['4.1.1', '4.4.1', '5.2.1', '5.2.2', '5.3.1', '5.3.2'],
  ...['6.1.1', '6.2.1', '6.2.2', '6.2.3', '6.2.4', '6.2.5', '6.2.6', '6.2.7', '6.2.8'],
  ...['6.3.1', '6.3.2', '6.4.1', '6.4.2', '7.2.1', '7.2.2', '7.2.3', '7.2.4', '7.4.1', '7.4.2'],
  ...['8.1.1', '8.2.1', '8.2.2', '8.3.1', '9.1.1', '9.1.2', '9.1.3', '9.2.1'],
  ...['10.4.1', '10.4.2', '10.4.3', '10.4.4', '10.4.5'],
  ...['11.3.1', '11.3.2', '11.4.1', '12.1.1', '12.2.1', '12.2.2'],
  ...['13.4.1', '14.2.1', '14.3.1', '15.1.1', '15.2.1', '15.3.1'],
];

/** What is nowhere in the product, but in the files named, each for its reason. */
const DANGEROUS: readonly {
  readonly what: string;
  readonly pattern: RegExp;
  readonly except: readonly string[];
}[] = [
  {
    what: 'text read as HTML',
    pattern: /innerHTML|outerHTML|insertAdjacentHTML|dangerouslySetInnerHTML|document\.write|srcdoc/i,
    except: [],
  },
  { what: 'text run as code', pattern: /\beval\(|new Function\(|node:vm\b/, except: [] },
  // The mark of a device, which logs nobody in, and its way into the answer.
  {
    what: 'a cookie',
    pattern: /set-cookie|setCookie|document\.cookie/i,
    except: ['server/auth/device-marks.ts', 'server/api/context.ts'],
  },
  // The backup of the day, in a process of its own so that nobody waits for it.
  { what: 'another program', pattern: /node:child_process/, except: ['server/serve.ts'] },
  { what: 'a shell', pattern: /(?<![.\w])exec\(|execSync\(|shell: true/, except: [] },
  { what: 'encryption', pattern: /createCipher|createDecipher|crypto\.subtle/, except: [] },
  { what: 'a weak hash', pattern: /create(?:Hash|Hmac)\((?!'sha256'[,)])/, except: [] },
  { what: 'XML', pattern: /DOMParser|xml2js|fast-xml/, except: [] },
];

test('every test that the page names exists', () => {
  const cited = [...PAGE.matchAll(/`(tests\/[\w./-]+\.ts)`((?:,? "[^"]+")*)/g)].flatMap(
    ([, file = '', names = '']) => {
      expect(existsSync(file), file).toBe(true);
      return [...names.matchAll(/"([^"]+)"/g)].map(([, name = '']) => ({ file, name }));
    },
  );
  expect(cited.length).toBeGreaterThan(70);
  const missing = cited.filter(({ file, name }) => !titlesIn(file).has(name));
  expect(missing).toEqual([]);
});

test('every requirement of the level has one row, and what is met names its test', () => {
  const rows = [...PAGE.matchAll(/^\| (\d+\.\d+\.\d+) \| (.+) \| (.*) \| ?(.*) ?\|$/gm)];
  expect(rows.map(([, number]) => number)).toEqual(LEVEL_1);
  const unshown = rows.filter(([, , , status = '', shown = '']) => {
    const isByTest = /^met\b/.test(status) && !/\]\(#dependencies\)/.test(status);
    return isByTest && !shown.includes('`tests/');
  });
  expect(unshown.map(([row]) => row)).toEqual([]);
});

test('the product has none of the dangerous places that it says it has not', () => {
  const found = [...readSources('src')]
    .filter(([path]) => /\.tsx?$/.test(path))
    .flatMap(([path, text]) =>
      DANGEROUS.filter(({ pattern, except }) => pattern.test(text) && !except.includes(path)).map(
        ({ what }) => `${path} has ${what}`,
      ),
    );
  expect(found).toEqual([]);
});

/** The names of the tests in a file, and of what they are grouped under. */
function titlesIn(file: string): ReadonlySet<string> {
  const text = readFileSync(file, 'utf8');
  const title = /(?:\b(?:test|it|describe)|\))\s*\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")/g;
  return new Set([...text.matchAll(title)].map(([, single, double]) => single ?? double ?? ''));
}
