import type { User } from '#shared/accounts.ts';

export function accountTypeOf({ isServiceProvider }: User): string {
  return isServiceProvider ? 'Service Provider' : 'Customer';
}
