/** Mails: that they are added with their causes, sent by one process at a time, and what links allow. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { PasskeyRecord } from '#server/storage/port/factors.ts';
import type { MailKind, NewMail } from '#server/storage/port/mails.ts';
import type { DueRows } from '#server/storage/port/outboxes.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { newApiKeyId, newMailId, newPasskeyId, newWebhookId, type UserId } from '#shared/ids.ts';
import { bytes, MINUTE_MS, NOW, openStorage } from './opened-storage.ts';

const LEASE_MS = MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DUE = { nowMs: NOW, leaseMs: LEASE_MS, maxWaitMs: HOUR_MS, atMost: 100 };

const mailOf = (kind: MailKind, content = '{}'): NewMail => ({
  id: newMailId(randomBytes),
  kind,
  content,
  createdAtMs: NOW,
});

async function openScene() {
  const opened = await openStorage();
  const { storage, newAccount } = opened;
  const pat = newAccount('pat');
  expect(await storage.createAccount(pat)).toBe('created');
  const claim = (changes: Partial<DueRows> = {}) => storage.mails.claimDue({ ...DUE, ...changes });
  const addTo = (recipient: string, kind: MailKind = 'password_link', maxCount = 100) =>
    storage.mails.add({ ...mailOf(kind), userId: null, recipient }, maxCount);
  /** What waits, as kind and address, without leaving a claim. */
  async function waiting(): Promise<string[]> {
    const claimed = await claim();
    for (const mail of claimed) await storage.mails.postpone(mail, { nextTryMs: NOW, tries: mail.tries });
    return claimed.map(({ kind, recipient }) => `${kind} ${recipient}`).sort();
  }
  async function link(purpose: 'password' | 'confirmation', token: string, email = pat.email) {
    const added = { tokenHash: bytes(token), purpose, expiresAtMs: NOW + HOUR_MS };
    return storage.mails.addLink(pat.id, email, added, 8);
  }
  async function confirm(userId: UserId = pat.id) {
    await link('confirmation', 'confirming');
    expect(await storage.mails.confirmAddress(userId, bytes('confirming'), NOW)).toBe(true);
  }
  return { ...opened, pat, claim, addTo, waiting, link, confirm };
}

const settingsOf = async (storage: Storage, userId: UserId) => storage.mails.settingsOf(userId);

export function describeMails(): void {
  describe('mails', () => {
    test('are claimed by one process at a time, the longest waiting first, and again after the lease', async () => {
      const { storage, claim, addTo } = await openScene();
      for (const name of ['one', 'two', 'three']) expect(await addTo(`${name}@example.com`)).toBe('added');
      const both = await Promise.all([claim({ atMost: 2 }), claim({ atMost: 2 })]);
      const claimed = both.flat();
      expect(new Set(claimed.map(({ id }) => id)).size).toBe(3);
      expect(await claim()).toEqual([]);
      expect(await claim({ nowMs: NOW + LEASE_MS - 1 })).toEqual([]);
      expect(await claim({ nowMs: NOW + LEASE_MS })).toHaveLength(3);
      await storage.mails.endClaims();
      expect(await claim()).toHaveLength(3);
    });

    test('are forgotten in steps once they are too old, due and claimed by nobody', async () => {
      const { storage, claim, addTo } = await openScene();
      for (const name of ['one', 'two', 'three']) await addTo(`${name}@example.com`);
      const [claimed, postponed] = await claim({ atMost: 2 });
      if (!claimed || !postponed) throw new Error('nothing was claimed');
      await storage.mails.postpone(postponed, { nextTryMs: NOW + HOUR_MS, tries: 1 });
      const forget = (nowMs: number, untilMs = NOW) =>
        storage.mails.forgetOutdated({ nowMs, untilMs, atMost: 1 });
      expect(await forget(NOW, NOW - 1)).toBe(0);
      expect([await forget(NOW), await forget(NOW)]).toEqual([1, 0]);
      expect([await forget(NOW + LEASE_MS), await forget(NOW + LEASE_MS)]).toEqual([1, 0]);
      expect([await forget(NOW + HOUR_MS), await forget(NOW + HOUR_MS)]).toEqual([1, 0]);
    });

    test('wait for their next try, but no longer than the longest pause when the clock was turned back', async () => {
      const { storage, claim, addTo } = await openScene();
      await addTo('one@example.com');
      const [mail] = await claim();
      if (!mail) throw new Error('nothing was claimed');
      expect(mail).toMatchObject({
        kind: 'password_link',
        recipient: 'one@example.com',
        tries: 0,
        userId: null,
      });
      const next = { nextTryMs: NOW + 5 * MINUTE_MS, tries: 1 };
      expect(await storage.mails.postpone(mail, next)).toBe(true);
      expect(await storage.mails.postpone(mail, next)).toBe(false);
      expect(await claim({ nowMs: next.nextTryMs - 1 })).toEqual([]);
      expect(await claim({ nowMs: NOW - 2 * HOUR_MS })).toMatchObject([{ id: mail.id, tries: 1 }]);
    });

    test('are gone once finished, and a claim that is over finishes nothing', async () => {
      const { storage, claim, addTo } = await openScene();
      await addTo('one@example.com');
      const [old] = await claim();
      const [mail] = await claim({ nowMs: NOW + LEASE_MS });
      if (!old || !mail) throw new Error('nothing was claimed');
      await storage.mails.finish(old, { outcome: 'sent' });
      await storage.mails.endClaims();
      const [again] = await claim();
      if (!again) throw new Error('a mail was finished by a claim that was over');
      await storage.mails.finish(again, { outcome: 'sent' });
      await storage.mails.endClaims();
      expect(await claim()).toEqual([]);
    });

    test('that somebody asks for are refused when too many wait', async () => {
      const { addTo, waiting } = await openScene();
      expect(await addTo('one@example.com', 'receipt', 2)).toBe('added');
      expect(await addTo('two@example.com', 'receipt', 2)).toBe('added');
      expect(await addTo('three@example.com', 'receipt', 2)).toBe('full');
      expect(await waiting()).toEqual(['receipt one@example.com', 'receipt two@example.com']);
    });

    test('ask for a confirmation with the registration, and with a new address, whose links end', async () => {
      const { storage, newAccount, waiting, pat, link, confirm } = await openScene();
      const cam = newAccount('cam');
      expect(await storage.createAccount(cam, mailOf('confirmation'))).toBe('created');
      expect(
        await storage.createAccount({ ...newAccount('cam2'), email: cam.email }, mailOf('confirmation')),
      ).toBe('email_taken');
      expect(await waiting()).toEqual(['confirmation cam@Example.com']);
      await confirm();
      await link('password', 'reset');
      const { passwordHash } = pat;
      const email = {
        email: 'new@example.com',
        passwordHash,
        confirmation: mailOf('confirmation'),
        farewell: mailOf('email_changed'),
      };
      expect((await storage.updateAccount(pat.id, { email: { ...email, passwordHash: 'x' } })).outcome).toBe(
        'stale',
      );
      expect((await storage.updateAccount(pat.id, { email: { ...email, email: cam.email } })).outcome).toBe(
        'email_taken',
      );
      expect(await waiting()).toHaveLength(1);
      expect((await storage.updateAccount(pat.id, { email })).outcome).toBe('updated');
      expect(await waiting()).toEqual([
        'confirmation cam@Example.com',
        'confirmation new@example.com',
        'email_changed pat@Example.com',
      ]);
      expect((await settingsOf(storage, pat.id)).confirmedAtMs).toBeNull();
      expect(await storage.mails.findLinkOwner(bytes('reset'), 'password', NOW)).toBeNull();
      // Another spelling is the same address.
      await storage.mails.addLink(
        pat.id,
        'NEW@example.com',
        { tokenHash: bytes('next'), purpose: 'confirmation', expiresAtMs: NOW + 1 },
        8,
      );
      expect(await storage.mails.confirmAddress(pat.id, bytes('next'), NOW)).toBe(true);
      expect(
        (await storage.updateAccount(pat.id, { email: { ...email, email: 'New@example.com' } })).outcome,
      ).toBe('updated');
      expect((await settingsOf(storage, pat.id)).confirmedAtMs).toBe(NOW);
      expect(await waiting()).toHaveLength(3);
    });

    test('tell a confirmed address of what happened to its account, and no other address', async () => {
      const { storage, pat, waiting, confirm } = await openScene();
      const session = {
        tokenHash: bytes('one'),
        userId: pat.id,
        createdAtMs: NOW,
        expiresAtMs: NOW + HOUR_MS,
        device: '',
      };
      const act = async (token: string) => {
        const { passwordHash } = pat;
        expect(
          await storage.createSession(
            { ...session, tokenHash: bytes(token) },
            passwordHash,
            50,
            mailOf('new_device'),
          ),
        ).toMatch(/created|reopened/);
        const next = { passwordHash, expiresAtMs: null, changedAtMs: NOW };
        expect(await storage.changePassword(pat.id, 'wrong', next, null, mailOf('password_changed'))).toBe(
          'stale',
        );
        expect(
          await storage.changePassword(pat.id, passwordHash, next, null, mailOf('password_changed')),
        ).toBe('changed');
        expect(await storage.beginClosing(pat.id, 'wrong', NOW + 1, mailOf('closing_begun'))).toBe('stale');
        expect(await storage.beginClosing(pat.id, passwordHash, NOW + HOUR_MS, mailOf('closing_begun'))).toBe(
          'closing',
        );
      };
      await act('one');
      expect(await waiting()).toEqual([]);
      expect(await storage.mails.addToConfirmed(pat.id, mailOf('receipt'), 100)).toBe('unconfirmed');
      await confirm();
      await act('two');
      expect(await storage.mails.addToConfirmed(pat.id, mailOf('receipt'), 100)).toBe('added');
      expect(await storage.mails.addToConfirmed(pat.id, mailOf('receipt'), 4)).toBe('full');
      expect(await waiting()).toEqual(
        ['closing_begun', 'new_device', 'password_changed', 'receipt'].map(
          (kind) => `${kind} pat@Example.com`,
        ),
      );
    });

    test('keep what a mail server refused for the owner of the address, until it takes a mail again', async () => {
      const { storage, pat, claim, addTo, confirm } = await openScene();
      await confirm();
      const finish = async (recipient: string, end: Parameters<Storage['mails']['finish']>[1]) => {
        await addTo(recipient);
        const [mail] = await claim();
        if (!mail) throw new Error('nothing was claimed');
        await storage.mails.finish(mail, end);
      };
      const refused = { outcome: 'refused', refusal: '550 no such user', atMs: NOW } as const;
      await finish('somebody@example.com', refused);
      await finish('pat@example.com', { outcome: 'dropped' });
      expect(await settingsOf(storage, pat.id)).toMatchObject({ refusal: null, refusedAtMs: null });
      await finish('PAT@example.com', refused);
      expect(await settingsOf(storage, pat.id)).toMatchObject({
        refusal: '550 no such user',
        refusedAtMs: NOW,
      });
      await finish('pat@example.com', { outcome: 'sent' });
      expect(await settingsOf(storage, pat.id)).toMatchObject({
        refusal: null,
        refusedAtMs: null,
        confirmedAtMs: NOW,
      });
    });

    test('that were asked for by an email go with its account, and what a guest or somebody else waits for stays', async () => {
      const { storage, pat, addTo, waiting } = await openScene();
      for (const email of [pat.email, pat.email.toUpperCase(), 'sam@example.com']) await addTo(email);
      await addTo(pat.email, 'receipt');
      await storage.closeAccount(pat.id, NOW, false);
      expect(await waiting()).toEqual(['password_link sam@example.com', `receipt ${pat.email}`]);
    });
  });

  describe('links in mails', () => {
    test('are added for the present address alone, and at most so many', async () => {
      const { storage, pat, link } = await openScene();
      expect(await link('password', 'one', 'PAT@example.com')).toBe('added');
      expect(await link('password', 'two', 'other@example.com')).toBe('stale');
      const usable = (token: string) => storage.mails.findLinkOwner(bytes(token), 'password', NOW);
      const last = { tokenHash: bytes('three'), purpose: 'password', expiresAtMs: NOW + HOUR_MS } as const;
      await storage.mails.addLink(
        pat.id,
        pat.email,
        { ...last, tokenHash: bytes('soon'), expiresAtMs: NOW + 1 },
        8,
      );
      await link('confirmation', 'another');
      expect(await storage.mails.addLink(pat.id, pat.email, last, 2)).toBe('added');
      expect(await usable('soon')).toBeNull();
      expect(await usable('three')).not.toBeNull();
      expect(await storage.mails.findLinkOwner(bytes('one'), 'password', NOW)).toMatchObject({
        userId: pat.id,
        username: 'pat',
      });
      expect(await storage.mails.findLinkOwner(bytes('one'), 'confirmation', NOW)).toBeNull();
      expect(await storage.mails.findLinkOwner(bytes('one'), 'password', NOW + HOUR_MS)).toBeNull();
      expect(await storage.mails.forgetExpiredLinks(NOW + HOUR_MS - 1, 10)).toBe(0);
      expect(await storage.mails.forgetExpiredLinks(NOW + HOUR_MS, 10)).toBe(3);
    });

    test('replace a password once: all sessions, links and device marks of the account end', async () => {
      const { storage, pat, link, tokensOf, waiting } = await openScene();
      const session = {
        tokenHash: bytes('s'),
        userId: pat.id,
        createdAtMs: NOW,
        expiresAtMs: NOW + HOUR_MS,
        device: '',
      };
      await storage.createSession(session, pat.passwordHash, 50);
      for (const token of ['one', 'two']) await link('password', token);
      const reset = (token: string, hash: string, nowMs = NOW) =>
        storage.mails.resetPassword(pat.id, bytes(token), hash, nowMs, mailOf('password_changed'));
      expect(await reset('three', 'x')).toBe(false);
      expect(await reset('one', 'x', NOW + HOUR_MS)).toBe(false);
      const marksFromMs = await storage.mails.marksFrom('PAT@example.com');
      expect(await tokensOf(pat.id)).toHaveLength(1);
      const both = await Promise.all([reset('one', 'first'), reset('two', 'second')]);
      expect(both.sort()).toEqual([false, true]);
      expect(await tokensOf(pat.id)).toEqual([]);
      expect(['first', 'second']).toContain((await storage.findCredentials(pat.email))?.passwordHash);
      expect(await storage.mails.marksFrom('PAT@example.com')).toBeGreaterThan(marksFromMs);
      expect(await storage.mails.marksFrom('nobody@example.com')).toBe(0);
      expect((await settingsOf(storage, pat.id)).confirmedAtMs).toBe(NOW);
      expect(await waiting()).toEqual(['password_changed pat@Example.com']);
    });

    test('end what was set up before anybody had confirmed the address, also what is set up meanwhile', async () => {
      const { storage, pat, link, claim } = await openScene();
      const { apiKeys, factors, webhooks } = storage;
      const holder = { kind: 'account', id: pat.id } as const;
      const times = { createdAtMs: NOW, expiresAtMs: NOW + HOUR_MS };
      const session = { tokenHash: bytes('session'), userId: pat.id, ...times, device: '' };
      const newPasskey = (text: string): PasskeyRecord => ({
        id: newPasskeyId(randomBytes),
        holderKind: holder.kind,
        holderId: holder.id,
        credentialId: text,
        publicKey: bytes(text),
        counter: 0,
        transports: [],
        rpId: 'tips.example.com',
        name: text,
        createdAtMs: NOW,
        lastUsedAtMs: null,
      });
      const addKey = (text: string) => {
        const shown = { name: text, scopes: ['tips:read'], addresses: [], ending: 'abcd' } as const;
        const key = {
          id: newApiKeyId(randomBytes),
          userId: pat.id,
          keyHash: bytes(text),
          ...shown,
          ...times,
        };
        return apiKeys.add(key, 20, undefined, session.tokenHash);
      };
      const addWebhook = () => {
        const kinds = ['tip.received'] as const;
        const url = 'https://example.com/hook';
        const id = newWebhookId(randomBytes);
        const webhook = { id, userId: pat.id, url, kinds, secret: randomBytes(32), createdAtMs: NOW };
        return webhooks.add(webhook, 20, session.tokenHash);
      };
      const addPasskey = (passkey: PasskeyRecord) =>
        factors.addPasskey(passkey, 20, {
          recoveryHashes: [bytes(`code of ${passkey.name}`)],
          session: session.tokenHash,
          nowMs: NOW,
        });
      await storage.createSession(session, pat.passwordHash, 50);
      const passkey = newPasskey('before');
      expect([await addKey('before'), await addWebhook(), await addPasskey(passkey)]).toEqual([
        'added',
        'added',
        'added_first',
      ]);
      await factors.beginTotp(holder, bytes('waiting'), NOW);
      await link('password', 'proof');
      const [isReset] = await Promise.all([
        storage.mails.resetPassword(pat.id, bytes('proof'), 'next', NOW, mailOf('password_changed')),
        ...Array.from({ length: 6 }, (_, index) => addKey(`meanwhile ${index}`)),
        ...Array.from({ length: 6 }, () => addWebhook()),
        ...Array.from({ length: 6 }, (_, index) => addPasskey(newPasskey(`meanwhile ${index}`))),
      ]);
      expect(isReset).toBe(true);
      expect(await apiKeys.list(pat.id)).toEqual([]);
      expect(await webhooks.list(pat.id)).toEqual([]);
      expect(await factors.summary(holder)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
      expect(await factors.findTotp(holder)).toBeNull();
      expect([await addKey('after'), await addWebhook(), await addPasskey(newPasskey('after'))]).toEqual([
        'gone',
        'gone',
        'gone',
      ]);
      // The passkey had signed before it went, and its login reads the new hash.
      expect(await storage.createSession(session, 'next', 50, undefined, passkey.id)).toBe('stale');
      const told = (await claim()).map(({ kind, content }) => [kind, JSON.parse(content)]);
      expect(told).toEqual([
        ['password_changed', { ended: ['factors', 'api_keys', 'webhooks'], keepsPayouts: false }],
      ]);

      // From then on the owner of the address sets things up, and they stay with a forgotten password.
      await storage.createSession(session, 'next', 50);
      const own = newPasskey('own');
      expect([await addKey('own'), await addWebhook(), await addPasskey(own)]).toEqual([
        'added',
        'added',
        'added_first',
      ]);
      await link('password', 'again');
      await storage.mails.resetPassword(pat.id, bytes('again'), 'last', NOW, mailOf('password_changed'));
      expect(await apiKeys.list(pat.id)).toHaveLength(1);
      expect(await webhooks.list(pat.id)).toHaveLength(1);
      expect((await factors.summary(holder)).passkeys).toHaveLength(1);
      expect(await storage.createSession(session, 'last', 50, undefined, own.id)).toBe('created');
    });

    test('that an operator hands over prove no address, and end nothing but sessions', async () => {
      const { storage, pat, link } = await openScene();
      const shown = { name: 'Till', scopes: ['tips:read'], addresses: [], ending: 'abcd' } as const;
      const times = { createdAtMs: NOW, expiresAtMs: NOW + HOUR_MS };
      const key = { id: newApiKeyId(randomBytes), userId: pat.id, keyHash: bytes('key'), ...shown, ...times };
      await storage.apiKeys.add(key, 20);
      await link('password', 'handed');
      expect(await storage.mails.resetPassword(pat.id, bytes('handed'), 'next', NOW, undefined)).toBe(true);
      expect(await storage.apiKeys.list(pat.id)).toHaveLength(1);
      expect((await settingsOf(storage, pat.id)).confirmedAtMs).toBeNull();
    });

    test('end with another password and with the account', async () => {
      const { storage, pat, link, confirm, waiting } = await openScene();
      const isUsable = async (token: string) =>
        (await storage.mails.findLinkOwner(bytes(token), 'password', NOW)) !== null;
      await link('password', 'one');
      expect(await isUsable('one')).toBe(true);
      await storage.changePassword(
        pat.id,
        pat.passwordHash,
        { passwordHash: 'next', expiresAtMs: null, changedAtMs: NOW },
        null,
      );
      expect(await isUsable('one')).toBe(false);
      await confirm();
      await link('password', 'two');
      await storage.mails.addToConfirmed(pat.id, mailOf('receipt'), 100);
      expect(await storage.closeAccount(pat.id, NOW, false)).toBe('closed');
      expect(await isUsable('two')).toBe(false);
      expect(await link('password', 'three')).toBe('stale');
      expect(await waiting()).toEqual([]);
      expect(await settingsOf(storage, pat.id)).toMatchObject({ confirmedAtMs: null });
    });
  });

  describe('monthly statements', () => {
    test('are added once a month for whoever wants them at a confirmed address', async () => {
      const { storage, pat, confirm, waiting, claim, addTo } = await openScene();
      const on = { isOn: true, timeZone: 'Europe/Vienna', statedMonth: '2026-04' };
      const readers = () => storage.mails.listStatementReaders('', 10);
      expect(await storage.mails.setMonthlyStatement(pat.id, on)).toMatchObject({ monthlyStatement: true });
      expect(await readers()).toEqual([]);
      await confirm();
      const [reader] = await readers();
      if (!reader) throw new Error('nobody wants a statement');
      expect(reader).toEqual({ userId: pat.id, timeZone: 'Europe/Vienna', statedMonth: '2026-04' });
      const state = (month: string) => storage.mails.addStatement(reader, month, mailOf('statement'));
      expect(await state('2026-04')).toBe(false);
      expect((await Promise.all([state('2026-05'), state('2026-05')])).sort()).toEqual([false, true]);
      expect(await readers()).toMatchObject([{ statedMonth: '2026-05' }]);
      expect(await storage.mails.listStatementReaders(pat.id, 10)).toEqual([]);
      expect(await waiting()).toEqual(['statement pat@Example.com']);
      await storage.mails.setMonthlyStatement(pat.id, { ...on, isOn: false });
      expect(await state('2026-06')).toBe(false);
      await storage.mails.setMonthlyStatement(pat.id, on);
      await addTo(pat.email);
      for (const mail of await claim())
        await storage.mails.finish(mail, { outcome: 'refused', refusal: 'no', atMs: NOW });
      expect(await readers()).toEqual([]);
    });

    test('are still to be added while too many mails of their reader wait', async () => {
      const { storage, pat, confirm, claim } = await openScene();
      await confirm();
      const on = { isOn: true, timeZone: 'UTC', statedMonth: '2026-04' };
      await storage.mails.setMonthlyStatement(pat.id, on);
      const addReceipt = () => storage.mails.addToConfirmed(pat.id, mailOf('receipt'), 100);
      let outcome = await addReceipt();
      while (outcome === 'added') outcome = await addReceipt();
      expect(outcome).toBe('full');
      const [reader] = await storage.mails.listStatementReaders('', 1);
      if (!reader) throw new Error('nobody wants a statement');
      const state = () => storage.mails.addStatement(reader, '2026-05', mailOf('statement'));
      expect(await state()).toBe(false);
      expect(await storage.mails.listStatementReaders('', 1)).toEqual([reader]);
      for (const mail of await claim({ atMost: 1 })) await storage.mails.finish(mail, { outcome: 'sent' });
      expect(await state()).toBe(true);
      expect(await storage.mails.listStatementReaders('', 1)).toMatchObject([{ statedMonth: '2026-05' }]);
    });

    test('keep their time zone until another one is named', async () => {
      const { storage, pat } = await openScene();
      const set = async (isOn: boolean, timeZone: string | null) =>
        (await storage.mails.setMonthlyStatement(pat.id, { isOn, timeZone, statedMonth: '2026-04' }))
          .timeZone;
      expect(await set(true, null)).toBe('UTC');
      expect(await set(true, 'Europe/Vienna')).toBe('Europe/Vienna');
      for (const isOn of [false, true]) expect(await set(isOn, null)).toBe('Europe/Vienna');
    });

    test('stand behind the mails that somebody waits for, and keep nobody from asking for one', async () => {
      const { storage, pat, confirm, claim, addTo } = await openScene();
      await confirm();
      const on = { isOn: true, timeZone: 'UTC', statedMonth: '2026-04' };
      await storage.mails.setMonthlyStatement(pat.id, on);
      const [reader] = await storage.mails.listStatementReaders('', 1);
      if (!reader) throw new Error('nobody wants a statement');
      // The id is before all others.
      const id = newMailId((size) => new Uint8Array(size));
      await storage.mails.addStatement(reader, '2026-05', { ...mailOf('statement'), id });
      expect(await addTo('one@example.com', 'password_link', 1)).toBe('added');
      expect(await addTo('two@example.com', 'password_link', 1)).toBe('full');
      for (const kind of ['password_link', 'statement'])
        expect((await claim({ atMost: 1 })).map((mail) => mail.kind)).toEqual([kind]);
    });
  });
}
