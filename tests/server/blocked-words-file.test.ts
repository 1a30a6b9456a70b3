/**
 * The file with the blocked words: read at start, and refused with one line that names the setting and the
 * reason.
 */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BlockedWordsRefused, readBlockedWords } from '#server/tips/blocked-words-file.ts';
import { get } from '#tests/support/http-get.ts';
import { freePort, runToEnd, startServer, temporaryFolder } from '#tests/support/running-server.ts';

/** The path of a file with the given content. */
function fileWith(content: string | Uint8Array): string {
  const path = join(temporaryFolder(), 'words.txt');
  writeFileSync(path, content);
  return path;
}

async function complaint(path: string): Promise<string> {
  try {
    await readBlockedWords(path);
  } catch (error) {
    expect(error).toBeInstanceOf(BlockedWordsRefused);
    return error instanceof Error ? error.message : '';
  }
  return '';
}

test('without a file nothing is blocked', async () => {
  const words = await readBlockedWords(null);
  expect(['', 'shit', 'anything'].filter((text) => words.matches(text))).toEqual([]);
});

test('the words of the file are blocked', async () => {
  const words = await readBlockedWords(fileWith('\uFEFF# ours\r\nschnösel\r\nсука\r\n'));
  expect(['Schnosel!', 'S C H N Ö S E L', 'сука'].filter((text) => !words.matches(text))).toEqual([]);
  expect(words.matches('ours')).toBe(false);
});

test('an empty file blocks nothing', async () => {
  expect((await readBlockedWords(fileWith(''))).matches('shit')).toBe(false);
});

describe('a file that cannot be used is refused with one line:', () => {
  test.each<[string, () => string, string]>([
    ['none', () => join(temporaryFolder(), 'words.txt'), 'cannot be read: ENOENT'],
    ['a path through a file', () => join(fileWith('word'), 'words.txt'), 'cannot be read: ENOTDIR'],
    ['a folder', () => temporaryFolder(), 'is not a file'],
    ['a device', () => '/dev/zero', 'is not a file'],
    ['too large', () => fileWith(`#${'x'.repeat(1_048_576)}`), 'is larger than 1024 KB'],
    ['no UTF-8', () => fileWith(Uint8Array.of(0x66, 0xfc, 0x72)), 'is not UTF-8 text'],
    ['UTF-16', () => fileWith(Buffer.from('\uFEFFword', 'utf16le')), 'is not UTF-8 text'],
    ['a bad line', () => fileWith('one\n\n--\n'), 'cannot be used: line 3 has no letter and no digit'],
  ])('%s', async (_, make, reason) => {
    const path = make();
    const line = await complaint(path);
    expect(line).toContain(`BLOCKED_WORDS_FILE ${path} ${reason}`);
    expect(line.split('\n')).toHaveLength(1);
  });

  test('not readable', async ({ skip }) => {
    skip(process.getuid?.() === 0, 'root may read anything');
    const path = fileWith('word');
    chmodSync(path, 0);
    expect(await complaint(path)).toContain(`BLOCKED_WORDS_FILE ${path} cannot be read: EACCES`);
  });
});

describe.concurrent('the process', () => {
  test('does not start with a list that cannot be used, and opens nothing before', async () => {
    const databasePath = join(temporaryFolder(), 'tipwell.db');
    const settings = { DATABASE_URL: databasePath, PORT: String(await freePort()) };
    const end = await runToEnd('serve', { ...settings, BLOCKED_WORDS_FILE: fileWith('word\n*\n') });
    expect(end).toMatchObject({ code: 1, stdout: '' });
    expect(end.stderr).toMatch(
      /^Tipwell cannot start: BLOCKED_WORDS_FILE \/\S+ cannot be used: line 2 has no letter and no digit\n$/,
    );
    expect(existsSync(databasePath)).toBe(false);
  });

  test('starts with one that can', async () => {
    const server = await startServer({ BLOCKED_WORDS_FILE: fileWith('word\n') });
    expect((await get(server.port, '/readyz')).status).toBe(200);
  });
});
