/**
 * A transaction tells its two people whom it tipped, in every answer that holds it; for anybody else it does
 * not exist.
 */
import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { toWire } from '#server/api/wire.ts';
import { newTransactionId } from '#shared/ids.ts';
import { type Answer, call, DOORS, type Door, refusedBy, resultOf } from '#tests/support/both-doors.ts';
import { openStream, type TipStream } from '#tests/support/event-streams.ts';
import { createTestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

/** Cam tips Pat, who has a code for each of two services; Dan has nothing to do with it. */
async function openScene() {
  const t = await createTestApp();
  const pat = await enter(t, 'pat', ['bartender', 'dj']);
  const [cam, dan] = [await enter(t, 'cam'), await enter(t, 'dan')];
  const tip = {
    receiverQrId: pat.codes[1] ?? '',
    amountCents: 2_000,
    serviceCategory: 'dj',
    idempotencyKey: 'attempt-1',
  };
  return { t, pat, cam, dan, tip };
}

/** The facts in the spelling of a door. */
const spelledFor = (door: Door, facts: object): object => (door === 'REST' ? Object(toWire(facts)) : facts);

const anyTransaction = z.looseObject({ id: z.string(), status: z.string() });

/** The transactions of a list, which tRPC answers in pages. */
function listedIn(door: Door, answer: Answer): unknown {
  const list = resultOf(answer);
  return door === 'REST' ? list : z.object({ transactions: z.unknown() }).parse(list).transactions;
}

/** The first tip of a stream, with all that was said of it. */
async function tipIn(stream: TipStream): Promise<unknown> {
  for (let event = await stream.next(); event !== null; event = await stream.next()) {
    const data: unknown = event.name === 'comment' ? null : JSON.parse(event.data);
    if (anyTransaction.safeParse(data).success) return data;
  }
  throw new Error('the stream ended without a tip');
}

test.each(
  DOORS,
)('every answer names the receiver and the code to both people of a tip (%s)', async (door) => {
  const { t, pat, cam, tip } = await openScene();
  const streams = await Promise.all([cam, pat].map(({ token }) => openStream(t.send, door, { token })));
  const given = anyTransaction.parse(resultOf(await call(door, t, 'transactions.create', tip, cam)));
  const receiver = { receiverId: pat.user.id, receiverName: 'Name of pat', receiverUsername: 'pat' };
  expect(given).toMatchObject(spelledFor(door, { ...receiver, qrCodeId: tip.receiverQrId }));
  const { id } = given;
  const received = {
    ...given,
    [door === 'REST' ? 'giver_id' : 'giverId']: expect.stringMatching(/^gvr_/),
    // Only the giver takes a tip back; the receiver may always refund it.
    [door === 'REST' ? 'undo_until' : 'undoUntil']: null,
  };

  expect(resultOf(await call(door, t, 'transactions.create', tip, cam))).toEqual(given);
  for (const [index, [person, expected]] of [[cam, given] as const, [pat, received] as const].entries()) {
    expect(resultOf(await call(door, t, 'transactions.get', { id }, person))).toEqual(expected);
    expect(listedIn(door, await call(door, t, 'transactions.list', {}, person))).toEqual([expected]);
    const stream = streams[index];
    expect(stream && (await tipIn(stream))).toEqual(expected);
    await stream?.close();
  }
});

test.each(
  DOORS,
)('a transaction of other people is not found, nor is a text that is no id (%s)', async (door) => {
  const { t, cam, dan, tip } = await openScene();
  const { id } = await cam.trpc.transactions.create.mutate({ ...tip, serviceCategory: 'dj' });
  const refusalOf = async (asked: string, person: typeof dan) =>
    refusedBy(door, await call(door, t, 'transactions.get', { id: asked }, person));
  const refusals = [
    await refusalOf(id, dan),
    ...(await Promise.all(
      [newTransactionId(randomBytes), id.toUpperCase(), `${id}0`, ' ', 'txn_', tip.receiverQrId].map((text) =>
        refusalOf(text, cam),
      ),
    )),
  ];
  for (const refusal of refusals)
    expect(refusal).toMatchObject({ code: 'transaction_not_found', detail: 'Transaction not found' });
});

test('the stream has an address of its own beside those of single transactions', async () => {
  const { t, cam } = await openScene();
  const stream = await openStream(t.send, 'REST', { token: cam.token });
  expect(await stream.start()).toEqual({ eventId: 'beginning', reset: null });
  await stream.close();
  const asTransaction = await call('tRPC', t, 'transactions.get', { id: 'stream' }, cam);
  expect(refusedBy('tRPC', asTransaction).code).toBe('transaction_not_found');
});
