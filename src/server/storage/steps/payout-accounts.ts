/** Steps of the accounts at the payment service by which receivers are paid. */
import type { UserId } from '#shared/ids.ts';
import type { Payments, PayoutAccount } from '../port/payments.ts';
import { payoutAccountOf, payoutAccountRow } from '../rules/payout-accounts.ts';
import type { Statements } from '../statements/all.ts';
import { lockOpen } from './account-locks.ts';
import { changingCodes, type Engine } from './engine.ts';
import type { Step } from './step.ts';

export const createPayoutAccountSteps = (engine: Engine) =>
  ({
    savePayoutAccount: (account, nowMs) =>
      changingCodes(engine)(savePayoutAccount)(account.userId, account, nowMs),

    async findPayoutAccount(name) {
      return (await engine.read((statements) => findPayout(statements, name))) ?? null;
    },

    listStalePayoutAccounts: async (of, beforeMs, atMost) =>
      (
        await engine.read(({ stalePayoutAccounts }) => stalePayoutAccounts.all({ ...of, beforeMs, atMost }))
      ).map(payoutAccountOf),

    listPayoutAccounts: async (userId) =>
      (await engine.read(({ payoutAccountsOf }) => payoutAccountsOf.all({ userId }))).map(payoutAccountOf),
  }) satisfies Partial<Payments>;

export function* findPayout(
  { payoutAccountOf: ofUser, payoutAccountNamed }: Statements,
  name: Parameters<Payments['findPayoutAccount']>[0],
): Step<PayoutAccount | undefined> {
  const row = yield* ('userId' in name ? ofUser : payoutAccountNamed).one({ ...name });
  return row && payoutAccountOf(row);
}

function* savePayoutAccount(
  statements: Statements,
  _: boolean,
  id: UserId,
  account: PayoutAccount,
  changedAtMs: number,
): Step<void> {
  if (!(yield* lockOpen(statements, id))) return;
  const row = payoutAccountRow(account);
  yield* statements.deleteUnclaimedPayoutAccount.change(row);
  yield* statements.savePayoutAccount.change({ ...row, changedAtMs });
}
