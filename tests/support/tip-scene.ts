/** A provider, a customer who tips them, and streams that tell of it. */
import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { newTransactionId, type QrCodeId } from '#shared/ids.ts';
import type { Door } from '#tests/support/both-doors.ts';
import {
  openStream,
  type StreamedTip,
  type StreamOptions,
  type TipStream,
} from '#tests/support/event-streams.ts';
import { newTip } from '#tests/support/new-tip.ts';
import { beginSession, START_MS } from '#tests/support/people.ts';
import { createTestApp, type TestApp } from '#tests/support/test-app.ts';
import { enter } from '#tests/support/test-ledger.ts';

export const STREAMS_PER_ACCOUNT = 20;
export const STREAMS_IN_ALL = 5_000;
/** How many tips the feed reads at once: a replay of more takes several reads. */
export const READ_SIZE = 20;
export const BEGINNING = 'beginning';

export async function openTipScene() {
  const t = await createTestApp();
  const provider = await enter(t, 'pat', ['bartender']);
  const customer = await enter(t, 'cam');
  const [code = ''] = provider.codes;

  /** Gives tips of the customer to the provider, of `first` cents and one cent more each. */
  async function giveTips(count: number, first = 1_000): Promise<string[]> {
    const ids: string[] = [];
    for (let index = 0; index < count; index += 1) {
      const tip = { receiverQrId: code, amountCents: first + index, serviceCategory: 'bartender' } as const;
      ids.push((await customer.trpc.transactions.create.mutate(tip)).id);
    }
    return ids;
  }

  /** Records many tips past the doors. */
  async function recordTips(count: number): Promise<string[]> {
    const given = Array.from({ length: count }, async () => {
      const id = newTransactionId(randomBytes);
      const given = { id, giverId: customer.user.id, qrCodeId: code as QrCodeId, createdAtMs: START_MS };
      await t.storage.recordTip(newTip({ ...given, amountCents: 1_000 }));
      return id;
    });
    return Promise.all(given);
  }

  return { t, provider, customer, code, giveTips, recordTips };
}

export type TipScene = Awaited<ReturnType<typeof openTipScene>>;

export function openTips(door: Door, { t }: Pick<TipScene, 't'>, options: StreamOptions): Promise<TipStream> {
  return openStream(t.send, door, options);
}

/** The tips of an account in the order of the ledger, as the account sees them. */
export async function ledgerOf({ data }: TestApp, userId: string): Promise<StreamedTip[]> {
  const tips = (await data.dump(['transactions']))['transactions']?.map((row) => Object(row)) ?? [];
  return tips
    .filter((tip) => tip.giver_id === userId || tip.receiver_id === userId)
    .sort((one, other) => one.sequence - other.sequence)
    .map((tip) => ({
      eventId: tip.id,
      id: tip.id,
      giverId: tip.giver_id === userId ? userId : expect.stringMatching(/^gvr_/),
      receiverId: tip.receiver_id,
      amountCents: tip.amount_cents,
    }));
}

/** Lets the event loop turn until nothing more happens by itself. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

/** Begins another session of the provider. */
export function anotherSession({ t, provider }: TipScene): Promise<string> {
  return beginSession(t.storage, provider.user.email);
}
