/** The second factors of the whole product: each is added, used, used wrongly, and removed. */
import { createAuthenticator } from './authenticator.ts';
import { PUBLIC_URL } from './both-doors.ts';
import { PASSWORD, type RestAnswer, type TestApp } from './test-app.ts';
import { STEP_MS, totpAt } from './totp.ts';

type Call = (
  t: TestApp,
  route: string,
  options?: { readonly token?: string; readonly at?: string; readonly body?: unknown },
) => Promise<Pick<RestAnswer, 'body'>>;

const LIST = 'GET /auth/me/second-factors';
const ADD = 'POST /auth/me/passkeys';
const REMOVE = 'DELETE /auth/me/passkeys/{passkey_id}';
const CONFIRM_APP = 'POST /auth/me/totp/confirmation';
const CHANGES = ['POST /auth/me/passkey/options', 'POST /auth/me/totp', 'POST /auth/me/recovery-codes'];

export async function playFactors(t: TestApp, call: Call): Promise<void> {
  const { token, user } = await t.registerCustomer('fay');
  await call(t, LIST, { token });
  const post = (route: string, body?: object) => call(t, route, { token, ...(body && { body }) });
  const begin = async (route: string): Promise<string> => (await post(route)).body.options;
  const login = async (body: object) => call(t, 'POST /auth/passkey/login', { body });

  for (const route of ['POST /auth/me/recovery-codes', 'DELETE /auth/me/totp']) await post(route);
  const authenticators = [];
  for (let count = 0; count <= 10; count += 1) {
    const authenticator = createAuthenticator(PUBLIC_URL);
    authenticators.push(authenticator);
    const response = authenticator.create(await begin('POST /auth/me/passkey/options'));
    await post(ADD, { response, name: 'Phone' });
  }
  const [authenticator] = authenticators;
  if (!authenticator) throw new Error('there is no authenticator');
  await post(ADD, { response: '{}', name: 'Phone' });
  const options: string = (await call(t, 'POST /auth/passkey/options')).body.options;
  await login({ response: authenticator.get(options) });
  await login({ response: '{}' });
  const confirming = await begin('POST /auth/confirm/passkey/options');
  await post('POST /auth/confirm/passkey', { response: authenticator.get(confirming) });
  await post('POST /auth/confirm/passkey', { response: '{}' });

  const { body: setup } = await post('POST /auth/me/totp');
  await post(CONFIRM_APP, { code: '0' });
  await post(CONFIRM_APP, { code: totpAt(setup.secret, t.clock.nowMs) });
  t.clock.nowMs += STEP_MS;
  for (const code of [undefined, '0', totpAt(setup.secret, t.clock.nowMs)])
    await call(t, 'POST /auth/login', {
      body: { email: user.email, password: PASSWORD, ...(code !== undefined && { code }) },
    });
  await post('POST /auth/me/recovery-codes');
  const { body: listed } = await post(LIST);
  for (let turn = 0; turn < 2; turn += 1) {
    const at = `/auth/me/passkeys/${listed.passkeys[0].id}`;
    await call(t, REMOVE, { token, at });
    await post('DELETE /auth/me/totp');
  }
  t.clock.nowMs += 15 * 60_000;
  for (const route of [...CHANGES, ADD, CONFIRM_APP, 'DELETE /auth/me/totp'])
    await post(route, { response: '{}', name: 'Phone', code: '0' });
  await call(t, REMOVE, { token, at: '/auth/me/passkeys/psk_none' });
}

/** The last factor of somebody who must have one stays, whichever it is. */
export async function keepLastFactors(t: TestApp, token: string, call: Call): Promise<void> {
  const post = (route: string, body?: object) => call(t, route, { token, ...(body && { body }) });
  const { body: setup } = await post('POST /auth/me/totp');
  await post(CONFIRM_APP, { code: totpAt(setup.secret, t.clock.nowMs) });
  await post('DELETE /auth/me/totp');
  const { body: begun } = await post('POST /auth/me/passkey/options');
  await post(ADD, { response: createAuthenticator(PUBLIC_URL).create(begun.options), name: 'Phone' });
  await post('DELETE /auth/me/totp');
  const { body: listed } = await post(LIST);
  await call(t, REMOVE, { token, at: `/auth/me/passkeys/${listed.passkeys[0].id}` });
}
