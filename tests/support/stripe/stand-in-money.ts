/**
 * The balances of the stand-in for Stripe: of the platform and of connected accounts, as sums of balance
 * transactions that become available days later, with the payouts that leave them.
 */
import { check, invalid, listOf, noSuch, type Routes, type StandInCore } from './stand-in-core.ts';

export const DAY_S = 86_400;
/** So long card money is pending, and so long a payout is on its way. */
const SETTLEMENT_S = 2 * DAY_S;
export const DISPUTE_FEE = 1_500;

/** What Stripe takes for a card payment: https://stripe.com/pricing */
export const cardFee = (amount: number): number => Math.round(amount * 0.029) + 30;

export interface Movement {
  readonly id: string;
  /** The platform's own, or a connected account. */
  readonly account: string;
  readonly type: string;
  readonly amount: number;
  readonly fee: number;
  readonly currency: string;
  readonly source: string;
  readonly created: number;
  readonly availableOn: number;
  payout: string | null;
}

export interface Payout {
  readonly id: string;
  readonly account: string;
  readonly amount: number;
  readonly currency: string;
  readonly created: number;
  readonly arrivalDate: number;
}

export type StandInMoney = ReturnType<typeof createMoney>;

export function createMoney({ nowS, nextId, notify, livemode }: StandInCore, platform: string) {
  const movements: Movement[] = [];
  const payouts: Payout[] = [];
  const netOf = ({ amount, fee }: Movement) => amount - fee;
  const sum = (of: readonly Movement[]) => of.reduce((total, one) => total + netOf(one), 0);

  /** @param pendingS how long the money is not available; charges and what depends on them take days. */
  function move(
    account: string,
    type: string,
    {
      amount,
      fee = 0,
      currency,
      source,
      isPending = false,
    }: {
      readonly amount: number;
      readonly fee?: number;
      readonly currency: string;
      readonly source: string;
      readonly isPending?: boolean;
    },
  ): Movement {
    const created = nowS();
    const movement: Movement = {
      id: nextId('txn'),
      account,
      type,
      amount,
      fee,
      currency,
      source,
      created,
      availableOn: isPending ? created + SETTLEMENT_S : created,
      payout: null,
    };
    movements.push(movement);
    return movement;
  }

  /** Available and pending money of one currency. */
  function balanceOf(account: string, currency = 'usd') {
    const own = movements.filter((one) => one.account === account && one.currency === currency);
    const available = sum(own.filter(({ availableOn }) => availableOn <= nowS()));
    return { available, pending: sum(own) - available };
  }

  /** @throws Refused when an account has less, with what is pending. */
  function require(account: string, amount: number, currency: string, message: string): void {
    const { available, pending } = balanceOf(account, currency);
    if (available + pending < amount) throw invalid(message, 'balance_insufficient');
  }

  function bodyOfMovement(movement: Movement) {
    const { id, type, amount, fee, currency, source, created, availableOn } = movement;
    return {
      id,
      object: 'balance_transaction',
      type,
      amount,
      fee,
      net: netOf(movement),
      currency,
      source,
      created,
      available_on: availableOn,
      status: availableOn <= nowS() ? 'available' : 'pending',
    };
  }

  function bodyOfPayout({ id, amount, currency, created, arrivalDate }: Payout) {
    return {
      id,
      object: 'payout',
      amount,
      currency,
      created,
      arrival_date: arrivalDate,
      automatic: true,
      livemode,
      status: arrivalDate <= nowS() ? 'paid' : 'in_transit',
    };
  }

  /** Pays out what is available, or all that there is. @returns null when there is nothing. */
  function payOut(account: string = platform, isAll = false): Payout | null {
    const [first] = movements.filter((one) => one.account === account && one.payout === null);
    if (!first) return null;
    const { currency } = first;
    const paid = movements.filter(
      (one) =>
        one.account === account &&
        one.payout === null &&
        one.currency === currency &&
        (isAll || one.availableOn <= nowS()),
    );
    const amount = sum(paid);
    if (amount <= 0) return null;
    const id = nextId('po');
    const created = nowS();
    const payout = { id, account, amount, currency, created, arrivalDate: created + SETTLEMENT_S };
    payouts.push(payout);
    for (const one of [...paid, move(account, 'payout', { amount: -amount, currency, source: id })])
      one.payout = id;
    notify('payout.created', bodyOfPayout(payout), account === platform ? undefined : account);
    return payout;
  }

  const accountOf = (account: string | null) => account ?? platform;

  const routes: Routes = {
    'GET balance': ({ account }) => {
      const own = movements.filter((one) => one.account === accountOf(account));
      const currencies = [...new Set([...own.map(({ currency }) => currency), 'usd'])];
      const part = (which: 'available' | 'pending') =>
        currencies.map((currency) => ({
          currency,
          amount: balanceOf(accountOf(account), currency)[which],
        }));
      return { object: 'balance', livemode, available: part('available'), pending: part('pending') };
    },
    'GET payouts': ({ account, parameters }) => {
      check('Payouts', 'PayoutListParams', parameters);
      const own = payouts.filter(
        (payout) =>
          payout.account === accountOf(account) &&
          [undefined, bodyOfPayout(payout).status].includes(parameters['status']?.toString()),
      );
      return listOf(own, parameters, bodyOfPayout);
    },
    'GET balance_transactions/:id': (_, id) => {
      const movement = movements.find((one) => one.id === id);
      if (!movement) throw noSuch('balance_transaction', id);
      return bodyOfMovement(movement);
    },
    'GET balance_transactions': ({ account, parameters }) => {
      check('BalanceTransactions', 'BalanceTransactionListParams', parameters);
      const own = movements.filter(
        (one) =>
          one.account === accountOf(account) &&
          [undefined, one.payout].includes(parameters['payout']?.toString()) &&
          [undefined, one.source].includes(parameters['source']?.toString()),
      );
      return listOf(own, parameters, bodyOfMovement);
    },
  };

  return { movements, payouts, move, balanceOf, require, bodyOfMovement, payOut, routes };
}
