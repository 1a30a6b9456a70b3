/**
 * Reconciliation names what differs between the payment service and the ledger, whatever was done to one of them
 * alone, and says that it adds up where nothing was. It runs on both engines.
 */
import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Finding } from '#server/payments/charge-comparison.ts';
import { exportHeading, exportRows } from '#server/payments/charge-export.ts';
import { reconcile } from '#server/payments/reconciliation.ts';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import { spellAmount } from '#shared/console/fee-csv.ts';
import { START_MS } from '#tests/support/people.ts';
import { openBooksScene } from '#tests/support/stripe/books-scene.ts';
import { createTestLedger } from '#tests/support/test-ledger.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const PERIOD = { fromMs: START_MS - DAY_MS, untilMs: START_MS + 5 * DAY_MS };

async function openScene() {
  const { storage, setTheScene, data } = await createTestLedger();
  const { provider, tip: tipOf } = await setTheScene();
  const clock = { nowMs: START_MS };
  const scene = await openBooksScene(storage, provider, clock);
  const { books, service } = scene;
  const tip = (amountCents = 2_000): GivenTip =>
    tipOf({ amountCents, createdAtMs: clock.nowMs, idempotencyKey: null });

  /** As an operator would run it some days later. */
  async function compare(period = PERIOD) {
    const findings: Finding[] = [];
    const nowMs = period.untilMs + DAY_MS;
    const found = await reconcile(
      { storage, books, service, nowMs },
      period,
      (one) => void findings.push(one),
    );
    return {
      ...found,
      findings: findings.map(({ kind, transactionId, elsewhereCents, hereCents }) => ({
        kind,
        transactionId,
        elsewhereCents,
        hereCents,
      })),
    };
  }
  return { ...scene, storage, data, clock, tip, compare };
}

const same = (cents: number) => ({ elsewhere: cents, here: cents });

test('what was transferred in the currency of the receiver adds up as it was charged', async () => {
  const { stripe, books, accountId, tip, pay, enter, compare } = await openScene();
  stripe.changeQuietly(accountId, { currency: 'mxn' });
  const one = tip();
  const charge = await pay(one);
  stripe.refundPart(charge, 1_050, { reverseTransfer: true });
  await enter(one.id);
  expect(await compare()).toMatchObject({ addsUp: true, findings: [], sides: { received: same(970) } });
  const sums: number[] = [];
  for await (const { movements } of books.listMovements(PERIOD.fromMs, PERIOD.untilMs))
    sums.push(movements.reduce((sum, { toProviderCents }) => sum + toProviderCents, 0));
  expect(sums).toEqual([970]);
});

test('what is paid, refunded, disputed, won and cancelled on both sides adds up to the cent, over days', async () => {
  const { stripe, storage, clock, tip, pay, enter, takeBack, service, found, compare } = await openScene();
  const tips = [1_013, 2_000, 3_333, 4_999, 50_001, 1_234].map((cents) => tip(cents));
  const [whole, half, disputed, won, failed, cancelled] = tips;
  if (!whole || !half || !disputed || !won || !failed || !cancelled) throw new Error('there are six tips');
  const charges: string[] = [];
  for (const one of tips) {
    clock.nowMs += 7 * HOUR_MS;
    charges.push(await pay({ ...one, createdAtMs: clock.nowMs }, one === cancelled ? 'later' : 'now'));
  }
  const [ofWhole = '', ofHalf = '', ofDisputed = '', ofWon = '', ofFailed = ''] = charges;
  clock.nowMs += HOUR_MS;
  stripe.refundAtStripe(ofWhole);
  stripe.refundPart(ofHalf, 1_033);
  stripe.openDispute(ofDisputed);
  const dispute = stripe.openDispute(ofWon);
  const refund = stripe.refundPart(ofFailed, 20_000, { isPending: true });
  for (const { id } of [whole, half, disputed, won, failed]) {
    await enter(id);
    await takeBack(id);
    await enter(id);
  }
  stripe.closeDispute(dispute, 'won');
  stripe.failRefund(refund);
  const charge = await found(won.id);
  await service.giveBack(charge, { id: dispute, givenBackCents: 0 }, 4_999 + 250);
  for (const { id } of [won, failed]) await enter(id);
  await service.cancel(await found(cancelled.id));
  await storage.payments.movePayment(cancelled.id, { kind: 'cancelled' }, clock.nowMs, clock.nowMs);
  const { findings, addsUp, sides, chargeCount, paymentCount } = await compare();
  expect(findings.filter(({ kind }) => kind !== 'rounded')).toEqual([]);
  expect({ addsUp, chargeCount, paymentCount }).toEqual({ addsUp: true, chargeCount: 6, paymentCount: 6 });
  expect(sides.paid).toEqual(same(1_064 + 2_100 + 3_500 + 5_249 + 52_501));
  expect(sides.back).toEqual(same(1_064 + 1_033 + 3_500));
});

test('a cent by which what was given back and taken again differs from the ledger is named, and no fault', async () => {
  const { stripe, clock, tip, pay, enter, takeBack, service, accountId, found, compare } = await openScene();
  const disputed = tip();
  const charge = await pay(disputed);
  const dispute = stripe.disputePart(charge, 100);
  await enter(disputed.id);
  await takeBack(disputed.id);
  await enter(disputed.id);
  stripe.closeDispute(dispute, 'won');
  await enter(disputed.id);
  await service.giveBack(await found(disputed.id), { id: dispute, givenBackCents: 0 }, 100);
  clock.nowMs += HOUR_MS;
  stripe.refundPart(charge, 50);
  await enter(disputed.id);
  await takeBack(disputed.id);
  await enter(disputed.id);
  const hasCents = stripe.movements
    .filter(({ account }) => account === accountId)
    .reduce((total, { amount, fee }) => total + amount - fee, 0);
  const { netAmountCents, adjustments } = await found(disputed.id);
  const bookedCents = adjustments.reduce((total, one) => total + one.netAmountCents, 0) + netAmountCents;
  expect([hasCents, bookedCents]).toEqual([1_893, 1_894]);
  const { findings, addsUp, sides } = await compare();
  expect(findings).toEqual([
    { kind: 'rounded', transactionId: disputed.id, elsewhereCents: 1_893, hereCents: 1_894 },
  ]);
  expect(sides.received).toEqual({ elsewhere: 1_893, here: 1_894 });
  expect(addsUp).toBe(true);
});

test('each difference is named with its tip, and nothing else is', async () => {
  const scene = await openScene();
  const { stripe, storage, clock, tip, pay, payElsewhere, payForgotten, begin, enter, takeBack, compare } =
    scene;
  const expected: unknown[] = [];
  const expectOf = (kind: Finding['kind'], { id }: GivenTip, elsewhereCents: number, hereCents: number) =>
    expected.push({ kind, transactionId: id, elsewhereCents, hereCents });

  await pay(tip());
  const lost = tip();
  await payElsewhere(lost);
  expectOf('not_in_ledger', lost, 2_100, 0);
  // The ledger lacks the payment as well, as after a backup was restored.
  const forgotten = tip();
  await payForgotten(lost.id, forgotten);
  expectOf('not_in_ledger', forgotten, 2_100, 0);
  // Refunded at once by the operator: nothing is missing.
  const given = tip();
  await payElsewhere(given);
  const ofGiven = [...stripe.charges.keys()].at(-1) ?? '';
  stripe.refundAtStripe(ofGiven);

  const imagined = tip();
  await begin(imagined);
  await storage.payments.movePayment(
    imagined.id,
    { kind: 'succeeded', chargeId: 'pi_imagined' },
    clock.nowMs,
    clock.nowMs,
  );
  expectOf('not_charged', imagined, 0, 2_100);

  const lapsed = tip();
  stripe.expireAuthorisation(await pay(lapsed, 'later'));
  expectOf('not_charged', lapsed, 0, 2_100);

  const held = tip();
  await pay(held, 'later');
  expectOf('on_its_way', held, 2_100, 2_100);

  const refunded = tip();
  stripe.refundPart(await pay(refunded), 1_050, { reverseTransfer: true });
  expectOf('refund', refunded, 1_050, 0);
  expectOf('receiver', refunded, 970, 1_940);

  const disputed = tip();
  stripe.openDispute(await pay(disputed));
  expectOf('dispute', disputed, 2_100, 0);

  const claimed = tip();
  await pay(claimed);
  await storage.payments.movePayment(
    claimed.id,
    { kind: 'refunded', adjustmentCount: 0 },
    clock.nowMs,
    clock.nowMs,
  );
  expectOf('refund', claimed, 0, 2_100);
  expectOf('receiver', claimed, 1_940, 0);

  const debited = tip();
  stripe.reverseTransfer(await pay(debited), 1_050);
  expectOf('receiver', debited, 970, 1_940);

  // Both fees stay with the operator, so that the provider has paid them as well.
  const withoutFee = tip();
  stripe.reverseTransfer(await pay(withoutFee), 1_050, false);
  await enter(withoutFee.id);
  expectOf('receiver', withoutFee, 1_050 - 160, 970);

  const owed = tip();
  stripe.refundAtStripe(await pay(owed));
  await enter(owed.id);
  expectOf('owed', owed, 1_940, 0);

  const forgiven = tip();
  stripe.refundAtStripe(await pay(forgiven));
  await enter(forgiven.id);
  const actor = { kind: 'command', name: 'ops', host: 'bar' } as const;
  const act = {
    actor,
    action: 'debt_written_off',
    subject: forgiven.id,
    reason: null,
    atMs: clock.nowMs,
  } as const;
  expect(await storage.payments.settleDebt(forgiven.id, 'owed_by_receiver', clock.nowMs, act)).toBe(true);
  expectOf('written_off', forgiven, 1_940, 0);
  // Whatever is read of the charge later brings the debt not back.
  clock.nowMs += HOUR_MS;
  await enter(forgiven.id);
  expect(await storage.payments.listDebts(9)).toMatchObject([{ id: owed.id, owedByReceiverCents: 2_100 }]);

  const settled = tip();
  stripe.refundAtStripe(await pay(settled));
  await enter(settled.id);
  await takeBack(settled.id);
  await enter(settled.id);

  const { findings, addsUp, totals } = await compare();
  expect(findings).toHaveLength(expected.length);
  expect(findings).toEqual(expect.arrayContaining(expected));
  expect(addsUp).toBe(false);
  expect(Object.fromEntries(totals)).toMatchObject({
    not_in_ledger: { count: 2, cents: 4_200 },
    not_charged: { count: 2, cents: -4_200 },
    refund: { count: 2, cents: 1_050 - 2_100 },
    owed: { count: 1, cents: 1_940 },
  });
});

test('a charge whose payment began on another day is found from either side, and each pair counts once', async () => {
  const { clock, tip, pay, compare } = await openScene();
  clock.nowMs = PERIOD.fromMs + 1_000;
  await pay({ ...tip(), createdAtMs: PERIOD.fromMs - 1_000 });
  for (let hours = 5; hours < 120; hours += 9) {
    clock.nowMs = PERIOD.fromMs + hours * HOUR_MS;
    // It was begun before the border of a stretch of six hours, and paid after it.
    const early = Math.floor(hours / 6) * 6 * HOUR_MS + PERIOD.fromMs - 1_000;
    await pay({ ...tip(1_000 + hours), createdAtMs: early });
  }
  const last = { ...tip(), createdAtMs: PERIOD.untilMs - 1_000 };
  clock.nowMs = PERIOD.untilMs + 1_000;
  await pay(last);
  const all = await compare();
  expect(all).toMatchObject({ addsUp: true, findings: [], chargeCount: 14, paymentCount: 15 });
  // The last one began in the period, and was charged after it.
  const after = await compare({ fromMs: PERIOD.untilMs, untilMs: PERIOD.untilMs + DAY_MS });
  expect(after).toMatchObject({ addsUp: true, findings: [], chargeCount: 1, paymentCount: 1 });
});

test('payments of the account that are for no tip are left out, and so are payments of another account', async () => {
  const { storage, stripe, tip, pay, compare, service, books } = await openScene();
  await pay(tip());
  stripe.pay(stripe.sessions.keys().next().value ?? '');
  const other = { ...service, platform: async () => 'acct_other' };
  const found = await reconcile(
    { storage, books: { ...books, async *listCharges() {} }, service: other, nowMs: PERIOD.untilMs },
    PERIOD,
    () => {},
  );
  expect(found).toMatchObject({ otherKeysCount: 1, paymentCount: 0, addsUp: true });
  const foreign = {
    chargeId: 'pi_shop',
    transactionId: null,
    state: 'captured',
    chargedCents: 99_00,
  } as const;
  const listed = {
    ...books,
    async *listCharges(...period: Parameters<typeof books.listCharges>) {
      yield* books.listCharges(...period);
      yield {
        ...foreign,
        createdAtMs: PERIOD.fromMs,
        refunds: [],
        disputes: [],
        transfer: null,
        receivedCents: 0,
      };
    },
  };
  const all = await reconcile({ storage, books: listed, service, nowMs: PERIOD.untilMs }, PERIOD, () => {});
  expect(all).toMatchObject({ foreignChargeCount: 1, chargeCount: 1, addsUp: true });
  expect((await compare()).foreignChargeCount).toBe(0);
});

test('the export has a row for each movement, and its columns add up to what each side has', async () => {
  const { stripe, storage, books, clock, tip, pay, enter, found, takeBack, service, accountId } =
    await openScene();
  const half = tip();
  const ofHalf = await pay(half);
  const refund = stripe.refundPart(ofHalf, 1_050, { reverseTransfer: true });
  const won = tip(10_000);
  const ofWon = await pay(won);
  clock.nowMs += DAY_MS;
  const dispute = stripe.openDispute(ofWon);
  await enter(won.id);
  await takeBack(won.id);
  clock.nowMs += DAY_MS;
  stripe.closeDispute(dispute, 'won');
  await enter(won.id);
  await service.giveBack(await found(won.id), { id: dispute, givenBackCents: 0 }, 10_500);
  const failed = tip(3_000);
  const ofFailed = await pay(failed);
  stripe.failRefund(stripe.refundPart(ofFailed, 1_000, { isPending: true }));
  for (let part = 1; part <= 12; part += 1) stripe.reverseTransfer(ofFailed, 100 + part);
  await pay(tip(1_000), 'later');
  const part = tip(4_000);
  const ofPart = await pay(part, 'later');
  stripe.capture(ofPart, 2_000);
  clock.nowMs += 3 * DAY_MS;
  const payout = stripe.payOut();
  let csv = exportHeading();
  for await (const charge of books.listMovements(PERIOD.fromMs, PERIOD.untilMs - 1)) {
    const payment = await storage.payments.findPayment({ chargeId: charge.chargeId });
    csv += exportRows(charge, payment, 'USD', (cents) => spellAmount(cents, 2));
  }
  const rows = parse(csv, { bom: true, columns: true, record_delimiter: '\r\n' }) as Record<string, string>[];
  const column = (name: string) => rows.reduce((sum, row) => sum + Math.round(Number(row[name]) * 100), 0);
  const rowsOf = (id: string) =>
    rows
      .filter((row) => row['Tip'] === id)
      .map((row) => [row['Movement'], row['Date']?.slice(0, 10), row['Charged'], row['To provider']]);
  const day = (days: number) => new Date(START_MS + days * DAY_MS).toISOString().slice(0, 10);
  expect(rowsOf(half.id)).toEqual([
    ['charge', day(0), '21.00', '19.40'],
    ['refund', day(0), '-10.50', '0.00'],
    ['transfer_reversal', day(0), '0.00', '-10.50'],
    ['fee_refund', day(0), '0.00', '0.80'],
  ]);
  expect(rowsOf(won.id)).toEqual([
    ['charge', day(0), '105.00', '97.00'],
    ['dispute', day(1), '-105.00', '0.00'],
    ['transfer_reversal', day(1), '0.00', '-105.00'],
    ['fee_refund', day(1), '0.00', '8.00'],
    ['dispute_won', day(2), '105.00', '0.00'],
    ['given_back', day(2), '0.00', '97.00'],
  ]);
  expect(rowsOf(part.id)).toEqual([
    ['charge', day(2), '42.00', '16.80'],
    ['refund', day(2), '-22.00', '0.00'],
  ]);
  // Of parts that are many the charge brings the newest alone.
  expect(rowsOf(failed.id)).toHaveLength(1 + 2 + 2 * 12);
  expect(rowsOf(failed.id)).toContainEqual(['refund_failed', day(2), '10.00', '0.00']);
  const arrives = new Date((payout?.arrivalDate ?? 0) * 1_000).toISOString().slice(0, 10);
  const ofCharges = rows.filter((row) => row['Movement'] === 'charge');
  expect(ofCharges.map((row) => [row['Charge'], row['Payout'], row['Payout arrives']])).toEqual(
    [ofPart, ofFailed, ofWon, ofHalf].map((charge) => [charge, payout?.id, arrives]),
  );
  const references = rows.map((row) => row['Reference'] ?? '');
  expect(references.every((id) => /^(ch|re|dp|trr|fr|tr)_/.test(id))).toBe(true);
  expect(references).toEqual(expect.arrayContaining([refund, dispute]));
  // Each movement on the operator's balance is in one row, but for those between the operator and the providers.
  const told = rows.flatMap((row) => (row['Balance transactions'] ?? '').split(' ').filter(Boolean));
  expect(new Set(told).size).toBe(told.length);
  const own = stripe.movements.filter(({ account }) => account === stripe.platform);
  const between = ['topup', 'payout', 'transfer', 'application_fee'];
  expect(told.toSorted()).toEqual(
    own
      .filter(({ type }) => !between.includes(type))
      .map(({ id }) => id)
      .toSorted(),
  );
  expect(column('Charged')).toBe(10_500 + 1_050 + 3_150 + 2_000);
  const { available, pending } = stripe.balanceOf(accountId);
  expect(column('To provider')).toBe(available + pending);
  expect(column('Service fee')).toBe(own.reduce((sum, { fee }) => sum + fee, 0));
});

test('exports of one month after another have each movement once, in the month in which it was made', async () => {
  const { stripe, books, clock, tip, pay, enter, takeBack, service, found, accountId } = await openScene();
  const MONTH_MS = 30 * DAY_MS;
  const refunded = await pay(tip());
  const won = tip(10_000);
  const ofWon = await pay(won);
  const failing = stripe.refundPart(await pay(tip(3_000)), 1_000, { isPending: true });
  await pay(tip(4_000));
  clock.nowMs += 2 * MONTH_MS;
  stripe.refundPart(refunded, 1_050);
  stripe.failRefund(failing);
  const dispute = stripe.openDispute(ofWon);
  await enter(won.id);
  clock.nowMs += MONTH_MS;
  stripe.reverseTransfer(refunded, 100);
  await takeBack(won.id);
  clock.nowMs += MONTH_MS;
  stripe.closeDispute(dispute, 'won');
  await enter(won.id);
  await service.giveBack(await found(won.id), { id: dispute, givenBackCents: 0 }, 10_500);
  const kinds: string[][] = [];
  const ids: string[] = [];
  let toProvider = 0;
  for (let month = 0; month < 5; month += 1) {
    const fromMs = START_MS + month * MONTH_MS;
    const found: string[] = [];
    for await (const { movements } of books.listMovements(fromMs, fromMs + MONTH_MS - 1))
      for (const { kind, id, toProviderCents } of movements) {
        found.push(kind);
        ids.push(`${kind} ${id}`);
        toProvider += toProviderCents;
      }
    kinds.push(found.sort());
  }
  expect(kinds).toEqual([
    ['charge', 'charge', 'charge', 'charge', 'refund'],
    [],
    ['dispute', 'refund', 'refund_failed'],
    ['fee_refund', 'fee_refund', 'transfer_reversal', 'transfer_reversal'],
    ['dispute_won', 'given_back'],
  ]);
  expect(new Set(ids).size).toBe(ids.length);
  const { available, pending } = stripe.balanceOf(accountId);
  expect(toProvider).toBe(available + pending);
});

describe('books of thousands of charges', () => {
  /** Five days with a payout on each, of what was charged until two days before. */
  async function openBusy(charges: number) {
    const scene = await openScene();
    const { stripe, clock, accountId } = scene;
    for (let count = 1; count <= charges; count += 1) {
      stripe.charge({ destination: accountId, amount: 2_100, applicationFee: 160 });
      if (count % (charges / 10) !== 0) continue;
      clock.nowMs += 12 * HOUR_MS;
      if (count % (charges / 5) === 0) stripe.payOut();
    }
    clock.nowMs += 3 * DAY_MS;
    stripe.payOut();
    stripe.requests.length = 0;
    return scene;
  }
  const pathsOf = ({ stripe }: Awaited<ReturnType<typeof openBusy>>) => [
    ...new Set(stripe.requests.map(({ path }) => path)),
  ];

  test('are read a page ahead at most, and for reconciliation without payouts', async () => {
    const scene = await openBusy(5_000);
    let given = 0;
    let ahead = 0;
    for await (const _ of scene.books.listCharges(START_MS, scene.clock.nowMs)) {
      ahead = Math.max(ahead, scene.stripe.requests.length * 100 - given);
      given += 1;
    }
    expect(given).toBe(5_000);
    expect(ahead).toBe(100);
    expect(pathsOf(scene)).toEqual(['/payment_intents']);
  });

  test('are exported with their payouts from some hundred at a time, by few requests', async () => {
    const charges = 1_500;
    const scene = await openBusy(charges);
    const { stripe, books, clock } = scene;
    const pages = () => stripe.requests.filter(({ path }) => path === '/payment_intents').length;
    const payouts = new Map<string, number>();
    let given = 0;
    let ahead = 0;
    for await (const { payout } of books.listMovements(START_MS, clock.nowMs)) {
      ahead = Math.max(ahead, pages() * 100 - given);
      given += 1;
      if (payout) payouts.set(payout.id, (payouts.get(payout.id) ?? 0) + 1);
    }
    expect(given).toBe(charges);
    expect(ahead).toBe(200);
    expect([...payouts.values()].reduce((sum, count) => sum + count, 0)).toBe(charges);
    for (const [id, count] of payouts)
      expect(stripe.movements.filter((one) => one.payout === id && one.type === 'charge')).toHaveLength(
        count,
      );
    // Four movements a charge at most, a hundred in a page, and payouts that have none of a stretch.
    expect(stripe.requests.length).toBeLessThan((charges * 5) / 100 + 10 * 8);
  });
});

test('what is held on a card for longer than a week, and no payment knows, is a difference by its own name', async () => {
  const { storage, books, service, tip } = await openScene();
  const nowMs = PERIOD.untilMs + DAY_MS;
  const held = (createdAtMs: number) => ({
    chargeId: `pi_${createdAtMs}`,
    transactionId: tip().id,
    state: 'authorised' as const,
    chargedCents: 2_100,
    createdAtMs,
    refunds: [],
    disputes: [],
    transfer: null,
    receivedCents: 0,
  });
  const [late, early] = [held(nowMs - 7 * DAY_MS), held(nowMs - 8 * DAY_MS)];
  const listed = {
    ...books,
    async *listCharges() {
      yield late;
      yield early;
    },
  };
  const found: Finding[] = [];
  const period = { fromMs: nowMs - 10 * DAY_MS, untilMs: nowMs };
  const all = await reconcile(
    { storage, books: listed, service, nowMs },
    period,
    (one) => void found.push(one),
  );
  const sums = { elsewhereCents: 2_100, hereCents: 0 };
  expect(found).toEqual([
    { kind: 'on_its_way', transactionId: late.transactionId, chargeId: late.chargeId, ...sums },
    { kind: 'still_held', transactionId: early.transactionId, chargeId: early.chargeId, ...sums },
  ]);
  expect(all).toMatchObject({ addsUp: false, chargeCount: 2 });
  expect(all.sides.paid).toEqual(same(0));
});

test('what was captured in part adds up, and so does what went back of it and what is owed', async () => {
  const { stripe, storage, clock, tip, pay, enter, takeBack, compare } = await openScene();
  const whole = tip(4_000);
  const [kept, owing, refunded] = [tip(4_000), tip(4_000), tip(3_333)];
  const captureLater = async (of: GivenTip, cents: number) => {
    const chargeId = await pay(of, 'later');
    stripe.capture(chargeId, cents);
    const move = { kind: 'succeeded', chargeId } as const;
    await storage.payments.movePayment(of.id, move, clock.nowMs, clock.nowMs + HOUR_MS);
    return chargeId;
  };
  await pay(whole);
  await captureLater(kept, 2_000);
  stripe.refundPart(await captureLater(owing, 2_000), 500);
  stripe.refundPart(await captureLater(refunded, 1_001), 333, { reverseTransfer: true });
  // Nobody has heard of the capture of a part by now.
  expect((await compare()).findings).toEqual(
    expect.arrayContaining([
      { kind: 'refund', transactionId: kept.id, elsewhereCents: 2_200, hereCents: 0 },
      { kind: 'receiver', transactionId: kept.id, elsewhereCents: 1_680, hereCents: 3_880 },
    ]),
  );
  for (const { id } of [kept, owing, refunded]) await enter(id);
  const owed = { kind: 'owed', transactionId: owing.id, elsewhereCents: 1_680, hereCents: 1_260 };
  const known = await compare();
  expect(known).toMatchObject({ addsUp: true, findings: [owed] });
  expect(known.sides.paid).toEqual(same(3 * 4_200 + 3_500));
  expect(known.sides.back).toEqual(same(2_200 + 2_200 + 500 + 3_500 - 1_001 + 333));
  await takeBack(owing.id);
  await enter(owing.id);
  expect(await compare()).toMatchObject({ addsUp: true, findings: [] });
});
