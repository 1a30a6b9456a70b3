/** Calls to the server for screens that may never make one: the first call fetches the API client. */
import type { Api, Failure } from './api-client/api.ts';
import { become, presentSession, readToken } from './session/session.ts';

export type Outcome<Answer> =
  | { readonly answer: Answer; readonly failure: null }
  | { readonly failure: Failure };

const NO_ANSWER: Failure = {
  detail: null,
  code: null,
  status: null,
  fieldErrors: [],
  retryAfterSeconds: null,
};

/** Never rejects: refusals and lost connections are outcomes. @param as the client of the session, or that of guests */
export async function call<Answer>(
  run: (api: Api) => Promise<Answer>,
  as: 'api' | 'guestApi' = 'api',
): Promise<Outcome<Answer>> {
  const loaded = await import('./api-client/api.ts').catch(() => null);
  if (loaded === null) return { failure: NO_ANSWER };
  try {
    return { answer: await run(loaded[as]), failure: null };
  } catch (error) {
    return { failure: loaded.failureOf(error) };
  }
}

/** Asks the server whose the stored token is. A refusal logs out; a lost connection does not. */
export async function verifySession(): Promise<void> {
  const token = readToken();
  if (token === null) return;
  if (presentSession().status !== 'signed-in') become({ status: 'checking' });
  const outcome = await call((api) => api.auth.me.query());
  // After a logout or another login meanwhile the answer is about a token of the past.
  if (token !== readToken()) return;
  if (outcome.failure === null) become({ status: 'signed-in', user: outcome.answer, token });
  else if (outcome.failure.status !== 401) become({ status: 'unreachable' });
}
