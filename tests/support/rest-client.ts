/**
 * A plain client of the REST door of a running server, for the tests that start the product as its users do.
 * It says what was answered and judges nothing.
 */
import assert from 'node:assert/strict';

const PASSWORD = 'correct horse battery';

export interface Answer<Body> {
  readonly status: number;
  readonly body: Body;
}

interface CallOptions {
  readonly token?: string | undefined;
  /** Sent as JSON by POST; without one the call is a GET. */
  readonly body?: unknown;
  readonly key?: string;
}

export interface Person {
  readonly id: string;
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/**
 * Calls the REST door. `path` is below /api.
 * @throws TypeError when the connection is lost.
 */
export async function call<Body>(
  { url }: { readonly url: string },
  path: string,
  { token, body, key }: CallOptions = {},
): Promise<Answer<Body>> {
  const response = await fetch(`${url}/api${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: {
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(key !== undefined && { 'Idempotency-Key': key }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Body };
}

/** Registers and logs in; the email is `{username}@example.com`. Categories make a provider. */
export async function enter(
  server: { readonly url: string },
  username: string,
  serviceCategories: readonly string[] = [],
): Promise<Person> {
  const email = `${username}@example.com`;
  const registered = await call<{ id: string }>(server, '/auth/register', {
    body: {
      email,
      username,
      full_name: username,
      password: PASSWORD,
      phone: null,
      is_service_provider: serviceCategories.length > 0,
      service_categories: serviceCategories,
    },
  });
  assert.equal(registered.status, 201, `registering ${username}`);
  const login = await call<{ access_token: string }>(server, '/auth/login', {
    body: { email, password: PASSWORD },
  });
  assert.equal(login.status, 200, `logging ${username} in`);
  return { id: registered.body.id, email, password: PASSWORD, token: login.body.access_token };
}

export async function createCode(
  server: { readonly url: string },
  token: string,
  serviceCategory: string,
): Promise<string> {
  const created = await call<{ id: string }>(server, '/qr-codes', {
    token,
    body: { service_category: serviceCategory },
  });
  assert.equal(created.status, 201, 'creating a code');
  return created.body.id;
}
