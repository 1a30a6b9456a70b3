/**
 * Thanks from a notification: its proof sends one of the thank-yous that it offered, for its tip, while its
 * device gets notifications, for a day, and does nothing else. Every wrong proof is refused alike.
 */
import { describe, expect, test } from 'vitest';
import { MAX_PAYLOAD_BYTES } from '#server/notifications/push-request.ts';
import { createThankProofs } from '#server/notifications/thank-proof.ts';
import { newDeviceId, newTransactionId } from '#shared/ids.ts';
import { MAX_MESSAGE_LENGTH } from '#shared/message-rules.ts';
import type { OfferedThanks } from '#shared/notifications.ts';
import { call, DOORS, refusedBy } from '#tests/support/both-doors.ts';
import { DAY_MS, MINUTE_MS, openNotificationScene } from '#tests/support/notification-scene.ts';
import { createTestApp } from '#tests/support/test-app.ts';

type Device = Awaited<ReturnType<Awaited<ReturnType<typeof openNotificationScene>>['addDevice']>>;

/** What the newest notification of a device offers. */
function offeredBy(device: Device): OfferedThanks {
  const notice = device.told().at(-1);
  const thanks = notice?.kind === 'tips' ? notice.tip?.thanks : undefined;
  if (!thanks) throw new Error('the notification offers no thanks');
  return thanks;
}

async function openOffer() {
  const scene = await openNotificationScene();
  const { customer, addDevice, giveTips, look } = scene;
  const phone = await addDevice();
  const [id = ''] = await giveTips(1);
  await look();
  const thanked = async () => (await customer.trpc.transactions.get.query({ id })).thankYou;
  return { ...scene, phone, id, offer: offeredBy(phone), thanked };
}

describe.each(DOORS)('through %s', (door) => {
  test('a notification of one tip thanks for it without a session, once', async () => {
    const { t, offer, thanked, customer, id } = await openOffer();
    expect(offer.texts).toEqual(['Thank you!', 'Thanks a lot, see you soon!']);
    const send = (choice: number) => call(door, t, 'notifications.thank', { proof: offer.proof, choice });
    expect((await send(1)).status).toBe(door === 'REST' ? 204 : 200);
    expect(await thanked()).toBe('Thanks a lot, see you soon!');
    // A repetition after a lost answer changes nothing.
    expect((await send(1)).status).toBe(door === 'REST' ? 204 : 200);
    expect(refusedBy(door, await send(0)).code).toBe('thanked_already');
    expect(await thanked()).toBe('Thanks a lot, see you soon!');
    expect((await customer.trpc.transactions.get.query({ id })).thankedAt).not.toBeNull();
    expect(t.logLines.join('')).not.toContain(offer.proof);
  });

  test('a proof that is wrong in any way is refused alike, and nobody is thanked', async () => {
    const { t, provider, offer, thanked, addDevice, giveTips, look, pass } = await openOffer();
    const tablet = await addDevice();
    await pass(MINUTE_MS);
    const [other = ''] = await giveTips(1);
    await look();
    const claims = offer.proof.split('.');
    const othersClaims = offeredBy(tablet).proof.split('.');
    const wrong = [
      '',
      '.',
      '......',
      offer.proof.slice(0, -1),
      `${offer.proof}A`,
      `${offer.proof}.`,
      offer.proof.toUpperCase(),
      // Each claim of another proof that is right by itself.
      ...claims.map((_, place) => claims.with(place, othersClaims[place] ?? '').join('.')),
      claims.with(2, other).join('.'),
      claims.with(3, String(Number(claims[3]) + 1)).join('.'),
      claims.toReversed().join('.'),
      createThankProofs(new Uint8Array(32)).make(
        {
          deviceId: newDeviceId(randomOnes),
          userId: provider.user.id,
          transactionId: newTransactionId(randomOnes),
        },
        [],
        t.clock.nowMs + DAY_MS,
      ),
    ].filter((proof) => proof !== offer.proof);
    expect(wrong.length).toBeGreaterThan(10);
    const answers = await Promise.all(
      wrong.map(async (proof) => {
        const { requestId: _, ...refused } = refusedBy(
          door,
          await call(door, t, 'notifications.thank', { proof, choice: 0 }),
        );
        return JSON.stringify(refused);
      }),
    );
    expect([...new Set(answers)]).toEqual([expect.stringContaining('thanks_refused')]);
    expect(await thanked()).toBeNull();
  });
});

const randomOnes = (size: number) => new Uint8Array(size).fill(1);

describe('a proof ends', () => {
  const ENDINGS = {
    'with its device': async ({ provider, phone }) =>
      provider.trpc.notifications.remove.mutate({ id: phone.id }),
    'with the session of its device': async ({ provider }) => provider.trpc.auth.logout.mutate(),
    'after a day': async ({ t }) => {
      t.clock.nowMs += DAY_MS;
    },
    'when the account chooses other thank-yous': async ({ provider }) =>
      provider.trpc.messages.saveThankYous.mutate({ texts: ['Cheers!'] }),
  } satisfies Readonly<Record<string, (scene: Awaited<ReturnType<typeof openOffer>>) => Promise<unknown>>>;

  test.each(Object.entries(ENDINGS))('%s', async (_, end) => {
    const scene = await openOffer();
    const { t, offer, thanked } = scene;
    await end(scene);
    const answer = await call('REST', t, 'notifications.thank', { proof: offer.proof, choice: 0 });
    expect(refusedBy('REST', answer).code).toBe('thanks_refused');
    expect(await thanked()).toBeNull();
  });
});

test('a notification offers the own thank-yous of its receiver, two at most, and none for several tips', async () => {
  const { provider, addDevice, giveTips, look, pass } = await openNotificationScene();
  await provider.trpc.messages.saveThankYous.mutate({ texts: ['Cheers!', '¡Gracias!', 'Danke!'] });
  const phone = await addDevice();
  await giveTips(1);
  await look();
  expect(offeredBy(phone).texts).toEqual(['Cheers!', '¡Gracias!']);
  await pass(MINUTE_MS);
  await giveTips(2);
  await look();
  expect(phone.told().at(-1)).toMatchObject({ count: 2, tip: null });
});

test('the longest message and the longest thank-yous fit into a notification', async () => {
  const { provider, customer, code, addDevice, look } = await openNotificationScene();
  const longest = (sign: string) => sign.repeat(MAX_MESSAGE_LENGTH);
  await provider.trpc.messages.saveThankYous.mutate({ texts: [longest('😀'), longest('🍸')] });
  const watch = await addDevice(provider, true);
  await customer.trpc.transactions.create.mutate({
    receiverQrId: code.id,
    amountCents: 2_000,
    serviceCategory: 'bartender',
    message: longest('🍹'),
    withName: true,
  });
  await look();
  const [notice] = watch.told();
  expect(notice).toMatchObject({
    tip: { message: longest('🍹'), thanks: { texts: [longest('😀'), longest('🍸')] } },
  });
  expect(Buffer.byteLength(JSON.stringify(notice))).toBeLessThanOrEqual(MAX_PAYLOAD_BYTES);
});

test('an address may try some proofs in a minute', async () => {
  const t = await createTestApp({ config: { isRateLimited: true } });
  const answers: number[] = [];
  for (let tries = 0; tries < 31; tries += 1)
    answers.push((await call('REST', t, 'notifications.thank', { proof: 'none', choice: 0 })).status);
  expect(answers.slice(0, 30)).toEqual(Array(30).fill(403));
  expect(answers.at(-1)).toBe(429);
});
