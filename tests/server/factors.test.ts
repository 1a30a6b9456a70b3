/** Second factors: what counts, what counts once, and for whom. */
import { randomBytes } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createFactors } from '#server/factors/factors.ts';
import type { Holder } from '#server/storage/port/factors.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { createAuthenticator } from '#tests/support/authenticator.ts';
import { createPeople, START_MS } from '#tests/support/people.ts';
import { createTestData } from '#tests/support/test-data.ts';
import { codeOfStep, STEP_MS, totpAt } from '#tests/support/totp.ts';

const URL = 'https://tips.example.com';
const NAMES = { name: 'pat@example.com', displayName: 'Pat Doe' };
const MINUTE_MS = 60_000;

/** The service in two processes over one database, and somebody with an account. */
async function openScene() {
  const data = await createTestData({ isLasting: true });
  const storage = await data.openStorage();
  const clock = { nowMs: START_MS };
  const key = randomBytes(32);
  const factorsOf = (over: Storage, publicUrl = URL, sealedBy = key) =>
    createFactors({
      storage: over,
      clock: () => clock.nowMs,
      random: randomBytes,
      publicUrl,
      key: sealedBy,
    });
  const { addAccount } = createPeople(storage);
  const account = await addAccount('pat');
  const holder: Holder = { kind: 'account', id: account.id };
  return { data, storage, clock, factorsOf, factors: factorsOf(storage), account, holder, addAccount };
}

type Scene = Awaited<ReturnType<typeof openScene>>;

async function enrol({ factors, holder }: Scene, authenticator = createAuthenticator(URL)) {
  const options = await factors.beginPasskey(holder, NAMES);
  const codes = await factors.addPasskey(holder, authenticator.create(options), 'Phone');
  return { authenticator, codes };
}

const operator: Holder = { kind: 'operator', id: 'opr_1' };
const REFUSED = /passkey didn’t work/;

describe('a passkey', () => {
  test('asks for a discoverable credential of a verified user, and logs its holder in without a name', async () => {
    const scene = await openScene();
    const { factors, holder, clock } = scene;
    const options: object = JSON.parse(await factors.beginPasskey(holder, NAMES));
    expect(options).toMatchObject({
      rp: { id: 'tips.example.com', name: 'Tipwell' },
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      attestation: 'none',
      excludeCredentials: [],
    });
    const { authenticator } = await enrol(scene);
    clock.nowMs += 5 * MINUTE_MS;
    const login = await factors.beginPasskeyLogin('account');
    expect(JSON.parse(login)).toMatchObject({ userVerification: 'required', allowCredentials: [] });
    expect(await factors.finishPasskeyLogin('account', authenticator.get(login))).toMatchObject({
      holderId: holder.id,
    });
    const { passkeys } = await factors.list(holder);
    expect(passkeys).toMatchObject([
      { name: 'Phone', createdAtMs: START_MS, lastUsedAtMs: clock.nowMs, worksHere: true },
    ]);
    const again: object = JSON.parse(await factors.beginPasskey(holder, NAMES));
    expect(again).toMatchObject({ excludeCredentials: [{ id: authenticator.credentialId }] });
  });

  test.each([
    ['another origin', { origin: 'https://tips.example.org' }],
    ['another host', { rpId: 'example.org' }],
    ['a challenge that was made up', { challenge: randomBytes(32).toString('base64url') }],
    ['a user who was not verified', { isVerified: false }],
    ['a certificate, which nobody asked for', { certificate: randomBytes(300) }],
  ])('is not added for %s', async (_, deviations) => {
    const { factors, holder } = await openScene();
    const options = await factors.beginPasskey(holder, NAMES);
    const answer = createAuthenticator(URL).create(options, deviations);
    await expect(factors.addPasskey(holder, answer, 'Phone')).rejects.toThrow(REFUSED);
    expect(await factors.list(holder)).toEqual({ passkeys: [], hasTotp: false, recoveryCodesLeft: 0 });
  });

  test.each([
    ['another origin', { origin: 'https://tips.example.org' }],
    ['another host', { rpId: 'example.org' }],
    ['a challenge that was made up', { challenge: randomBytes(32).toString('base64url') }],
    ['a user who was not verified', { isVerified: false }],
    ['the handle of somebody else', { userHandle: randomBytes(32).toString('base64url') }],
    ['a count that did not grow, as of a copy', { counter: 1 }],
  ])('logs nobody in for %s', async (_, deviations) => {
    const scene = await openScene();
    const { factors } = scene;
    const { authenticator } = await enrol(scene);
    const options = await factors.beginPasskeyLogin('account');
    const answer = authenticator.get(options, deviations);
    await expect(factors.finishPasskeyLogin('account', answer)).rejects.toThrow(REFUSED);
  });

  test('may keep no count', async () => {
    const scene = await openScene();
    const { factors, holder } = scene;
    const authenticator = createAuthenticator(URL);
    const created = authenticator.create(await factors.beginPasskey(holder, NAMES), { counter: 0 });
    await factors.addPasskey(holder, created, 'Phone');
    for (let login = 0; login < 2; login += 1) {
      const options = await factors.beginPasskeyLogin('account');
      const answer = authenticator.get(options, { counter: 0 });
      expect(await factors.finishPasskeyLogin('account', answer)).toMatchObject({ holderId: holder.id });
    }
  });

  test('signs each challenge once, within five minutes, for what it was made and for nothing else', async () => {
    const scene = await openScene();
    const { factors, holder, clock } = scene;
    const { authenticator } = await enrol(scene);
    const login = async (options: string) =>
      factors.finishPasskeyLogin('account', authenticator.get(options));

    const once = await factors.beginPasskeyLogin('account');
    await login(once);
    await expect(login(once)).rejects.toThrow(REFUSED);

    const late = await factors.beginPasskeyLogin('account');
    clock.nowMs += 5 * MINUTE_MS;
    await expect(login(late)).rejects.toThrow(REFUSED);

    await expect(login(await factors.beginPasskeyConfirmation(holder))).rejects.toThrow(REFUSED);
    await expect(login(await factors.beginPasskeyLogin('operator'))).rejects.toThrow(REFUSED);
    const confirm = authenticator.get(await factors.beginPasskeyLogin('account'));
    await expect(factors.finishPasskeyConfirmation(holder, confirm)).rejects.toThrow(REFUSED);
    const own = authenticator.get(await factors.beginPasskeyConfirmation(holder));
    await factors.finishPasskeyConfirmation(holder, own);
  });

  test('answers a challenge in one of two processes, and not in both', async () => {
    const scene = await openScene();
    const { factors, factorsOf, data, holder } = scene;
    const other = factorsOf(await data.openStorage());
    const { authenticator } = await enrol(scene);
    const answer = authenticator.get(await other.beginPasskeyLogin('account'));
    const outcomes = await Promise.allSettled(
      [factors, other, factors, other].map((each) => each.finishPasskeyLogin('account', answer)),
    );
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toEqual([
      { status: 'fulfilled', value: expect.objectContaining({ holderId: holder.id }) },
    ]);
  });

  test('confirms its holder alone, and is no operator’s', async () => {
    const scene = await openScene();
    const { factors, addAccount } = scene;
    const { authenticator } = await enrol(scene);
    const sam: Holder = { kind: 'account', id: (await addAccount('sam')).id };
    const asSam = authenticator.get(await factors.beginPasskeyConfirmation(sam));
    await expect(factors.finishPasskeyConfirmation(sam, asSam)).rejects.toThrow(REFUSED);
    const asOperator = authenticator.get(await factors.beginPasskeyLogin('operator'));
    await expect(factors.finishPasskeyLogin('operator', asOperator)).rejects.toThrow(REFUSED);
    const taken = authenticator.create(await factors.beginPasskey(sam, NAMES));
    await expect(factors.addPasskey(sam, taken, 'Pat’s phone')).rejects.toThrow(REFUSED);
  });

  test('that was removed logs nobody in, and nobody else removes it', async () => {
    const scene = await openScene();
    const { factors, holder } = scene;
    const { authenticator } = await enrol(scene);
    const [passkey] = (await factors.list(holder)).passkeys;
    if (!passkey) throw new Error('there is no passkey');
    const gone = /already been removed/;
    await expect(factors.removePasskey(operator, passkey.id)).rejects.toThrow(gone);
    await factors.removePasskey(holder, passkey.id);
    await expect(factors.removePasskey(holder, passkey.id)).rejects.toThrow(gone);
    const answer = authenticator.get(await factors.beginPasskeyLogin('account'));
    await expect(factors.finishPasskeyLogin('account', answer)).rejects.toThrow(REFUSED);
  });

  test('of another host is listed as one that works no more, and counted', async () => {
    const scene = await openScene();
    const { storage, factorsOf, holder } = scene;
    const { authenticator } = await enrol(scene);
    const moved = factorsOf(storage, 'https://moved.example.com');
    expect((await moved.list(holder)).passkeys).toMatchObject([{ worksHere: false }]);
    expect(await storage.factors.countPasskeysElsewhere('moved.example.com')).toBe(1);
    expect(await storage.factors.countPasskeysElsewhere('tips.example.com')).toBe(0);
    const answer = authenticator.get(await moved.beginPasskeyLogin('account'));
    await expect(moved.finishPasskeyLogin('account', answer)).rejects.toThrow(REFUSED);
  });

  test.each([
    '',
    'null',
    '{}',
    '[]',
    '{"id":"a","rawId":"a","type":"public-key","response":{}}',
  ])('is no %s', async (text) => {
    const { factors, holder } = await openScene();
    await expect(factors.finishPasskeyLogin('account', text)).rejects.toThrow(REFUSED);
    await expect(factors.addPasskey(holder, text, 'Phone')).rejects.toThrow(REFUSED);
  });
});

describe('an authenticator app', () => {
  /** RFC 6238, appendix B: the vectors for SHA-1, whose secret is these 20 bytes. */
  test.each([
    [59, '94287082'],
    [1_111_111_109, '07081804'],
    [1_111_111_111, '14050471'],
    [1_234_567_890, '89005924'],
    [2_000_000_000, '69279037'],
    [20_000_000_000, '65353130'],
  ])('of the tests says at %i seconds what the RFC says', (seconds, code) => {
    const secret = Buffer.from('12345678901234567890');
    expect(codeOfStep(secret, Math.floor(seconds / 30), 8)).toBe(code);
  });

  test('counts after it was confirmed with a code, and each step once, within one step of the clock', async () => {
    const { factors, holder, clock } = await openScene();
    const { secret, uri } = await factors.beginTotp(holder, 'pat@example.com');
    expect(uri).toBe(
      `otpauth://totp/Tipwell:pat%40example.com?issuer=Tipwell&secret=${secret}&algorithm=SHA1&digits=6&period=30`,
    );
    const code = (steps: number) => totpAt(secret, clock.nowMs + steps * STEP_MS);
    expect(await factors.checkCode(holder, code(0))).toBe(false);
    expect(await factors.hasAny(holder)).toBe(false);
    await expect(factors.confirmTotp(holder, code(2))).rejects.toThrow('not right');
    await expect(factors.confirmTotp(operator, code(0))).rejects.toThrow('not right');
    expect(await factors.confirmTotp(holder, code(0))).toHaveLength(10);
    expect(await factors.hasAny(holder)).toBe(true);
    // The code that confirmed it was used up by that, and so was every earlier one.
    for (const steps of [0, -1]) expect(await factors.checkCode(holder, code(steps))).toBe(false);
    expect(await factors.checkCode(holder, code(2))).toBe(false);
    expect(await factors.checkCode(holder, ` ${code(1).slice(0, 3)} ${code(1).slice(3)}`)).toBe(true);
    expect(await factors.checkCode(holder, code(1))).toBe(false);
    clock.nowMs += 3 * STEP_MS;
    expect(await factors.checkCode(holder, code(-2))).toBe(false);
    expect(await factors.checkCode(operator, code(-1))).toBe(false);
    expect(await factors.checkCode(holder, code(-1))).toBe(true);
  });

  test('has each code counted once, however many processes are asked at the same time', async () => {
    const { factors, factorsOf, data, holder, clock } = await openScene();
    const other = factorsOf(await data.openStorage());
    const { secret } = await factors.beginTotp(holder, 'pat');
    await factors.confirmTotp(holder, totpAt(secret, clock.nowMs));
    clock.nowMs += STEP_MS;
    const code = totpAt(secret, clock.nowMs);
    const checks = [factors, other, factors, other].map((each) => each.checkCode(holder, code));
    expect((await Promise.all(checks)).filter((isRight) => isRight)).toHaveLength(1);
  });

  test('goes on to count while a new one waits to be confirmed, and then no more', async () => {
    const { factors, holder, clock } = await openScene();
    const old = await factors.beginTotp(holder, 'pat');
    await factors.confirmTotp(holder, totpAt(old.secret, clock.nowMs));
    const next = await factors.beginTotp(holder, 'pat');
    clock.nowMs += STEP_MS;
    expect(await factors.checkCode(holder, totpAt(next.secret, clock.nowMs))).toBe(false);
    expect(await factors.checkCode(holder, totpAt(old.secret, clock.nowMs))).toBe(true);
    clock.nowMs += STEP_MS;
    expect(await factors.confirmTotp(holder, totpAt(next.secret, clock.nowMs))).toBeNull();
    clock.nowMs += STEP_MS;
    expect(await factors.checkCode(holder, totpAt(old.secret, clock.nowMs))).toBe(false);
    expect(await factors.checkCode(holder, totpAt(next.secret, clock.nowMs))).toBe(true);
  });

  test('has a secret that the database does not show, and that works for nobody else', async () => {
    const { factors, holder, clock, data, addAccount, storage } = await openScene();
    const { secret } = await factors.beginTotp(holder, 'pat');
    await factors.confirmTotp(holder, totpAt(secret, clock.nowMs));
    const stored = await storage.factors.findTotp(holder);
    expect(JSON.stringify(await data.dump())).not.toContain(secret);
    expect(stored?.secret).toHaveLength(48);
    const sam: Holder = { kind: 'account', id: (await addAccount('sam')).id };
    await storage.factors.beginTotp(sam, stored?.secret ?? Buffer.alloc(0), clock.nowMs);
    await expect(factors.confirmTotp(sam, totpAt(secret, clock.nowMs))).rejects.toThrow();
  });
});

describe('recovery codes', () => {
  test('come with the first factor, count once each, however they are typed, and go with the last', async () => {
    const scene = await openScene();
    const { factors, holder, clock } = scene;
    const { codes } = await enrol(scene);
    const [first = '', second = '', third = ''] = codes ?? [];
    expect(new Set(codes).size).toBe(10);
    expect(first).toMatch(/^(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/);
    expect(await factors.checkCode(operator, first)).toBe(false);
    expect(await factors.checkCode(holder, first)).toBe(true);
    expect(await factors.checkCode(holder, first)).toBe(false);
    const typed = second.toLowerCase().replaceAll('-', ' ').replaceAll('0', 'o').replaceAll('1', 'l');
    expect(await factors.checkCode(holder, typed)).toBe(true);
    expect((await factors.list(holder)).recoveryCodesLeft).toBe(8);
    const { secret } = await factors.beginTotp(holder, 'pat');
    expect(await factors.confirmTotp(holder, totpAt(secret, clock.nowMs))).toBeNull();
    const [passkey] = (await factors.list(holder)).passkeys;
    if (passkey) await factors.removePasskey(holder, passkey.id);
    expect((await factors.list(holder)).recoveryCodesLeft).toBe(8);
    await factors.removeTotp(holder);
    await expect(factors.removeTotp(holder)).rejects.toThrow('already been removed');
    expect((await factors.list(holder)).recoveryCodesLeft).toBe(0);
    expect(await factors.checkCode(holder, third)).toBe(false);
  });

  test('are spent once, however many processes are asked at the same time', async () => {
    const scene = await openScene();
    const { factors, factorsOf, data, holder } = scene;
    const other = factorsOf(await data.openStorage());
    const [code = ''] = (await enrol(scene)).codes ?? [];
    const checks = [factors, other, factors, other].map((each) => each.checkCode(holder, code));
    expect((await Promise.all(checks)).filter((isRight) => isRight)).toHaveLength(1);
  });

  test('count also where the key that seals the secrets of apps was lost', async () => {
    const { factors, factorsOf, storage, clock, holder } = await openScene();
    const { secret } = await factors.beginTotp(holder, 'pat');
    const codes = await factors.confirmTotp(holder, totpAt(secret, clock.nowMs));
    const waiting = await factors.beginTotp(holder, 'pat');
    clock.nowMs += STEP_MS;
    const renewed = factorsOf(storage, URL, randomBytes(32));
    expect(await renewed.checkCode(holder, totpAt(secret, clock.nowMs))).toBe(false);
    await expect(renewed.confirmTotp(holder, totpAt(waiting.secret, clock.nowMs))).rejects.toThrow(
      'not right',
    );
    expect(await renewed.checkCode(holder, codes?.[0] ?? '')).toBe(true);
    const next = await renewed.beginTotp(holder, 'pat');
    await renewed.confirmTotp(holder, totpAt(next.secret, clock.nowMs));
    clock.nowMs += STEP_MS;
    expect(await renewed.checkCode(holder, totpAt(next.secret, clock.nowMs))).toBe(true);
  });

  test('are renewed as a whole, for whoever has a factor', async () => {
    const scene = await openScene();
    const { factors, holder } = scene;
    await expect(factors.renewRecoveryCodes(holder)).rejects.toThrow('already been removed');
    const [old = ''] = (await enrol(scene)).codes ?? [];
    const renewed = await factors.renewRecoveryCodes(holder);
    expect(renewed).toHaveLength(10);
    expect(await factors.checkCode(holder, old)).toBe(false);
    expect(await factors.checkCode(holder, renewed[9] ?? '')).toBe(true);
  });
});
