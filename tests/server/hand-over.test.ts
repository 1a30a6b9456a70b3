/** The script that hands the lead over before a disk is full, with stand-ins for the programs that it asks. */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '#tests/support/running-server.ts';

const SCRIPT = 'deploy/ha/hand-over-when-full';

/**
 * Runs it for some seconds by its own clock, on a node that leads and has 400 MiB left.
 * @param isHandedOver whether Patroni finds another node. @returns the times of its requests to hand over, in seconds.
 */
function requestsWithin(seconds: number, { isHandedOver }: { isHandedOver: boolean }): number[] {
  const folder = temporaryFolder();
  const file = (name: string) => join(folder, name);
  const program = (name: string, body: string) =>
    writeFileSync(file(name), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  writeFileSync(file('now'), '1000000\n');
  writeFileSync(file('asked'), '');
  program('date', `cat ${file('now')}`);
  // Each turn of the script's loop starts four programs, and nothing happens in most turns of an hour.
  const skip = isHandedOver ? '[ $now -gt 1000010 ] && [ $now -lt 1003590 ] && now=1003590; ' : '';
  program(
    'sleep',
    `now=$(($(cat ${file('now')}) + $1)); ${skip}echo $now > ${file('now')}; [ $now -le ${1_000_000 + seconds} ]`,
  );
  program('df', 'echo Avail; echo 400');
  program(
    'curl',
    `case "$*" in *switchover*) cat ${file('now')} >> ${file('asked')}; exit ${isHandedOver ? 0 : 22};; esac`,
  );
  const env = { PATH: `${folder}:${process.env['PATH']}`, PATRONI_NAME: 'db1' };
  const { status, stderr } = spawnSync('sh', [SCRIPT, '/data', '512'], { env, encoding: 'utf8' });
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  const asked = readFileSync(file('asked'), 'utf8').split('\n').filter(Boolean);
  return asked.map((at) => Number(at) - 1_000_000);
}

test('a node that has handed over and leads again keeps the lead for an hour, because all disks may be as full', () => {
  expect(requestsWithin(3_700, { isHandedOver: true })).toEqual([5, 3_605]);
});

test('a node whose lead nobody could take asks again at once', () => {
  expect(requestsWithin(15, { isHandedOver: false })).toEqual([5, 10, 15]);
});
