/** Whom the operator obliges to have a second factor (`PROVIDER_SECOND_FACTOR`). */
import type { FactorStorage } from '#server/storage/port/factors.ts';
import type { Account } from '#server/storage/port/storage.ts';

type Subject = Pick<Account, 'id' | 'isServiceProvider'>;

export interface FactorDuty {
  /** Whether the account must have a factor, so that its last one stays. */
  isFor(account: Pick<Account, 'isServiceProvider'>): boolean;
  /** Whether the account must first of all add a factor. Asks the storage only where one is required. */
  isOpen(account: Subject): Promise<boolean>;
}

export const NO_FACTOR_DUTY: FactorDuty = { isFor: () => false, isOpen: async () => false };

export function createFactorDuty(deps: {
  readonly storage: { readonly factors: Pick<FactorStorage, 'hasAny'> };
  readonly isRequiredOfProviders: boolean;
}): FactorDuty {
  const { storage, isRequiredOfProviders } = deps;
  if (!isRequiredOfProviders) return NO_FACTOR_DUTY;
  return {
    isFor: ({ isServiceProvider }) => isServiceProvider,
    isOpen: async ({ id, isServiceProvider }) =>
      isServiceProvider && !(await storage.factors.hasAny({ kind: 'account', id })),
  };
}
