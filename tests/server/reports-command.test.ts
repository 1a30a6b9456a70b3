/** `npm run reports`: the operator reads what was reported, while the server goes on, and is done with it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { afterAll, expect, test } from 'vitest';
import { runHere } from '#tests/support/commands.ts';
import {
  PROGRAM,
  type RunningServer,
  runToEnd,
  startServer,
  stopEverything,
} from '#tests/support/running-server.ts';

const PASSWORD = 'correct horse battery';

afterAll(stopEverything);

async function api(server: RunningServer, method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`${server.url}/api${path}`, {
    method,
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status, `${method} ${path}`).toBeLessThan(300);
  return response.status === 204 ? null : response.json();
}

async function enter(server: RunningServer, username: string, services: readonly string[]): Promise<string> {
  const credentials = { email: `${username}@example.com`, password: PASSWORD };
  await api(server, 'POST', '/auth/register', {
    ...credentials,
    username,
    full_name: `Name of ${username}`,
    phone: null,
    is_service_provider: services.length > 0,
    service_categories: services,
  });
  return (await api(server, 'POST', '/auth/login', credentials)).access_token;
}

test('a report names both accounts and the words, until it is done; the log says that there is one, and not what', async () => {
  const server = await startServer({ GUEST_TIPS: 'on', LOG_LEVEL: 'info' });
  const reports = (...words: string[]) => runHere('reports', { DATABASE_URL: server.databasePath }, words);
  expect(await runToEnd('reports', { DATABASE_URL: server.databasePath })).toMatchObject({
    code: 0,
    stdout: 'There are no open reports.\n',
    stderr: '',
  });

  const pat = await enter(server, 'pat', ['bartender']);
  const cam = await enter(server, 'cam', []);
  const { id: code } = await api(server, 'POST', '/qr-codes', { service_category: 'bartender' }, pat);
  const tip = { receiver_qr_id: code, amount: 20, service_category: 'bartender' };
  const message = 'quite "ugly" words';
  const given = await api(server, 'POST', '/transactions', { ...tip, message, with_name: true }, cam);
  const ofGuest = await api(server, 'POST', '/transactions', { ...tip, message: 'of a guest' });
  for (const { id } of [given, ofGuest])
    await api(server, 'POST', `/transactions/${id}/report`, undefined, pat);

  const { code: exitCode, stdout } = await reports();
  expect(exitCode).toBe(0);
  expect(stdout.replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')).toBe(
    [
      `${given.id}, reported at TIME`,
      '  from     cam <cam@example.com>, as "Name of cam"',
      '  to       pat <pat@example.com>',
      '  message  "quite \\"ugly\\" words"',
      `${ofGuest.id}, reported at TIME`,
      '  from     somebody without an account',
      '  to       pat <pat@example.com>',
      '  message  "of a guest"',
      '',
    ].join('\n'),
  );
  expect(await reports('done', given.id)).toMatchObject({
    code: 0,
    stdout: `The report of ${given.id} is done.\n`,
  });
  expect(await reports('done', given.id)).toMatchObject({
    code: 1,
    stdout: `There is no open report of "${given.id}".\n`,
  });
  expect((await reports()).stdout).not.toContain('ugly');
  for (const words of [['forget', given.id], ['done'], ['done', 'a', 'b'], ['--all']])
    expect(await reports(...words)).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('npm run reports [-- done TRANSACTION_ID '),
    });
  const log = server.stderr();
  expect(log).toContain('words were reported');
  expect(log).not.toContain('ugly');
});

test('whoever stops listening, as `head` does, ends no command with an error', async () => {
  const server = await startServer();
  const command = spawn(process.execPath, [PROGRAM, 'reports'], {
    env: { PATH: process.env['PATH'], DATABASE_URL: server.databasePath },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  command.stdout.destroy();
  const [said, [code, signal]] = await Promise.all([text(command.stderr), once(command, 'close')]);
  expect({ said, code, signal }).toEqual({ said: '', code: 0, signal: null });
});
