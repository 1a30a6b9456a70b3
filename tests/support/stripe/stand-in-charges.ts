/**
 * Charges of the stand-in for Stripe, from the authorisation to whatever becomes of the money: captured or
 * cancelled, transferred, refunded, disputed, taken back. Every cent of it is a balance transaction.
 */
import type Stripe from 'stripe';
import type { StandInAccounts } from './stand-in-accounts.ts';
import {
  check,
  expansionOf,
  invalid,
  listOf,
  noSuch,
  Refused,
  type Routes,
  type StandInCore,
  type StandInRequest,
} from './stand-in-core.ts';
import { cardFee, DAY_S, DISPUTE_FEE, type Movement, type StandInMoney } from './stand-in-money.ts';

/** Cards are held for so long: https://docs.stripe.com/payments/place-a-hold-on-a-payment-method */
const HOLD_S = 7 * DAY_S;
const ANSWER_DISPUTE_S = 9 * DAY_S;
/** Of a currency that an account settles in, for one of what was charged. */
const RATES: Readonly<Record<string, number>> = { gbp: 0.8, mxn: 18 };

export interface Refund {
  readonly id: string;
  readonly amount: number;
  readonly created: number;
  status: 'pending' | 'succeeded' | 'failed';
  readonly movement: Movement;
  failure: Movement | null;
}

export interface Dispute {
  readonly id: string;
  readonly amount: number;
  readonly created: number;
  status: Stripe.Dispute.Status;
  readonly movements: Movement[];
}

/** A part of a transfer that was reversed, or of an application fee that was refunded. */
interface TakenPart {
  readonly id: string;
  /** The refund that took it by itself. */
  readonly refundId?: string;
  readonly metadata?: unknown;
  readonly amount: number;
  readonly created: number;
  readonly movement: Movement;
}

/** A transfer: the charge's own, or one that was made by itself. */
export interface Transfer {
  readonly id: string;
  readonly amount: number;
  readonly currency: string;
  readonly destination: string;
  readonly created: number;
  readonly group: string | null;
  readonly metadata: unknown;
  readonly source: string | null;
  reversed: number;
  readonly reversals: TakenPart[];
}

/** What a page says of the payment that it makes. */
export interface PaymentPlan {
  readonly sessionId: string;
  readonly amount: number;
  readonly currency: string;
  readonly applicationFee: number;
  readonly destination: string;
  readonly transferGroup: string | null;
  readonly metadata: unknown;
  readonly isHeld: boolean;
}

export class Charge {
  readonly id: string;
  readonly intentId: string;
  readonly plan: PaymentPlan;
  readonly created: number;
  state: 'requires_capture' | 'succeeded' | 'canceled' = 'requires_capture';
  cancellationReason: string | null = null;
  movement: Movement | null = null;
  /** Of the amount; the rest was never captured. */
  captured: number;
  transfer: Transfer | null = null;
  feeId: string | null = null;
  /** Of how much of the charge the application fee went back. */
  feeRefundedFor = 0;
  readonly feeRefunds: TakenPart[] = [];
  readonly refunds: Refund[] = [];
  readonly disputes: Dispute[] = [];

  constructor(
    ids: { readonly id: string; readonly intentId: string; readonly created: number },
    plan: PaymentPlan,
  ) {
    this.id = ids.id;
    this.intentId = ids.intentId;
    this.created = ids.created;
    this.plan = plan;
    this.captured = plan.amount;
  }

  get amount() {
    return this.plan.amount;
  }
  /** https://docs.stripe.com/api/payment_intents/capture: it is capped at what is captured, and else stays whole. */
  get applicationFee() {
    return Math.min(this.plan.applicationFee, this.captured);
  }
  get destination() {
    return this.plan.destination;
  }
  get sessionId() {
    return this.plan.sessionId;
  }
  get transferId() {
    return this.transfer?.id ?? null;
  }
  get isCaptured() {
    return this.state === 'succeeded';
  }
  get refundedCents() {
    return this.refunds.reduce((sum, { amount, status }) => sum + (status === 'failed' ? 0 : amount), 0);
  }
  get reversedCents() {
    return this.transfer?.reversed ?? 0;
  }
  get isTransferReversed() {
    return this.transfer !== null && this.transfer.reversed === this.transfer.amount;
  }
  get refundedFee() {
    return this.feeOf(this.feeRefundedFor);
  }
  get isFeeRefunded() {
    return this.isCaptured && this.refundedFee === this.applicationFee;
  }
  /** True while the giver's bank has the money, and for good when the dispute is lost. */
  get isDisputed() {
    return this.disputes.some(isTaken);
  }
  /** What a bank has taken, and not given back. */
  get disputedCents() {
    return this.disputes.filter(isTaken).reduce((sum, { amount }) => sum + amount, 0);
  }
  /** The part of the application fee in a part of what was captured: what the receiver's part leaves. */
  feeOf(part: number): number {
    return part - Math.round(((this.captured - this.applicationFee) * part) / this.captured);
  }
}

/** Whether the bank has taken the money, and not given it back. */
export function isTaken({ movements }: Dispute): boolean {
  return movements.reduce((sum, { amount }) => sum + amount, 0) < 0;
}

export type StandInCharges = ReturnType<typeof createCharges>;

export function createCharges(
  core: StandInCore,
  money: StandInMoney,
  { accounts, destinationNamed }: StandInAccounts,
  platform: string,
) {
  const { livemode, nextId, nowS, notify } = core;
  const charges = new Map<string, Charge>();
  const transfers: Transfer[] = [];

  function chargeNamed(id: unknown): Charge {
    const charge = charges.get(String(id)) ?? [...charges.values()].find((one) => one.id === id);
    if (!charge) throw noSuch('payment_intent', id);
    return charge;
  }

  const bodyOfRefund = (charge: Charge) => (refund: Refund) => ({
    id: refund.id,
    object: 'refund',
    amount: refund.amount,
    created: refund.created,
    currency: charge.plan.currency,
    charge: charge.id,
    payment_intent: charge.intentId,
    status: refund.status,
    balance_transaction: refund.movement.id,
    ...(refund.failure && { failure_balance_transaction: refund.failure.id }),
  });

  const bodyOfDispute = (charge: Charge) => (dispute: Dispute) => ({
    id: dispute.id,
    object: 'dispute',
    amount: dispute.amount,
    created: dispute.created,
    currency: charge.plan.currency,
    charge: charge.id,
    payment_intent: charge.intentId,
    status: dispute.status,
    evidence_details: { due_by: dispute.created + ANSWER_DISPUTE_S },
    balance_transactions: dispute.movements.map(money.bodyOfMovement),
  });

  const bodyOfPart = (object: string) => (part: TakenPart) => ({
    id: part.id,
    object,
    // Only reversals of transfers name a refund; null where an operator or Tipwell has made one.
    ...(object === 'transfer_reversal' && { source_refund: part.refundId ?? null }),
    amount: part.amount,
    metadata: part.metadata ?? {},
    created: part.created,
    balance_transaction: part.movement.id,
  });

  /** The ten newest, as where a list lies in what it belongs to. */
  const newestOf = (object: string, parts: readonly TakenPart[]) => ({
    object: 'list',
    data: parts.toReversed().slice(0, 10).map(bodyOfPart(object)),
    has_more: parts.length > 10,
  });

  const bodyOfTransfer = (transfer: Transfer) => ({
    id: transfer.id,
    object: 'transfer',
    amount: transfer.amount,
    amount_reversed: transfer.reversed,
    reversals: newestOf('transfer_reversal', transfer.reversals),
    reversed: transfer.reversed === transfer.amount,
    created: transfer.created,
    currency: transfer.currency,
    destination: transfer.destination,
    transfer_group: transfer.group,
    source_transaction: transfer.source,
    metadata: transfer.metadata,
    livemode,
  });

  function bodyOfCharge(charge: Charge, isExpanded: (path: string) => boolean = () => false) {
    const { transfer, movement } = charge;
    const refunds = charge.refunds.toReversed();
    return {
      id: charge.id,
      object: 'charge',
      livemode,
      created: charge.created,
      payment_intent: charge.intentId,
      amount: charge.amount,
      amount_captured: charge.isCaptured ? charge.captured : 0,
      amount_refunded: charge.state === 'canceled' ? charge.amount : charge.refundedCents,
      captured: charge.isCaptured,
      refunded: charge.state === 'canceled' || charge.refundedCents === charge.amount,
      disputed: charge.disputes.length > 0,
      transfer_group: charge.plan.transferGroup,
      balance_transaction:
        movement && isExpanded('balance_transaction') ? money.bodyOfMovement(movement) : movement?.id,
      transfer: transfer && isExpanded('transfer') ? bodyOfTransfer(transfer) : charge.transferId,
      application_fee: isExpanded('application_fee')
        ? charge.feeId && {
            id: charge.feeId,
            object: 'application_fee',
            amount: charge.applicationFee,
            amount_refunded: charge.refundedFee,
            refunds: newestOf('fee_refund', charge.feeRefunds),
          }
        : charge.feeId,
      ...(isExpanded('refunds') && {
        refunds: {
          object: 'list',
          data: refunds.slice(0, 10).map(bodyOfRefund(charge)),
          has_more: refunds.length > 10,
        },
      }),
    };
  }

  function bodyOfIntent(charge: Charge, isExpanded: (path: string) => boolean = () => false) {
    return {
      id: charge.intentId,
      object: 'payment_intent',
      livemode,
      created: charge.created,
      amount: charge.amount,
      amount_received: charge.isCaptured ? charge.captured : 0,
      application_fee_amount: charge.plan.applicationFee || null,
      currency: charge.plan.currency,
      status: charge.state,
      cancellation_reason: charge.cancellationReason,
      metadata: charge.plan.metadata,
      latest_charge: isExpanded('latest_charge')
        ? bodyOfCharge(charge, (path) => isExpanded(`latest_charge.${path}`))
        : charge.id,
    };
  }

  /** Stripe's own answer to what an intent is too late for. */
  function unexpected(charge: Charge, act: string): Refused {
    const message = `This PaymentIntent could not be ${act} because it has a status of ${charge.state}.`;
    return new Refused(400, {
      message,
      code: 'payment_intent_unexpected_state',
      payment_intent: bodyOfIntent(charge),
    });
  }

  /** A card was charged, or its money is held. */
  function authorise(plan: PaymentPlan): Charge {
    const ids = { id: nextId('ch'), intentId: nextId('pi'), created: nowS() };
    const charge = new Charge(ids, plan);
    charges.set(charge.intentId, charge);
    if (!plan.isHeld) collect(charge);
    return charge;
  }

  /** The money moves: to the platform, from there to the receiver, and both fees back. */
  function collect(charge: Charge): void {
    const { applicationFee, destination, plan, captured: amount } = charge;
    // Charges on behalf of an account settle in its currency (https://docs.stripe.com/connect/currencies).
    const currency = accounts.get(destination)?.currency ?? plan.currency;
    const rate = currency === plan.currency ? 1 : (RATES[currency] ?? 1);
    const settled = (part: number) => Math.round(part * rate);
    const common = { currency: plan.currency, source: charge.id, isPending: true };
    charge.state = 'succeeded';
    charge.movement = money.move(platform, 'charge', {
      ...common,
      amount: charge.amount,
      fee: cardFee(charge.amount),
    });
    if (amount < charge.amount) release(charge);
    const transfer: Transfer = {
      id: nextId('tr'),
      amount: settled(amount),
      currency,
      destination,
      created: nowS(),
      group: plan.transferGroup ?? `group_${charge.intentId}`,
      metadata: {},
      source: charge.id,
      reversed: 0,
      reversals: [],
    };
    charge.transfer = transfer;
    transfers.push(transfer);
    money.move(platform, 'transfer', { ...common, amount: -amount, source: transfer.id });
    const fee = settled(applicationFee);
    money.move(destination, 'payment', { ...common, currency, amount: settled(amount), fee });
    if (applicationFee === 0) return;
    charge.feeId = nextId('fee');
    money.move(platform, 'application_fee', { ...common, amount: applicationFee, source: charge.feeId });
  }

  /**
   * What is not captured is booked as a refund of the whole, with its part of the fee:
   * https://docs.stripe.com/reports/reporting-categories
   */
  function release(charge: Charge): void {
    const { captured, plan } = charge;
    const amount = charge.amount - captured;
    charge.refunds.push({
      id: nextId('re'),
      amount,
      created: nowS(),
      status: 'succeeded',
      movement: money.move(platform, 'refund', {
        amount: -amount,
        fee: cardFee(captured) - cardFee(charge.amount),
        currency: plan.currency,
        source: charge.id,
        isPending: true,
      }),
      failure: null,
    });
  }

  function capture(charge: Charge, amount = charge.amount): void {
    if (charge.state !== 'requires_capture') throw unexpected(charge, 'captured');
    if (amount <= 0 || amount > charge.amount) throw invalid('The amount is greater than what is held.');
    if (!destinationNamed(charge.destination).chargesEnabled)
      throw invalid('Your destination account needs to have the transfers capability.');
    charge.captured = amount;
    collect(charge);
    notify('charge.captured', bodyOfCharge(charge));
  }

  function cancel(charge: Charge, reason: string): void {
    if (charge.state !== 'requires_capture') throw unexpected(charge, 'canceled');
    charge.state = 'canceled';
    charge.cancellationReason = reason;
    notify(reason === 'automatic' ? 'charge.expired' : 'charge.refunded', bodyOfCharge(charge));
    notify('payment_intent.canceled', bodyOfIntent(charge));
  }

  /** Lets authorisations lapse whose time is over. */
  function lapse(): void {
    for (const charge of charges.values())
      if (charge.state === 'requires_capture' && charge.created + HOLD_S <= nowS())
        cancel(charge, 'automatic');
  }

  /**
   * Takes money back from a connected account, as Stripe tells it of accounts without a reserve of the platform's
   * (https://docs.stripe.com/connect/account-balances). @throws Refused when it has not so much.
   */
  function reverse(
    transfer: Transfer,
    amount: number,
    charge: Charge | null,
    refundsFee: boolean,
    made: Pick<TakenPart, 'refundId' | 'metadata'> = {},
  ): void {
    const { id, currency, destination } = transfer;
    if (amount > transfer.amount - transfer.reversed)
      throw invalid(`Transfer ${id} has less left to reverse than ${amount}.`);
    const rate = charge ? transfer.amount / charge.captured : 1;
    const part = Math.round(amount / rate);
    const feeBack = refundsFee && charge ? Math.round(feeBackOf(charge, part) * rate) : 0;
    const message = `Insufficient funds in account ${destination}.`;
    if (!core.hasReserves) money.require(destination, amount - feeBack, currency, message);
    transfer.reversed += amount;
    money.move(destination, 'payment_refund', { amount: -amount, currency, source: id });
    const back = { amount: part, currency: charge?.plan.currency ?? currency, source: id };
    const movement = money.move(platform, 'transfer_refund', back);
    transfer.reversals.push({ id: nextId('trr'), ...made, amount, created: nowS(), movement });
    if (charge && refundsFee) refundFee(charge, part);
  }

  const feeBackOf = (charge: Charge, part: number) =>
    charge.feeOf(Math.min(charge.captured, charge.feeRefundedFor + part)) - charge.refundedFee;

  function refundFee(charge: Charge, part: number): void {
    const { destination, feeId, plan } = charge;
    if (feeId === null) return;
    const amount = feeBackOf(charge, part);
    const common = { currency: plan.currency, source: feeId };
    charge.feeRefundedFor = Math.min(charge.captured, charge.feeRefundedFor + part);
    const movement = money.move(platform, 'application_fee_refund', { ...common, amount: -amount });
    charge.feeRefunds.push({ id: nextId('fr'), amount, created: nowS(), movement });
    const { currency, amount: transferred } = charge.transfer ?? {
      currency: plan.currency,
      amount: charge.captured,
    };
    const back = Math.round((amount * transferred) / charge.captured);
    money.move(destination, 'application_fee_refund', { ...common, currency, amount: back });
  }

  /**
   * Refunds a part of a charge, or what is left of it.
   * @param asked `reverseTransfer` takes the same part back from the receiver, with the fees; an operator who
   *   refunds at Stripe may leave that out.
   */
  function refund(
    charge: Charge,
    asked: {
      readonly amount?: number | undefined;
      readonly reverseTransfer?: boolean;
      readonly refundFee?: boolean;
      readonly isPending?: boolean;
    } = {},
  ): Refund {
    const left = charge.amount - charge.refundedCents - charge.disputedCents;
    if (!charge.isCaptured) throw unexpected(charge, 'refunded');
    if (charge.isDisputed && left <= 0)
      throw invalid('This charge has been charged back.', 'charge_disputed');
    if (left === 0) throw invalid('This charge has already been refunded.', 'charge_already_refunded');
    const { amount = left, reverseTransfer = false, refundFee: refundsFee = reverseTransfer } = asked;
    if (amount > left || amount <= 0) throw invalid('Refund amount is greater than what is left.');
    const { transfer, plan } = charge;
    const { currency } = plan;
    const rate = transfer ? transfer.amount / charge.captured : 1;
    const back =
      reverseTransfer && transfer
        ? Math.min(Math.round(amount * rate), transfer.amount - transfer.reversed)
        : 0;
    const feeBack = refundsFee ? feeBackOf(charge, amount) : 0;
    const message = 'Insufficient funds in your Stripe balance to refund this amount.';
    money.require(platform, amount - Math.round(back / rate) + feeBack, currency, message);
    const id = nextId('re');
    if (transfer && back > 0) reverse(transfer, back, charge, refundsFee, { refundId: id });
    else if (refundsFee) refundFee(charge, amount);
    const made: Refund = {
      id,
      amount,
      created: nowS(),
      status: asked.isPending ? 'pending' : 'succeeded',
      movement: money.move(platform, 'refund', { amount: -amount, currency, source: charge.id }),
      failure: null,
    };
    charge.refunds.push(made);
    if (transfer && back > 0) notify('transfer.reversed', bodyOfTransfer(transfer));
    notify('charge.refunded', bodyOfCharge(charge));
    return made;
  }

  /** A bank sends a refund back, days after it was made. */
  function failRefund(refundId: string): void {
    for (const charge of charges.values())
      for (const made of charge.refunds)
        if (made.id === refundId && made.status !== 'failed') {
          const { currency } = charge.plan;
          made.status = 'failed';
          made.failure = money.move(platform, 'refund_failure', {
            amount: made.amount,
            currency,
            source: refundId,
          });
          notify('charge.refund.updated', bodyOfRefund(charge)(made));
          notify('refund.failed', bodyOfRefund(charge)(made));
        }
  }

  /** The bank of the giver takes what is left of a charge back or a part of that, or asks first. */
  function openDispute(
    charge: Charge,
    { isInquiry = false, amount: part }: { readonly isInquiry?: boolean; readonly amount?: number } = {},
  ): Dispute {
    const { currency } = charge.plan;
    const left = charge.amount - charge.refundedCents - charge.disputedCents;
    const amount = part ?? left;
    if (!charge.isCaptured || amount <= 0 || amount > left)
      throw new Error(`${charge.intentId} has nothing that a bank could take`);
    const id = nextId('dp');
    const taken = { amount: -amount, fee: DISPUTE_FEE, currency, source: id };
    const dispute: Dispute = {
      id,
      amount,
      created: nowS(),
      status: isInquiry ? 'warning_needs_response' : 'needs_response',
      movements: isInquiry ? [] : [money.move(platform, 'adjustment', taken)],
    };
    charge.disputes.push(dispute);
    if (!isInquiry) notify('charge.dispute.funds_withdrawn', bodyOfDispute(charge)(dispute));
    notify('charge.dispute.created', bodyOfDispute(charge)(dispute));
    return dispute;
  }

  function closeDispute(disputeId: string, status: 'won' | 'lost'): void {
    for (const charge of charges.values())
      for (const dispute of charge.disputes)
        if (dispute.id === disputeId && isTaken(dispute) && dispute.status !== 'lost') {
          const { currency } = charge.plan;
          dispute.status = status;
          if (status === 'won') {
            const { amount } = dispute;
            dispute.movements.push(
              money.move(platform, 'adjustment', { amount, currency, source: disputeId }),
            );
            notify('charge.dispute.funds_reinstated', bodyOfDispute(charge)(dispute));
          }
          notify('charge.dispute.closed', bodyOfDispute(charge)(dispute));
        }
  }

  /** The operator answers it, or Stripe tells another state of it; no money moves. */
  function changeDispute(disputeId: string, status: Stripe.Dispute.Status): void {
    for (const charge of charges.values())
      for (const dispute of charge.disputes)
        if (dispute.id === disputeId) {
          dispute.status = status;
          notify('charge.dispute.updated', bodyOfDispute(charge)(dispute));
        }
  }

  function transferNamed(id: string): Transfer {
    const transfer = transfers.find((one) => one.id === id);
    if (!transfer) throw noSuch('transfer', id);
    return transfer;
  }

  const chargeOfTransfer = ({ source }: Transfer) =>
    [...charges.values()].find(({ id }) => id === source) ?? null;

  /** Reverses a part of a transfer by itself. */
  function reverseTransfer(
    transfer: Transfer,
    amount: number,
    refundsFee: boolean,
    metadata?: unknown,
  ): void {
    if (transfer.reversed === transfer.amount)
      throw invalid(`Transfer ${transfer.id} is already fully reversed.`);
    reverse(transfer, amount, chargeOfTransfer(transfer), refundsFee, { metadata });
    notify('transfer.reversed', bodyOfTransfer(transfer));
  }

  function createTransfer({ parameters }: StandInRequest): unknown {
    check('Transfers', 'TransferCreateParams', parameters);
    const { amount, currency, destination, transfer_group, metadata } = parameters;
    if (!(Number(amount) >= 1)) throw invalid('This value must be greater than or equal to 1.');
    if (!destinationNamed(destination).chargesEnabled)
      throw invalid('Your destination account needs to have the transfers capability.');
    const common = { currency: String(currency), source: nextId('tr') };
    if (money.balanceOf(platform, common.currency).available < Number(amount))
      throw invalid('You have insufficient available funds in your Stripe account.', 'balance_insufficient');
    const transfer: Transfer = {
      id: common.source,
      amount: Number(amount),
      currency: common.currency,
      destination: String(destination),
      created: nowS(),
      group: transfer_group === undefined ? null : String(transfer_group),
      metadata: metadata ?? {},
      source: null,
      reversed: 0,
      reversals: [],
    };
    transfers.push(transfer);
    money.move(platform, 'transfer', { ...common, amount: -transfer.amount });
    money.move(transfer.destination, 'payment', { ...common, amount: transfer.amount });
    return bodyOfTransfer(transfer);
  }

  const ofIntent = ({ parameters }: StandInRequest) =>
    [...charges.values()].filter(({ intentId }) =>
      [undefined, intentId].includes(parameters['payment_intent']?.toString()),
    );

  const routes: Routes = {
    'GET payment_intents': ({ parameters }) => {
      check('PaymentIntents', 'PaymentIntentListParams', parameters);
      const items = [...charges.values()].map((charge) => ({
        charge,
        id: charge.intentId,
        created: charge.created,
      }));
      return listOf(items, parameters, ({ charge }) =>
        bodyOfIntent(charge, expansionOf(parameters, 'data.')),
      );
    },
    'GET payment_intents/:id': ({ parameters }, id) => {
      check('PaymentIntents', 'PaymentIntentRetrieveParams', parameters);
      return bodyOfIntent(chargeNamed(id), expansionOf(parameters));
    },
    'POST payment_intents/:id/capture': ({ parameters }, id) => {
      check('PaymentIntents', 'PaymentIntentCaptureParams', parameters);
      const charge = chargeNamed(id);
      capture(charge);
      return bodyOfIntent(charge);
    },
    'POST payment_intents/:id/cancel': ({ parameters }, id) => {
      check('PaymentIntents', 'PaymentIntentCancelParams', parameters);
      const charge = chargeNamed(id);
      cancel(charge, 'requested_by_customer');
      return bodyOfIntent(charge);
    },
    'POST refunds': ({ parameters }) => {
      check('Refunds', 'RefundCreateParams', parameters);
      const { payment_intent, amount, reverse_transfer, refund_application_fee } = parameters;
      const charge = chargeNamed(payment_intent);
      const made = refund(charge, {
        amount: amount === undefined ? undefined : Number(amount),
        reverseTransfer: reverse_transfer === 'true',
        refundFee: refund_application_fee === 'true',
      });
      return bodyOfRefund(charge)(made);
    },
    'GET refunds': (request) => {
      check('Refunds', 'RefundListParams', request.parameters);
      const items = ofIntent(request).flatMap((charge) =>
        charge.refunds.map(({ id, created }, index) => ({ id, created, charge, index })),
      );
      return listOf(
        items,
        request.parameters,
        ({ charge, index }) => charge.refunds.slice(index, index + 1).map(bodyOfRefund(charge))[0],
      );
    },
    'GET disputes': (request) => {
      check('Disputes', 'DisputeListParams', request.parameters);
      const items = ofIntent(request).flatMap((charge) =>
        charge.disputes.map((dispute) => ({ id: dispute.id, created: dispute.created, dispute, charge })),
      );
      return listOf(items, request.parameters, ({ charge, dispute }) => bodyOfDispute(charge)(dispute));
    },
    'GET transfers': ({ parameters }) => {
      check('Transfers', 'TransferListParams', parameters);
      const { transfer_group } = parameters;
      const meant = transfers.filter(({ group }) => [undefined, group].includes(transfer_group?.toString()));
      return listOf(meant, parameters, bodyOfTransfer);
    },
    'GET transfers/:id': (_, id) => bodyOfTransfer(transferNamed(id)),
    'POST transfers': createTransfer,
    'POST transfers/:id/reversals': ({ parameters }, id) => {
      check('Transfers', 'TransferCreateReversalParams', parameters);
      const transfer = transferNamed(id);
      const { amount = transfer.amount - transfer.reversed, refund_application_fee, metadata } = parameters;
      reverseTransfer(transfer, Number(amount), refund_application_fee === 'true', metadata);
      return transfer.reversals.slice(-1).map(bodyOfPart('transfer_reversal'))[0];
    },
    'GET transfers/:id/reversals': ({ parameters }, id) => {
      check('Transfers', 'TransferListReversalsParams', parameters);
      return listOf(transferNamed(id).reversals, parameters, bodyOfPart('transfer_reversal'));
    },
    'GET application_fees/:id/refunds': ({ parameters }, id) => {
      check('ApplicationFees', 'ApplicationFeeListRefundsParams', parameters);
      const charge = [...charges.values()].find(({ feeId }) => feeId === id);
      return listOf(charge?.feeRefunds ?? [], parameters, bodyOfPart('fee_refund'));
    },
  };

  return {
    charges,
    transfers,
    chargeNamed,
    authorise,
    capture,
    cancel,
    lapse,
    refund,
    failRefund,
    openDispute,
    closeDispute,
    changeDispute,
    reverseTransfer,
    bodyOfIntent,
    routes,
  };
}
