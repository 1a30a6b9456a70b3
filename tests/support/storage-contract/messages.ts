/** What is written about tips, who may change it, and what is left of it. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { GivenTip } from '#server/storage/port/ledger.ts';
import type { NewPayment } from '#server/storage/port/payments.ts';
import { newQrCodeId, newTransactionId, type TransactionId, type UserId } from '#shared/ids.ts';
import { PLATFORM, payoutAccountOf } from '../payment-steps.ts';
import { END_OF_TIME_MS, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const HELLO = { message: 'Great drinks!', giverName: 'Name of cam', isRefused: false };
const SAID = { message: 'Great drinks!', giverName: 'Name of cam' };
const UNTOUCHED = { isHidden: false, thankYou: null, thankedAtMs: null, reportedAtMs: null };

async function openScene() {
  const opened = await openStorage();
  const scene = await opened.setTheScene();
  const { storage } = opened;
  const thanks: [UserId, TransactionId][] = [];
  storage.subscribe({ onThanks: (giver, id) => void thanks.push([giver, id]) });
  const give = async (changes: Partial<Omit<GivenTip, 'amountCents'>> = {}) => {
    const tip = scene.tip({ createdAtMs: NOW, ...changes });
    return { tip, result: await storage.recordTip(tip) };
  };
  const balances = async () => [
    await storage.readTotals(scene.provider.id, 0, END_OF_TIME_MS),
    await storage.readTotals(scene.customer.id, 0, END_OF_TIME_MS),
  ];
  const messagesOf = async (id: TransactionId) => (await storage.messages.findMessages([id]))[0];
  return { ...opened, ...scene, words: storage.messages, thanks, give, messagesOf, balances };
}

export function describeWords(): void {
  describe('words', () => {
    test('are written with their tip, and a tip without words has none', async () => {
      const { give, words } = await openScene();
      const { tip: said } = await give({ giverMessage: HELLO });
      const { tip: silent } = await give();
      expect(await words.findMessages([silent.id, said.id])).toMatchObject([
        { transactionId: said.id, ...SAID, ...UNTOUCHED },
      ]);
      expect(await words.findMessages([])).toEqual([]);
    });

    test('are part of what an idempotency key stands for', async () => {
      const { give, messagesOf } = await openScene();
      const idempotencyKey = 'key';
      const { tip } = await give({ idempotencyKey, giverMessage: HELLO });
      const again = async (changes: Partial<GivenTip>) =>
        (await give({ idempotencyKey, ...changes })).result.outcome;
      expect(await again({ giverMessage: HELLO })).toBe('repeated');
      // The name may have been changed in between, and is still given.
      expect(await again({ giverMessage: { ...HELLO, giverName: 'Another name' } })).toBe('repeated');
      // The list of the operator may have been changed in between.
      expect(await again({ giverMessage: { ...HELLO, isRefused: true } })).toBe('repeated');
      expect(await again({})).toBe('key_reused');
      expect(await again({ giverMessage: { ...HELLO, message: 'Another' } })).toBe('key_reused');
      expect(await again({ giverMessage: { ...HELLO, giverName: null } })).toBe('key_reused');
      expect(await messagesOf(tip.id)).toMatchObject(SAID);
    });

    test('of many tips at once stay with theirs', async () => {
      const { give, words } = await openScene();
      const given = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          give(index % 2 === 0 ? { giverMessage: { ...HELLO, message: `Message ${index}` } } : {}),
        ),
      );
      const found = await words.findMessages(given.map(({ tip }) => tip.id));
      expect(found).toHaveLength(10);
      for (const [index, { tip }] of given.entries())
        expect(found.find(({ transactionId }) => transactionId === tip.id)?.message).toBe(
          index % 2 === 0 ? `Message ${index}` : undefined,
        );
    });

    test('are refused with their tip where the code takes none, or the list has something against them', async () => {
      const { give, storage, provider, code, balances } = await openScene();
      const before = await balances();
      expect((await give({ giverMessage: { ...HELLO, isRefused: true } })).result).toEqual({
        outcome: 'words_refused',
      });
      await storage.updateQrCode(provider.id, code, { takesWords: false });
      expect((await give({ giverMessage: HELLO })).result).toEqual({ outcome: 'words_off' });
      expect(await balances()).toEqual(before);
      expect((await give()).result.outcome).toBe('recorded');
    });

    test('are answered once by the receiver, and the giver is told', async () => {
      const { give, words, messagesOf, thanks, provider, customer } = await openScene();
      const { tip } = await give();
      expect(await words.thank(customer.id, tip.id, 'Me', NOW)).toBe('unknown_transaction');
      expect(await words.thank(provider.id, newTransactionId(bytesOf), 'No', NOW)).toBe(
        'unknown_transaction',
      );
      expect(thanks).toEqual([]);
      expect(await words.thank(provider.id, tip.id, 'Cheers', NOW)).toBe('thanked');
      expect(await words.thank(provider.id, tip.id, 'Cheers', NOW + 1)).toBe('repeated');
      expect(await words.thank(provider.id, tip.id, 'Cheers again', NOW + 2)).toBe('thanked_before');
      expect(await messagesOf(tip.id)).toMatchObject({
        message: null,
        giverName: null,
        thankYou: 'Cheers',
        thankedAtMs: NOW,
      });
      expect(thanks).toEqual([[customer.id, tip.id]]);
    });

    test('of many answers at once only one is given', async () => {
      const { give, words, messagesOf, thanks, provider } = await openScene();
      const { tip } = await give({ giverMessage: HELLO });
      const outcomes = await Promise.all(
        ['One', 'Two', 'Three', 'Four'].map((text) => words.thank(provider.id, tip.id, text, NOW)),
      );
      expect(outcomes.filter((outcome) => outcome === 'thanked')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'thanked_before')).toHaveLength(3);
      expect(thanks).toHaveLength(1);
      expect(await messagesOf(tip.id)).toMatchObject(SAID);
    });

    test('are hidden, shown again and reported by the receiver alone', async () => {
      const { give, words, messagesOf, provider, customer } = await openScene();
      const { tip } = await give({ giverMessage: HELLO });
      const { tip: silent } = await give();
      expect(await words.setHidden(customer.id, tip.id, true)).toBe('unknown_transaction');
      expect(await words.reportMessage(customer.id, tip.id, NOW)).toBe('unknown_transaction');
      expect(await words.setHidden(provider.id, silent.id, true)).toBe('no_words');
      expect(await words.reportMessage(provider.id, silent.id, NOW)).toBe('no_words');
      expect(await words.setHidden(provider.id, tip.id, true)).toBe('changed');
      expect(await messagesOf(tip.id)).toMatchObject({ ...SAID, isHidden: true });
      expect(await words.setHidden(provider.id, tip.id, false)).toBe('changed');
      expect(await words.reportMessage(provider.id, tip.id, NOW)).toBe('reported');
      expect(await words.reportMessage(provider.id, tip.id, NOW + 5)).toBe('reported_before');
      expect(await messagesOf(tip.id)).toMatchObject({ isHidden: true, reportedAtMs: NOW });
    });

    test('that were reported wait for the operator, oldest first; settled ones stand behind, newest first', async () => {
      const { give, words, provider, customer } = await openScene();
      const { tip: first } = await give({ giverMessage: HELLO });
      const { tip: guest } = await give({ giverId: null, giverMessage: { ...HELLO, giverName: null } });
      await words.reportMessage(provider.id, guest.id, NOW + 1);
      await words.reportMessage(provider.id, first.id, NOW);
      const receiver = { id: provider.id, username: 'pat', email: 'pat@example.com', isClosed: false };
      const giver = { id: customer.id, username: 'cam', email: 'cam@example.com', isClosed: false };
      const [ofCam, ofGuest] = [
        { transactionId: first.id, reportedAtMs: NOW, settledAtMs: null, ...SAID, receiver, giver },
        {
          transactionId: guest.id,
          reportedAtMs: NOW + 1,
          settledAtMs: null,
          message: SAID.message,
          giverName: null,
          giver: null,
          receiver,
        },
      ];
      expect(await words.listReports(10)).toEqual([ofCam, ofGuest]);
      expect(await words.listReports(1)).toEqual([ofCam]);
      expect(await words.listReports(10, { atMs: NOW, transactionId: first.id })).toEqual([ofGuest]);
      expect(await words.listSettledReports(10)).toEqual([]);
      expect(await words.settleReport(first.id, NOW + 2)).toBe(true);
      expect(await words.settleReport(first.id, NOW + 3)).toBe(false);
      expect(await words.listReports(10)).toEqual([ofGuest]);
      await words.settleReport(guest.id, NOW + 4);
      const settled = [
        { ...ofGuest, settledAtMs: NOW + 4 },
        { ...ofCam, settledAtMs: NOW + 2 },
      ];
      expect(await words.listReports(10)).toEqual([]);
      expect(await words.listSettledReports(10)).toEqual(settled);
      expect(await words.listSettledReports(10, { atMs: NOW + 4, transactionId: guest.id })).toEqual(
        settled.slice(1),
      );
    });

    test('that were reported at one moment are listed once each, whatever the size of a page', async () => {
      const { give, words, provider } = await openScene();
      const ids: TransactionId[] = [];
      for (let count = 0; count < 5; count += 1) {
        const { tip } = await give({ giverMessage: HELLO });
        await words.reportMessage(provider.id, tip.id, NOW);
        ids.push(tip.id);
      }
      const walk = async (list: typeof words.listReports, atMs: number) => {
        const seen: TransactionId[] = [];
        for (;;) {
          const last = seen.at(-1);
          const page = await list(2, last && { atMs, transactionId: last });
          if (page.length === 0) return seen;
          seen.push(...page.map(({ transactionId }) => transactionId));
        }
      };
      expect((await walk(words.listReports, NOW)).sort()).toEqual(ids.toSorted());
      for (const id of ids) await words.settleReport(id, NOW + 1);
      expect((await walk(words.listSettledReports, NOW + 1)).sort()).toEqual(ids.toSorted());
    });

    test('a giver who is blocked is refused as if the code were paused, until they are not', async () => {
      const { give, words, storage, provider, customer, code, balances } = await openScene();
      const idempotencyKey = 'before';
      const { tip } = await give({ idempotencyKey, giverMessage: HELLO });
      const { tip: guest } = await give({ giverId: null });
      expect(await words.blockGiver(customer.id, tip.id, NOW)).toBe('unknown_transaction');
      expect(await words.blockGiver(provider.id, guest.id, NOW)).toBe('guest');
      expect(await words.blockGiver(provider.id, tip.id, NOW)).toBe('blocked');
      expect(await words.blockGiver(provider.id, tip.id, NOW + 1)).toBe('blocked');
      const before = await balances();
      const refused = (await give({ giverMessage: HELLO })).result;
      expect((await give()).result).toEqual(refused);
      expect((await give({ serviceCategory: 'dj' })).result).toEqual(refused);
      // What was given before is still theirs.
      expect((await give({ idempotencyKey, giverMessage: HELLO })).result.outcome).toBe('repeated');
      expect(await balances()).toEqual(before);
      expect((await give({ giverId: null })).result.outcome).toBe('recorded');
      expect(await words.listBlocked(provider.id)).toEqual([
        { giverId: customer.id, transactionId: tip.id, createdAtMs: NOW, serviceCategory: 'bartender' },
      ]);
      expect(await words.listBlocked(customer.id)).toEqual([]);

      await storage.updateQrCode(provider.id, code, { status: 'paused' });
      await words.unblockGiver(provider.id, customer.id);
      expect((await give()).result).toEqual(refused);
      await storage.updateQrCode(provider.id, code, { status: 'active' });
      expect((await give()).result.outcome).toBe('recorded');
      expect(await words.listBlocked(provider.id)).toEqual([]);
    });

    test('of a page of givers those are told whom its receiver has blocked, each once, and nobody else', async () => {
      const { give, words, provider, customer, addAccount, addCode } = await openScene();
      const qrCodeId = await addCode(provider, 'barber');
      const [oda, kim] = [await addAccount('oda'), await addAccount('kim')];
      const block = async (changes: Parameters<typeof give>[0]) =>
        words.blockGiver(provider.id, (await give(changes)).tip.id, NOW);
      const barber = { qrCodeId, serviceCategory: 'barber' } as const;
      const tips = [await give(), await give(barber)];
      for (const { tip } of tips) await words.blockGiver(provider.id, tip.id, NOW);
      await block({ giverId: oda.id });
      const among = async (...people: readonly { readonly id: UserId }[]) =>
        (
          await words.blockedAmong(
            provider.id,
            people.map(({ id }) => id),
          )
        ).sort();
      expect(await among(kim, customer)).toEqual([customer.id]);
      expect(await among(oda, kim, customer)).toEqual([oda.id, customer.id].sort());
      expect(await among(kim)).toEqual([]);
      expect(await among()).toEqual([]);
      expect(await words.blockedAmong(kim.id, [customer.id, oda.id])).toEqual([]);
    });

    describe('a block', () => {
      /**
       * The code of the scene and another one of the same provider, each with whether it takes tips of the
       * customer.
       */
      async function openPages() {
        const scene = await openScene();
        const { give, storage, provider, customer, code, addCode } = scene;
        const codes = { bartender: code, barber: await addCode(provider, 'barber') };
        type Service = keyof typeof codes;
        const name = (service: Service, displayName: string | null) =>
          storage.updateQrCode(provider.id, codes[service], { displayName });
        const tip = async (service: Service) =>
          (await give({ qrCodeId: codes[service], serviceCategory: service })).tip.id;
        const blockBy = async (id: TransactionId) =>
          expect(await scene.words.blockGiver(provider.id, id, NOW)).toBe('blocked');
        const block = async (service: Service) => blockBy(await tip(service));
        const offer = async (...serviceCategories: Service[]) => {
          const { outcome } = await storage.updateAccount(provider.id, { serviceCategories });
          expect(outcome).toBe('updated');
        };
        /** Whether paying and looking the code up agree that it is blocked. */
        const isBlocked = async (service: Service) => {
          const { result } = await give({ qrCodeId: codes[service], serviceCategory: service });
          const blocked = await scene.words.isBlocked(customer.id, codes[service]);
          expect(result.outcome).toBe(blocked ? 'code_paused' : 'recorded');
          return blocked;
        };
        const blocked = async () => ({
          bartender: await isBlocked('bartender'),
          barber: await isBlocked('barber'),
        });
        return { ...scene, codes, name, tip, blockBy, block, offer, isBlocked, blocked };
      }

      test('holds for all pages that show the name of the account', async () => {
        const { provider, name, block, blocked } = await openPages();
        await name('barber', provider.fullName);
        await block('bartender');
        expect(await blocked()).toEqual({ bartender: true, barber: true });
        await name('bartender', provider.fullName);
        await name('barber', null);
        expect(await blocked()).toEqual({ bartender: true, barber: true });
      });

      test('does not hold for a page that shows another name', async () => {
        const { words, provider, customer, name, block, blocked } = await openPages();
        await name('barber', 'The Barber');
        await block('bartender');
        expect(await blocked()).toEqual({ bartender: true, barber: false });
        await words.unblockGiver(provider.id, customer.id);
        await block('barber');
        expect(await blocked()).toEqual({ bartender: false, barber: true });
      });

      test('is lifted with all others of the same giver', async () => {
        const { words, provider, customer, name, block, blocked } = await openPages();
        await name('barber', 'The Barber');
        await block('bartender');
        await block('barber');
        const services = (await words.listBlocked(provider.id)).map(({ serviceCategory }) => serviceCategory);
        expect(services.sort()).toEqual(['barber', 'bartender']);
        await words.unblockGiver(provider.id, customer.id);
        expect(await blocked()).toEqual({ bartender: false, barber: false });
        expect(await words.listBlocked(provider.id)).toEqual([]);
      });

      test('is of one giver: another one goes on', async () => {
        const { addAccount, give, block } = await openPages();
        const other = await addAccount('oda');
        await block('bartender');
        expect((await give({ giverId: other.id })).result.outcome).toBe('recorded');
        expect((await give()).result.outcome).toBe('code_paused');
      });

      test('holds for all pages that show the same name of their own', async () => {
        const { name, block, blocked } = await openPages();
        await name('bartender', 'Night');
        await name('barber', 'Night');
        await block('bartender');
        expect(await blocked()).toEqual({ bartender: true, barber: true });
        await name('barber', 'Day');
        expect(await blocked()).toEqual({ bartender: true, barber: false });
      });

      test('stays with the service, whatever name its page gets', async () => {
        const { name, block, blocked } = await openPages();
        await block('bartender');
        await name('bartender', 'Night');
        expect(await blocked()).toEqual({ bartender: true, barber: false });
        await name('bartender', 'Later');
        expect(await blocked()).toEqual({ bartender: true, barber: false });
        await name('bartender', null);
        expect(await blocked()).toEqual({ bartender: true, barber: true });
      });

      test('does not link a page to a name that the page of the service had and gave up', async () => {
        const { name, block, blocked } = await openPages();
        await block('bartender');
        await name('bartender', 'Night');
        await name('bartender', null);
        await name('barber', 'Night');
        expect(await blocked()).toEqual({ bartender: true, barber: false });
      });

      test('stays when the account gets another full name', async () => {
        const { storage, provider, name, block, blocked } = await openPages();
        await name('bartender', provider.fullName);
        await block('bartender');
        await storage.updateAccount(provider.id, { fullName: 'Pat Newname' });
        expect(await blocked()).toEqual({ bartender: true, barber: false });
        await name('barber', provider.fullName);
        expect(await blocked()).toEqual({ bartender: true, barber: true });
      });

      test('stays for each of two services once their pages show different names', async () => {
        const { tip, blockBy, name, blocked } = await openPages();
        const [first, second] = [await tip('bartender'), await tip('barber')];
        await blockBy(first);
        await blockBy(second);
        await name('barber', 'Day');
        expect(await blocked()).toEqual({ bartender: true, barber: true });
      });

      test('stays when the service is retired and offered again', async () => {
        const { addCode, give, provider, codes, name, block, offer, isBlocked, blocked } = await openPages();
        await name('bartender', 'Night');
        await name('barber', 'Night');
        await block('bartender');
        await offer('barber');
        expect((await give()).result.outcome).toBe('code_retired');
        // A service without a page shows no name that another one could have.
        expect(await isBlocked('barber')).toBe(false);
        await offer('bartender', 'barber');
        Object.assign(codes, { bartender: await addCode(provider, 'bartender') });
        expect(await blocked()).toEqual({ bartender: true, barber: false });
      });

      test('by a tip to a code that was replaced holds for the page of the service as it is now', async () => {
        const { storage, provider, codes, tip, blockBy, name, blocked } = await openPages();
        const id = await tip('bartender');
        const next = { id: newQrCodeId(randomBytes), createdAtMs: NOW };
        const picture = { address: 'https://tips.example.com', png: bytesOf(1) };
        await name('bartender', 'Night');
        const replaced = await storage.replaceQrCode(provider.id, codes.bartender, next, picture);
        expect(replaced.outcome).toBe('replaced');
        await storage.updateQrCode(provider.id, next.id, { displayName: 'Later' });
        Object.assign(codes, { bartender: next.id });
        await blockBy(id);
        expect(await blocked()).toEqual({ bartender: true, barber: false });
        await name('barber', 'Later');
        await storage.updateQrCode(provider.id, next.id, { status: 'paused' });
        expect(await blocked()).toEqual({ bartender: true, barber: true });
      });
    });

    test('thank-yous are kept ready in their order', async () => {
      const { words, provider, customer } = await openScene();
      expect(await words.listThankYous(provider.id)).toEqual([]);
      await words.saveThankYous(provider.id, ['One', 'Two', 'Three']);
      await words.saveThankYous(customer.id, ['Mine']);
      expect(await words.listThankYous(provider.id)).toEqual(['One', 'Two', 'Three']);
      await words.saveThankYous(provider.id, ['Two']);
      expect(await words.listThankYous(provider.id)).toEqual(['Two']);
      await words.saveThankYous(provider.id, []);
      expect(await words.listThankYous(provider.id)).toEqual([]);
      expect(await words.listThankYous(customer.id)).toEqual(['Mine']);
    });

    test('go with the account that wrote them, but for a report that waits', async () => {
      const { give, words, messagesOf, storage, provider, customer } = await openScene();
      const { tip } = await give({ giverMessage: HELLO, idempotencyKey: 'key' });
      const { tip: reported } = await give({ giverMessage: { ...HELLO, message: 'Ugly' } });
      await words.thank(provider.id, tip.id, 'Cheers', NOW);
      await words.reportMessage(provider.id, reported.id, NOW);
      await words.blockGiver(provider.id, reported.id, NOW);
      await storage.closeAccount(customer.id, NOW, false);
      expect(await words.blockGiver(provider.id, tip.id, NOW)).toBe('blocked');
      expect(await messagesOf(tip.id)).toMatchObject({ message: null, giverName: null, thankYou: 'Cheers' });
      expect(await words.listReports(10)).toMatchObject([{ message: 'Ugly', giver: { isClosed: true } }]);
      expect(await words.listBlocked(provider.id)).toEqual([]);
      await words.settleReport(reported.id, NOW);
      expect(await messagesOf(reported.id)).toMatchObject({ message: null, giverName: null });
    });

    test('go with the account that received them, and so does what it said', async () => {
      const { give, words, messagesOf, storage, provider } = await openScene();
      const { tip } = await give({ giverMessage: HELLO, idempotencyKey: 'key' });
      await words.thank(provider.id, tip.id, 'Cheers', NOW);
      await words.saveThankYous(provider.id, ['Ready']);
      await words.blockGiver(provider.id, tip.id, NOW);
      await storage.closeAccount(provider.id, NOW, false);
      expect(await words.blockGiver(provider.id, tip.id, NOW)).toBe('unknown_transaction');
      expect(await messagesOf(tip.id)).toMatchObject({ message: null, giverName: null, thankYou: null });
      expect(await words.listThankYous(provider.id)).toEqual([]);
      expect(await words.listBlocked(provider.id)).toEqual([]);
      // Sent again, the tip is still the same tip.
      expect((await give({ idempotencyKey: 'key', giverMessage: HELLO })).result.outcome).toBe('repeated');
    });

    test('that were reported stay for the report alone: what their receiver answered goes with the account', async () => {
      const { give, words, messagesOf, storage, provider } = await openScene();
      const { tip } = await give({ giverMessage: HELLO });
      await words.thank(provider.id, tip.id, 'Cheers', NOW);
      await words.reportMessage(provider.id, tip.id, NOW);
      const erase = () => words.eraseBeforeClosing(provider.id, NOW, false, 9);
      expect([await erase(), await erase()]).toEqual([1, 0]);
      await storage.closeAccount(provider.id, NOW, false);
      expect(await messagesOf(tip.id)).toMatchObject({ ...SAID, thankYou: null, reportedAtMs: NOW });
      expect(await words.listReports(9)).toMatchObject([SAID]);
    });

    test('of a payment reach the receiver with its tip, and not when it comes to nothing', async () => {
      const { storage, words, messagesOf, provider, customer, tip } = await openScene();
      const { payments } = storage;
      await payments.savePayoutAccount(payoutAccountOf(provider.id), NOW);
      const begin = async (said = HELLO, key: string | null = null) => {
        const payment: NewPayment = {
          ...tip({ createdAtMs: NOW, idempotencyKey: key }),
          giverMessage: said,
          paymentMode: 'test',
          platform: PLATFORM,
          expiresAtMs: NOW + MINUTE_MS,
        };
        const begun = await payments.beginPayment(payment, NOW);
        return { id: payment.id, outcome: begun.outcome };
      };
      const move = (id: TransactionId, to: 'paid' | 'expired') =>
        to === 'expired'
          ? payments.movePayment(id, { kind: 'page_missing' }, NOW, NOW)
          : payments
              .movePayment(id, { kind: 'pending', checkout: { id: `cs_${id}`, url: 'https://x' } }, NOW, NOW)
              .then(() => payments.movePayment(id, { kind: 'succeeded', chargeId: `pi_${id}` }, NOW, NOW));

      const paid = await begin(HELLO, 'key');
      expect((await begin(HELLO, 'key')).outcome).toBe('repeated');
      expect((await begin({ ...HELLO, message: 'Other' }, 'key')).outcome).toBe('key_reused');
      await move(paid.id, 'paid');
      expect(await messagesOf(paid.id)).toMatchObject({ ...SAID, ...UNTOUCHED });

      const late = await begin();
      await words.blockGiver(provider.id, paid.id, NOW);
      await move(late.id, 'paid');
      expect(await messagesOf(late.id)).toMatchObject({ isHidden: true });
      expect((await begin()).outcome).toBe('code_paused');
      await words.unblockGiver(provider.id, customer.id);

      const expired = await begin(HELLO, 'expired');
      await move(expired.id, 'expired');
      expect(await messagesOf(expired.id)).toMatchObject({ message: null, giverName: null });
      expect((await begin(HELLO, 'expired')).outcome).toBe('repeated');
    });
  });
}

const bytesOf = (size: number) => new Uint8Array(size).fill(7);
