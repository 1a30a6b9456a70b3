import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { newMailId, newPhotoName, newWebhookId, type TransactionId } from '#shared/ids.ts';
import { beginPayment, PLATFORM, payoutAccountOf, payTip } from '../payment-steps.ts';
import { bytes, NOW, openStorage, PREFIX } from './opened-storage.ts';

const CLOSES_AT = NOW + 7 * 86_400_000;

export function describeClosing(): void {
  describe('closing accounts', () => {
    test('an account that is being closed has no sessions, and its codes take no tips', async () => {
      const { storage, setTheScene, beginSession, tokensOf } = await openStorage();
      const { provider, code, tip } = await setTheScene();
      await beginSession(provider.id, 'token');
      const told: unknown[] = [];
      storage.subscribe({ onEntries() {}, onCodes: (owners) => told.push(owners) });
      expect(await storage.beginClosing(provider.id, 'another', CLOSES_AT)).toBe('stale');
      expect(await tokensOf(provider.id)).toHaveLength(1);
      expect(await storage.beginClosing(provider.id, 'none', CLOSES_AT)).toBe('closing');
      expect(told).toContainEqual([provider.id]);
      expect(await tokensOf(provider.id)).toEqual([]);
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'paused' });
      expect(await storage.recordTip(tip())).toEqual({ outcome: 'code_paused' });
      expect(await storage.findCredentials(provider.email)).toMatchObject({ closesAtMs: CLOSES_AT });
    });

    test('a session that begins in time keeps the account open, and one that begins later does not begin', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, code, tip } = await setTheScene();
      const begin = (token: string, createdAtMs: number) =>
        storage.createSession(
          {
            tokenHash: bytes(token),
            userId: provider.id,
            createdAtMs,
            expiresAtMs: CLOSES_AT * 2,
            device: '',
          },
          'none',
          50,
        );
      await storage.beginClosing(provider.id, 'none', CLOSES_AT);
      expect(await begin('late', CLOSES_AT)).toBe('stale');
      expect(await begin('in time', CLOSES_AT - 1)).toBe('reopened');
      expect(await begin('after it', CLOSES_AT - 1)).toBe('created');
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'active' });
      expect(await storage.recordTip(tip())).toMatchObject({ outcome: 'recorded' });
      expect(await storage.listClosingAccounts(CLOSES_AT, 9)).toEqual([]);
      expect(await storage.closeAccount(provider.id, CLOSES_AT, true)).toBe('not_due');
    });

    test('accounts that are due are listed, a bounded number at a time, and each is closed once', async () => {
      const { storage, addAccount } = await openStorage();
      const people = await Promise.all(['pat', 'sam', 'cam'].map((name) => addAccount(name)));
      for (const [index, { id }] of people.entries())
        await storage.beginClosing(id, 'none', CLOSES_AT + index);
      const [pat, sam] = people.map(({ id }) => id);
      expect(await storage.listClosingAccounts(CLOSES_AT - 1, 9)).toEqual([]);
      expect(await storage.listClosingAccounts(CLOSES_AT + 1, 9)).toEqual([pat, sam]);
      expect(await storage.listClosingAccounts(CLOSES_AT + 1, 1)).toEqual([pat]);
      if (!pat) throw new Error('nobody is due');
      expect(await storage.closeAccount(pat, CLOSES_AT - 1, true)).toBe('not_due');
      const outcomes = await Promise.all([1, 2, 3].map(() => storage.closeAccount(pat, CLOSES_AT, true)));
      expect(outcomes.sort()).toEqual(['closed', 'not_due', 'not_due']);
      expect(await storage.listClosingAccounts(CLOSES_AT + 1, 9)).toEqual([sam]);
    });

    test('of an account that is closed the ledger keeps the numbers, and nothing says who it was', async () => {
      const { storage, setTheScene, beginSession, tokensOf } = await openStorage();
      const { provider, customer, code, tip } = await setTheScene();
      await storage.updateQrCode(provider.id, code, { displayName: 'Bar Pat', greeting: 'Thanks' });
      const photo = { name: newPhotoName(randomBytes), jpeg: Buffer.from('a photo') };
      await storage.setPhoto(provider.id, code, photo);
      const given = tip();
      await storage.recordTip(given);
      await beginSession(provider.id, 'token');
      expect(await storage.closeAccount(provider.id, NOW, false)).toBe('closed');
      expect(await tokensOf(provider.id)).toEqual([]);
      expect(await storage.findCredentials(provider.email)).toBeNull();
      expect(await storage.findCredentials(`closed:${provider.id}`)).toBeNull();
      expect(await storage.findPhoto(photo.name)).toBeNull();
      expect(await storage.findQrCode(code)).toMatchObject({
        status: 'retired',
        displayName: 'Closed account',
        greeting: null,
        photoName: null,
        fullName: 'Closed account',
      });
      expect(await storage.findTransaction(customer.id, given.id)).toMatchObject({
        receiverId: provider.id,
        netAmountCents: given.netAmountCents,
        receiverName: 'Closed account',
        displayName: 'Closed account',
      });
      expect(await storage.recordTip(tip())).toEqual({ outcome: 'code_retired' });
      expect(await storage.hasQrCode(provider.id, 'bartender')).toBe(false);
      expect(await storage.updateAccount(provider.id, { fullName: 'Pat' })).toEqual({ outcome: 'stale' });
      expect(await storage.readTotals(provider.id, 0, 0)).toMatchObject({
        totalTipsReceivedCents: given.netAmountCents,
      });
      expect(await storage.listQrCodes(provider.id, PREFIX)).toEqual([]);
      expect(await storage.listEndedQrCodes(provider.id, null, 9)).toMatchObject([{ status: 'retired' }]);
      expect(['complete', 'partial']).toContain(await storage.forgetRemnants());
    });

    test('messages are erased beforehand, so many at a time, and none of an account that is not due', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, customer, tip } = await setTheScene();
      const giverMessage = { message: 'Great drinks!', giverName: 'Name of cam', isRefused: false };
      const given = Array.from({ length: 4 }, () => tip({ giverMessage }));
      for (const each of given) await storage.recordTip(each);
      const [thanked, reported] = given;
      if (!thanked || !reported) throw new Error('no tips were given');
      await storage.messages.thank(provider.id, thanked.id, 'You are welcome!', NOW);
      await storage.messages.reportMessage(provider.id, reported.id, NOW);
      const wordsLeft = async () =>
        (await storage.messages.findMessages(given.map(({ id }) => id))).flatMap(({ message, thankYou }) =>
          [message, thankYou].filter((text) => text !== null),
        ).length;
      const { eraseBeforeClosing } = storage.messages;
      expect(await wordsLeft()).toBe(5);
      expect(await eraseBeforeClosing(provider.id, CLOSES_AT, true, 9)).toBe(0);
      await storage.beginClosing(provider.id, 'none', CLOSES_AT);
      expect(await eraseBeforeClosing(provider.id, CLOSES_AT - 1, true, 9)).toBe(0);
      expect(await wordsLeft()).toBe(5);
      for (const count of [2, 1, 0]) expect(await eraseBeforeClosing(customer.id, NOW, false, 2)).toBe(count);
      // The answer is the receiver's, and a reported message stays until the report is settled.
      expect(await wordsLeft()).toBe(2);
      for (const count of [1, 0])
        expect(await eraseBeforeClosing(provider.id, CLOSES_AT, true, 1)).toBe(count);
      expect(await wordsLeft()).toBe(1);
      expect(await storage.closeAccount(provider.id, CLOSES_AT, true)).toBe('closed');
      expect(await eraseBeforeClosing(provider.id, CLOSES_AT, false, 9)).toBe(0);
      await storage.messages.settleReport(reported.id, NOW);
      expect(await wordsLeft()).toBe(0);
    });

    test('what a request under way brings once its account is closed is not kept', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, tip } = await setTheScene();
      const { id } = provider;
      const given = tip();
      await storage.recordTip(given);
      await storage.closeAccount(id, NOW, false);
      const endpoint = {
        id: newWebhookId(randomBytes),
        userId: id,
        url: 'https://till.example.com/pat',
        kinds: ['tip.received'] as const,
        secret: randomBytes(32),
        createdAtMs: NOW,
      };
      expect(await storage.webhooks.add(endpoint, 5)).toBe('gone');
      expect(await storage.messages.thank(id, given.id, 'Merci', NOW)).toBe('unknown_transaction');
      await storage.messages.saveThankYous(id, ['Grazie']);
      const holder = { kind: 'account', id } as const;
      await storage.factors.beginTotp(holder, bytes('a secret'), NOW);
      await storage.mails.setMonthlyStatement(id, {
        isOn: true,
        timeZone: 'Europe/Paris',
        statedMonth: '2026-01',
      });

      const draft = {
        id: newMailId(randomBytes),
        kind: 'password_link',
        content: '{}',
        createdAtMs: NOW,
      } as const;
      const mail = { ...draft, userId: id, recipient: provider.email };
      expect(await storage.mails.add(mail, 9)).toBe('stale');

      const due = { nowMs: NOW, leaseMs: 9, maxWaitMs: 9, atMost: 9 };
      expect(await storage.mails.claimDue(due)).toEqual([]);
      expect(await storage.webhooks.list(id)).toEqual([]);
      expect(await storage.messages.findMessages([given.id])).toEqual([]);
      expect(await storage.messages.listThankYous(id)).toEqual([]);
      expect(await storage.factors.findTotp(holder)).toBeNull();
      expect(await storage.mails.settingsOf(id)).toMatchObject({ monthlyStatement: false, timeZone: 'UTC' });
    });

    test('a tip under way of somebody whose account is closed is refused with what it says', async () => {
      const { storage, setTheScene } = await openStorage();
      const { customer, tip } = await setTheScene();
      const giverMessage = { message: 'From Cam', giverName: 'Cam', isRefused: false };
      const late = () => ({ ...tip(), giverMessage });
      await storage.closeAccount(customer.id, NOW, false);
      const payment = { ...late(), paymentMode: 'test', platform: PLATFORM, expiresAtMs: NOW + 1 } as const;
      const refused = { outcome: 'giver_suspended' };
      // Alone, and in a group.
      expect(await storage.recordTip(late())).toEqual(refused);
      expect(await Promise.all([1, 2, 3].map(() => storage.recordTip(late())))).toEqual([
        refused,
        refused,
        refused,
      ]);
      expect(await storage.payments.beginPayment(payment, NOW)).toEqual(refused);
    });

    test('a provider who is closed has no account at the payment service any more, and none that is heard of later', async () => {
      const { storage, setTheScene, addAccount } = await openStorage();
      const { provider } = await setTheScene();
      const other = await addAccount('sam');
      const { payments } = storage;
      const account = payoutAccountOf(provider.id);
      await payments.savePayoutAccount({ ...account, missing: ['individual.id_number'] }, NOW);
      const live = { ...account, paymentMode: 'live', accountId: 'acct_live' } as const;
      await storage.beginClosing(provider.id, 'none', CLOSES_AT);
      // Whoever comes back in time is paid as before.
      expect(await payments.listPayoutAccounts(provider.id)).toHaveLength(1);
      await Promise.all([
        storage.closeAccount(provider.id, CLOSES_AT, true),
        ...[account, live, account].map((told) => payments.savePayoutAccount(told, CLOSES_AT)),
      ]);
      await payments.savePayoutAccount(account, CLOSES_AT + 1);
      expect(await payments.listPayoutAccounts(provider.id)).toEqual([]);
      expect(await payments.findPayoutAccount({ accountId: account.accountId })).toBeNull();
      const again = { ...account, userId: other.id };
      await payments.savePayoutAccount(again, CLOSES_AT + 1);
      expect(await payments.listPayoutAccounts(other.id)).toEqual([again]);
    });

    test('what two people began goes on after both are closed: paid, refunded, expired, and no cent is lost', async () => {
      const { storage, setTheScene } = await openStorage();
      const { provider, customer, code, tip } = await setTheScene();
      const { payments } = storage;
      await payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
      const [paid, refunded, disputed, expired] = [tip(), tip(), tip(), tip()];
      const ofGuest = tip({ giverId: null });
      await payTip(storage, disputed);
      for (const one of [paid, refunded, expired, ofGuest]) await beginPayment(storage, one);
      await storage.beginClosing(provider.id, 'none', CLOSES_AT);
      const late = { ...tip(), paymentMode: 'test', platform: PLATFORM, expiresAtMs: NOW + 1 } as const;
      expect(await payments.beginPayment(late, NOW)).toEqual({ outcome: 'code_paused' });
      for (const { id } of [provider, customer]) await storage.closeAccount(id, NOW, false);
      expect(await payments.beginPayment(late, NOW)).toEqual({ outcome: 'code_retired' });

      const move = async (id: TransactionId, kind: 'succeeded' | 'refunded' | 'expired') => {
        const move = kind === 'succeeded' ? { kind, chargeId: `pi_${id}` } : { kind, adjustmentCount: 0 };
        expect(await payments.movePayment(id, move, NOW + 5, NOW)).toMatchObject({ outcome: 'moved' });
      };
      for (const { id } of [paid, refunded, ofGuest]) await move(id, 'succeeded');
      const asked = { transactionId: refunded.id, userId: provider.id, idempotencyKey: null };
      expect(
        await payments.askForRefund({ ...asked, createdAtMs: NOW + 6, giverFromMs: NOW }, NOW),
      ).toMatchObject({ outcome: 'asked' });
      for (const { id } of [refunded, disputed]) await move(id, 'refunded');
      await move(expired.id, 'expired');

      expect(await storage.findTransaction(customer.id, paid.id)).toMatchObject({
        receiverName: 'Closed account',
        reversal: null,
      });
      expect(await storage.findTransaction(provider.id, refunded.id)).toMatchObject({
        reversal: { reversedBy: 'receiver' },
      });
      expect(await storage.findTransaction(customer.id, expired.id)).toBeNull();
      expect(await payments.findPayment({ id: paid.id })).toMatchObject({ receiverName: 'Closed account' });
      expect(await storage.readTotals(provider.id, 0, 2 * NOW)).toMatchObject({
        totalTipsReceivedCents: paid.netAmountCents + ofGuest.netAmountCents,
      });
      expect(await storage.readTotals(customer.id, 0, 2 * NOW)).toMatchObject({
        totalTipsGivenCents: paid.amountCents,
      });
      expect(await storage.findQrCode(code)).toMatchObject({ status: 'retired' });
      const steps = [await storage.checkRecent(), await storage.checkRecent(), await storage.checkRecent()];
      expect(steps.flatMap(({ problems }) => problems)).toEqual([]);
      expect(steps.at(-1)).toMatchObject({ isDone: true });
    });

    test('no username of an account that is closed is given out again, and its email is', async () => {
      const { storage, addAccount, newAccount } = await openStorage();
      const pat = await addAccount('pat');
      const sam = await addAccount('sam');
      for (const username of ['patrick', 'patricia']) await storage.updateAccount(pat.id, { username });
      expect(await storage.listFormerUsernames(pat.id)).toEqual(['pat', 'patrick']);
      await storage.closeAccount(pat.id, NOW, false);
      expect(await storage.listFormerUsernames(pat.id)).toEqual([]);
      for (const username of ['pat', 'patrick', 'patricia']) {
        const again = { ...newAccount('new'), username };
        expect(await storage.createAccount(again)).toBe('username_taken');
        expect(await storage.updateAccount(sam.id, { username })).toEqual({ outcome: 'username_taken' });
      }
      expect(await storage.createAccount({ ...newAccount('new'), email: pat.email })).toBe('created');
    });

    test('closing, a login and a change of names at once leave an account that is closed, without names', async () => {
      const { storage, addAccount, tokensOf } = await openStorage();
      const { id } = await addAccount('pat');
      await storage.beginClosing(id, 'none', NOW + 1);
      const session = {
        tokenHash: bytes('token'),
        userId: id,
        createdAtMs: NOW,
        expiresAtMs: NOW + 9,
        device: '',
      };
      const [closed] = await Promise.all([
        storage.closeAccount(id, NOW + 1, false),
        storage.createSession(session, 'none', 50),
        storage.updateAccount(id, { username: 'patrick', fullName: 'Pat Late' }),
      ]);
      expect(closed).toBe('closed');
      expect(await tokensOf(id)).toEqual([]);
      expect(await storage.listFormerUsernames(id)).toEqual([]);
      expect(await storage.updateAccount(id, {})).toEqual({ outcome: 'stale' });
    });
  });
}
