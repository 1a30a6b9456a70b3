/** Decides whether an API key may call an endpoint. This is the only door at which keys count. */
import { API_KEY_PREFIX } from '#shared/api-scopes.ts';
import { AppError } from '#shared/errors.ts';
import type { Context } from '../procedures/context.ts';
import type { Endpoint } from '../procedures/endpoint.ts';

/**
 * The context of a request, in which a key acts as its account. A public endpoint asks nobody who they are.
 * @throws AppError `invalid_api_key`; `too_many_requests` when the key, or the wrong keys of the address, have
 *   used up their limit; `not_for_api_keys`, `missing_scope`, `account_suspended`.
 */
export async function withApiKey(context: Context, { isPublic, scope }: Endpoint): Promise<Context> {
  const { token, services, arrival, quota } = context;
  if (isPublic || token === null || !token.startsWith(API_KEY_PREFIX)) return context;
  const { apiKeys, limits } = services;
  const key = await apiKeys.resume(token, arrival.address).catch(async (error: unknown) => {
    const isWrong = error instanceof AppError && error.code === 'invalid_api_key';
    if (isWrong) await limits.countWrongKey(context.address(), quota);
    throw error;
  });
  arrival.identify(key.account.id, key.id);
  await limits.countKey(key.id, quota);
  if (scope === undefined) throw new AppError('not_for_api_keys');
  if (!key.scopes.includes(scope)) throw new AppError('missing_scope', { scope });
  if (key.account.suspension) throw new AppError('account_suspended');
  return { ...context, key };
}
