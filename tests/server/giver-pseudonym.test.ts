/**
 * A receiver never learns who tipped: what they see is a pseudonym for the two of them, and nothing that the
 * public look-up of a code says leads from one to the other.
 */
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { ServiceCategory } from '#shared/categories.ts';
import { DOORS, type Door } from '#tests/support/both-doors.ts';
import { openStream } from '#tests/support/event-streams.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';

const PSEUDONYM = /^gvr_[0-9a-z]{26}$/;

type Person = Awaited<ReturnType<TestApp['registerProvider']>>;

/**
 * Pat and Sam have a code each, and Sam, whose code anybody may look up, tips Pat; so does Cam, who has none.
 */
async function openScene() {
  const t = await createTestApp();
  const [pat, sam, kim] = [
    await t.registerProvider('pat', ['bartender', 'dj']),
    await t.registerProvider('sam', ['barber']),
    await t.registerProvider('kim', ['barber']),
  ];
  const cam = await t.registerCustomer('cam');
  const codeOf = async ({ trpc }: Person, serviceCategory: ServiceCategory) => ({
    receiverQrId: (await trpc.qrCodes.create.mutate({ serviceCategory })).id,
    serviceCategory,
  });
  const codes = {
    pat: await codeOf(pat, 'bartender'),
    patAsDj: await codeOf(pat, 'dj'),
    sam: await codeOf(sam, 'barber'),
    kim: await codeOf(kim, 'barber'),
  };
  const tip = (giver: { trpc: Person['trpc'] }, code: (typeof codes)['pat']) =>
    giver.trpc.transactions.create.mutate({ ...code, amountCents: 2_000 });
  return { t, pat, sam, kim, cam, codes, tip };
}

const wireTips = z.array(z.object({ giver_id: z.string() }));

async function giversSeenBy(t: TestApp, door: Door, { token }: { readonly token: string }) {
  if (door === 'tRPC') {
    const { transactions } = await t.trpc(token).transactions.list.query({});
    return transactions.map(({ giverId }) => giverId);
  }
  const { body } = await t.rest('GET', '/transactions', { token });
  return wireTips.parse(body).map(({ giver_id }) => giver_id);
}

test.each(DOORS)('a receiver sees the same pseudonym at each tip of the same giver (%s)', async (door) => {
  const { t, pat, sam, cam, codes, tip } = await openScene();
  await tip(sam, codes.pat);
  await tip(cam, codes.pat);
  await tip(sam, codes.patAsDj);
  const [third, second, first] = await giversSeenBy(t, door, pat);
  expect(first).toMatch(PSEUDONYM);
  expect(second).toMatch(PSEUDONYM);
  expect(third).toBe(first);
  expect(second).not.toBe(first);
});

test.each(DOORS)('another receiver sees another pseudonym, a giver their own id (%s)', async (door) => {
  const { t, pat, sam, kim, codes, tip } = await openScene();
  await tip(sam, codes.pat);
  await tip(sam, codes.kim);
  const [toPat] = await giversSeenBy(t, door, pat);
  const [toKim] = await giversSeenBy(t, door, kim);
  expect(toPat).not.toBe(toKim);
  expect(await giversSeenBy(t, door, sam)).toEqual([sam.user.id, sam.user.id]);
});

test.each(DOORS)('a live stream says the same pseudonym as the list (%s)', async (door) => {
  const { t, pat, sam, codes, tip } = await openScene();
  const streams = [
    await openStream(t.send, door, { token: pat.token }),
    await openStream(t.send, door, { token: sam.token }),
  ];
  await tip(sam, codes.pat);
  const [toPat, toSam] = await Promise.all(streams.map((stream) => stream.nextTip()));
  expect(toPat?.giverId).toBe((await giversSeenBy(t, door, pat))[0]);
  expect(toSam?.giverId).toBe(sam.user.id);
  for (const stream of streams) await stream.close();
});

test('nothing that a receiver is told has an id that the public look-up of the giver’s code has', async () => {
  const { t, pat, sam, codes, tip } = await openScene();
  await tip(sam, codes.pat);
  const publicly = await t.rest('GET', `/qr-codes/${codes.sam.receiverQrId}`);
  expect(publicly.body.qr_code.user_id).toBe(sam.user.id);
  for (const path of ['/transactions', '/transactions?limit=10', '/qr-codes', '/auth/me'])
    expect(JSON.stringify(await t.rest('GET', path, { token: pat.token }))).not.toContain(sam.user.id);
});

test('the pseudonyms stay after a restart, and another installation has others', async () => {
  const { t, pat, sam, codes, tip } = await openScene();
  await tip(sam, codes.pat);
  const before = await giversSeenBy(t, 'REST', pat);
  const restarted = await createTestApp({ data: t.data });
  expect(await giversSeenBy(restarted, 'REST', pat)).toEqual(before);
  await t.storage.forgetSecrets();
  const elsewhere = await createTestApp({ data: t.data });
  expect(await giversSeenBy(elsewhere, 'REST', pat)).not.toEqual(before);
});
