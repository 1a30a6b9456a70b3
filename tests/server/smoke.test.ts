import { expect, test } from 'vitest';
import { createTestApp, refusal } from '#tests/support/test-app.ts';

test('a tip moves both totals', async () => {
  const t = await createTestApp();
  const { provider, customer, code } = await t.setTheScene();
  const tip = { receiverQrId: code.id, amountCents: 1234, serviceCategory: 'bartender' } as const;
  const made = await customer.trpc.transactions.create.mutate(tip);
  expect(made).toMatchObject({ giverFeeCents: 62, netAmountCents: 1197 });
  expect((await provider.trpc.auth.me.query()).totalTipsReceivedCents).toBe(1197);
  expect(await refusal(provider.trpc.transactions.create.mutate(tip))).toMatchObject({ code: 'own_qr_code' });
});
