/**
 * What is left of a limit is told with every answer that it counts, as
 * draft-ietf-httpapi-ratelimit-headers-10 has it, so that a client slows down before it is refused.
 */
import { expect, test } from 'vitest';
import { createTestApp, PASSWORD, type RestAnswer } from '#tests/support/test-app.ts';

const limited = () => createTestApp({ config: { isRateLimited: true } });

function toldBy({ headers }: Pick<RestAnswer, 'headers'>) {
  return [headers.get('RateLimit-Policy'), headers.get('RateLimit')];
}

test('an answer tells what is left, and when all is let through again, until the limit refuses', async () => {
  const t = await limited();
  const { token } = await t.registerProvider();
  const create = () => t.rest('POST', '/qr-codes', { token, body: { service_category: 'bartender' } });
  const policy = '"qr_code_creation";q=30;w=3600';
  expect(toldBy(await create())).toEqual([policy, '"qr_code_creation";r=29;t=3600']);
  t.clock.nowMs += 600_500;
  const refused = await create();
  expect(refused.status).toBe(409);
  expect(toldBy(refused)).toEqual([policy, '"qr_code_creation";r=28;t=3000']);
  for (let left = 27; left >= 0; left -= 1)
    expect(toldBy(await create())).toEqual([policy, `"qr_code_creation";r=${left};t=3000`]);
  const usedUp = await create();
  expect(usedUp.status).toBe(429);
  expect(toldBy(usedUp)).toEqual([policy, '"qr_code_creation";r=0;t=3000']);
  expect(usedUp.headers.get('Retry-After')).toBe('3000');
  t.clock.nowMs += 3_000_000;
  expect(toldBy(await create())).toEqual([policy, '"qr_code_creation";r=29;t=3600']);
});

test('files, sums and tips tell it too, and input that is refused counts', async () => {
  const t = await limited();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiver_qr_id: code.id, amount: 20, service_category: 'bartender' };
  const given = await t.rest('POST', '/transactions', { ...customer, body: tip });
  // Where processes share the data, the count of tips is known to the storage alone.
  expect(toldBy(given)).toEqual(t.storage.isShared ? [null, null] : ['"tip";q=30;w=60', '"tip";r=29;t=60']);
  expect(toldBy(await t.rest('GET', '/transactions/sums', provider))).toEqual([
    '"sums";q=600;w=60',
    '"sums";r=599;t=60',
  ]);
  expect(toldBy(await t.rest('GET', '/transactions/sums?from=x', provider))[1]).toBe('"sums";r=598;t=60');
  const print = await t.rest('GET', `/qr-codes/${code.id}/print/code.svg`, provider);
  expect([print.status, ...toldBy(print)]).toEqual([200, '"print";q=120;w=3600', '"print";r=119;t=3600']);
});

test('of several limits the one that is nearest to its end is told, and none that says nothing of the refusal', async () => {
  const t = await limited();
  const { user } = await t.registerCustomer('cam');
  const logIn = (password: string) =>
    t.rest('POST', '/auth/login', { body: { email: user.email, password } });
  const [policy, left] = toldBy(await logIn(PASSWORD));
  expect(policy).toBe('"login_try_from_address";q=300;w=900');
  expect(left).toMatch(/^"login_try_from_address";r=29\d;t=900$/);
  let refused = await logIn('wrong');
  while (refused.status === 401) refused = await logIn('wrong');
  expect(refused.status).toBe(429);
  // The guesses at this account are used up, and these are counted with the data.
  expect(toldBy(refused)).toEqual([null, null]);
});

test('nothing is told where nothing is counted', async () => {
  const t = await limited();
  const { token } = await t.registerCustomer();
  for (const path of ['/auth/me', '/qr-codes', '/qr-codes/0000000000'])
    expect(toldBy(await t.rest('GET', path, { token })), path).toEqual([null, null]);
  const free = await createTestApp();
  const { token: other } = await free.registerCustomer();
  expect(toldBy(await free.rest('GET', '/transactions/sums', { token: other }))).toEqual([null, null]);
});
