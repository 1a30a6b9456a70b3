/** Files that an operator asks for are there whole or not at all, also when the command is broken off. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import { flush, flushFolder, writeWhole } from '#server/storage/care/backup-file.ts';
import { stopEverything, temporaryFolder } from '#tests/support/running-server.ts';

afterAll(stopEverything);

const MODULE = join(import.meta.dirname, '../../src/server/storage/care/backup-file.ts');

/** Writes half of a file, says so, and goes on for longer than any test waits. */
const WRITING = `
  import { writeFileSync } from 'node:fs';
  import { writeWhole } from ${JSON.stringify(MODULE)};
  await writeWhole(process.argv[1], async (unfinished) => {
    await null;
    writeFileSync(unfinished, 'half');
    console.log('half is written');
    await new Promise((resolve) => setTimeout(resolve, 3_600_000));
  });`;

test.each([
  'SIGHUP',
  'SIGINT',
  'SIGTERM',
] as const)('a command that %s ends leaves no part of a file', async (signal) => {
  const folder = temporaryFolder();
  const words = ['--input-type=module', '--eval', WRITING, join(folder, 'export.zip')];
  const child = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  expect(readdirSync(folder)).toEqual(['export.zip.unfinished']);
  child.kill(signal);
  expect(await once(child, 'exit')).toEqual([null, signal]);
  expect(readdirSync(folder)).toEqual([]);
});

test.each([
  ['later', ['first', 'second']],
  ['earlier', ['second', 'first']],
] as const)('of two commands that write one file the one that began later keeps it, also when it ends %s', async (_, order) => {
  const folder = temporaryFolder();
  const file = join(folder, 'export.zip');
  function begin(name: string) {
    let goOn = () => {};
    const waiting = new Promise<void>((resolve) => {
      goOn = resolve;
    });
    const written = writeWhole(file, async (unfinished) => {
      writeFileSync(unfinished, `half of the ${name}`);
      await waiting;
      if (name === 'second') appendFileSync(unfinished, ', and the rest');
    }).then(
      () => 'written',
      (error: unknown) => String(error),
    );
    return { goOn, written };
  }
  const commands = { first: begin('first'), second: begin('second') };
  const said: Record<string, string> = {};
  for (const name of order) {
    commands[name].goOn();
    said[name] = await commands[name].written;
  }
  expect(said).toEqual({
    first: expect.stringContaining('Another command has begun to write'),
    second: 'written',
  });
  expect(readFileSync(file, 'utf8')).toBe('half of the second, and the rest');
  expect(readdirSync(folder)).toEqual(['export.zip']);
});

test('a file is flushed by a handle that may write, which Windows asks for and no folder has', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'export.zip');
  writeFileSync(file, 'whole');
  flush(file);
  expect(() => flush(folder)).toThrow('EISDIR');
  flushFolder(folder);
  expect(() => flushFolder(join(folder, 'none'))).toThrow('ENOENT');
  vi.stubGlobal('process', Object.create(process, { platform: { value: 'win32' } }));
  onTestFinished(() => void vi.unstubAllGlobals());
  expect(() => flushFolder(join(folder, 'none'))).not.toThrow();
});
