/** What the shipped Caddyfiles answer while no server does, and that they lead to the server again. */
import { createHash } from 'node:crypto';
import { afterAll, expect, onTestFinished, test, vi } from 'vitest';
import {
  installedCaddy,
  type RunningCaddy,
  type ShippedCaddyfile,
  startCaddy,
} from '#tests/support/caddy.ts';
import { startServer, stopEverything } from '#tests/support/running-server.ts';

const PATIENCE = { timeout: 30_000 };

afterAll(stopEverything);

test('both of the shipped files show a page to browsers while no server answers, whose policy allows its script, and tell programs to try again', async ({
  skip,
}) => {
  skip(installedCaddy() === null, 'there is no Caddy');
  const server = await startServer({ TRUST_PROXY: '127.0.0.1' });
  const paths: readonly ShippedCaddyfile[] = ['deploy/Caddyfile', 'deploy/Caddyfile.two'];
  const caddies = await Promise.all(
    paths.map(async (path) => {
      const caddy = await startCaddy(path, [server.port]);
      onTestFinished(caddy.stop);
      return { path, caddy };
    }),
  );
  await server.stop();
  for (const { path, caddy } of caddies) await expectPageOfAbsence(path, caddy);

  await startServer({
    TRUST_PROXY: '127.0.0.1',
    DATABASE_URL: server.databasePath,
    PORT: String(server.port),
  });
  for (const { caddy } of caddies)
    await vi.waitFor(async () => {
      const found = await fetch(`${caddy.url}/`, { headers: { Accept: 'text/html' } });
      expect(found.status).toBe(200);
      await found.arrayBuffer();
    }, PATIENCE);
});

async function expectPageOfAbsence(path: ShippedCaddyfile, caddy: RunningCaddy): Promise<void> {
  const ask = (target: string, accept: string) =>
    fetch(`${caddy.url}${target}`, { headers: { Accept: accept } });
  const answer = await vi.waitFor(async () => {
    const page = await ask('/tip/none', 'text/html,*/*;q=0.8');
    expect(page.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    return page;
  }, PATIENCE);
  expect(answer.status).toBe(503);
  expect(answer.headers.get('Retry-After')).toBe('5');
  expect(answer.headers.get('Cache-Control')).toBe('no-store');
  expect(answer.headers.has('Server')).toBe(false);
  const page = await answer.text();
  expect(page).toContain('<h1>Back in a moment</h1>');
  const policy = answer.headers.get('Content-Security-Policy');
  for (const tag of ['style', 'script']) {
    const [, text = ''] = new RegExp(`<${tag}>([^]*?)</${tag}>`).exec(page) ?? [];
    expect(policy).toContain(`${tag}-src 'sha256-${createHash('sha256').update(text).digest('base64')}';`);
  }

  const refusal = await ask('/api/qr-codes/none', 'application/json');
  expect([refusal.status, refusal.headers.get('Retry-After'), await refusal.text()]).toEqual([503, '5', '']);

  // What is sent may have reached the server before it went: 503 would say that it has not.
  const sent = await fetch(`${caddy.url}/api/auth/login`, {
    method: 'POST',
    headers: { Accept: 'text/html' },
  });
  // Behind several processes Caddy knows it of those that it has found away.
  expect(path === 'deploy/Caddyfile' ? [502] : [502, 503]).toContain(sent.status);
  expect(await sent.text()).toBe('');
}
