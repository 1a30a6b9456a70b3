/** Terms, invitations, the announcement and settings in the console: as the commands of the same acts do it. */
import { expect, test } from 'vitest';
import { accentOf } from '#server/brand/accent.ts';
import { NO_BRAND } from '#server/brand/own-brand.ts';
import { createOperator } from '#tests/support/operators.ts';
import { createTestApp } from '#tests/support/test-app.ts';

const REASON = 'Agreed with the owner';
const MINUTE_MS = 60_000;
/** Longer ago than the second factor counts. */
const LONG_AGO_MS = 3_600_000;

async function openConsole(options: Parameters<typeof createTestApp>[0] = {}) {
  const t = await createTestApp(options);
  const { console } = await createOperator(t);
  return { t, console, installation: console.installation };
}

const refused = (field: string, message: string | RegExp) => ({
  data: {
    errorCode: 'invalid_input',
    fieldErrors: [{ field, message: message instanceof RegExp ? expect.stringMatching(message) : message }],
  },
});

test('a preview says what three tips come to, and sets nothing', async () => {
  const { t, installation } = await openConsole();
  const asked = { giverFee: '2.5', receiverFee: '0', min: '1', quick: '1, 2,3.50', basedOn: 0 };
  expect(await installation.previewTerms.query(asked)).toEqual({
    next: {
      version: 1,
      currency: 'USD',
      exponent: 2,
      giverFeeRate: 250,
      receiverFeeRate: 0,
      minTipCents: 100,
      maxTipCents: 1_000_000,
      quickAmountsCents: [100, 200, 350],
    },
    from: new Date(t.clock.nowMs).toISOString(),
    examples: [
      {
        amountCents: 100,
        before: { paidCents: 105, keptCents: 97 },
        after: { paidCents: 103, keptCents: 100 },
      },
      {
        amountCents: 200,
        before: { paidCents: 210, keptCents: 194 },
        after: { paidCents: 205, keptCents: 200 },
      },
      {
        amountCents: 1_000_000,
        before: { paidCents: 1_050_000, keptCents: 970_000 },
        after: { paidCents: 1_025_000, keptCents: 1_000_000 },
      },
    ],
    replaced: [],
  });
  const inYen = { currency: 'jpy', min: '100', max: '100', quick: '100', basedOn: 0 };
  expect((await installation.previewTerms.query(inYen)).examples).toEqual([
    { amountCents: 100, before: null, after: { paidCents: 105, keptCents: 97 } },
  ]);
  expect(await t.storage.listTerms()).toEqual([]);
});

test('terms are set as previewed, and the list says which hold, which come and which never will', async () => {
  const { t, installation } = await openConsole();
  const at = (minutes: number) => new Date(t.clock.nowMs + minutes * MINUTE_MS).toISOString();
  const versions = async () =>
    (await installation.terms.query()).map(({ version, state, from }) => [version, state, from]);
  expect(await versions()).toEqual([[0, 'now', null]]);
  const [two, three, one] = [at(2), at(3), at(1)];
  await installation.setTerms.mutate({ giverFee: '2', basedOn: 0, reason: REASON });
  const now = new Date(t.clock.nowMs).toISOString();
  await installation.setTerms.mutate({ giverFee: '3', from: two, basedOn: 1, reason: REASON });
  await installation.setTerms.mutate({ giverFee: '4', from: one, basedOn: 2, reason: REASON });
  await installation.setTerms.mutate({ giverFee: '5', from: three, basedOn: 3, reason: REASON });
  expect(await versions()).toEqual([
    [4, 'to_come', three],
    [3, 'to_come', one],
    [2, 'replaced', two],
    [1, 'now', now],
    [0, 'past', null],
  ]);
  t.clock.nowMs += 10 * MINUTE_MS;
  expect((await versions()).map(([, state]) => state)).toEqual(['now', 'past', 'replaced', 'past', 'past']);
  const rows = await t.storage.audit.list({ after: 0, sinceMs: 0, atMost: 10 });
  expect(rows.filter(({ action }) => action === 'terms_set')).toHaveLength(4);
});

test('a preview compares with the terms that hold when the next ones begin, and names those that never will', async () => {
  const { t, installation } = await openConsole();
  const at = (minutes: number) => new Date(t.clock.nowMs + minutes * MINUTE_MS).toISOString();
  const [one, two] = [at(1), at(2)];
  await installation.setTerms.mutate({ giverFee: '8', from: one, basedOn: 0, reason: REASON });
  const preview = (from?: string) =>
    installation.previewTerms.query({ receiverFee: '2', quick: '10', from, basedOn: 1 });
  const usual = ({ examples: [first] }: Awaited<ReturnType<typeof preview>>) => first;
  const soon = await preview();
  expect(soon.next).toMatchObject({ version: 2, giverFeeRate: 500 });
  expect(usual(soon)).toMatchObject({
    before: { paidCents: 1_050, keptCents: 970 },
    after: { paidCents: 1_050, keptCents: 980 },
  });
  expect(soon.replaced).toEqual([{ version: 1, from: one }]);
  expect((await preview(one)).replaced).toEqual([{ version: 1, from: one }]);
  const later = await preview(two);
  expect(usual(later)).toMatchObject({ before: { paidCents: 1_080 }, after: { paidCents: 1_080 } });
  expect(later.replaced).toEqual([]);
});

test('a form that was filled with terms which others follow is refused: it would bring the former ones back', async () => {
  const { t, installation } = await openConsole();
  const from = new Date(t.clock.nowMs + 5 * MINUTE_MS).toISOString();
  await installation.setTerms.mutate({ giverFee: '8', from, basedOn: 0, reason: REASON });
  const asked = { giverFee: '5', receiverFee: '2', basedOn: 1 };
  const set = (filledWith: number) => installation.setTerms.mutate({ ...asked, filledWith, reason: REASON });
  const soon = async () => (await installation.terms.query()).filter(({ holdsSoon }) => holdsSoon);
  expect(await soon()).toMatchObject([{ version: 0, state: 'now' }]);
  expect(await installation.previewTerms.query({ ...asked, filledWith: 0 })).toMatchObject({
    next: { giverFeeRate: 500 },
  });
  // The next ones cannot begin before these any more.
  t.clock.nowMs += 4 * MINUTE_MS;
  await expect(set(0)).rejects.toMatchObject(
    refused('filledWith', /^Other terms have begun since these were loaded, or begin within a minute/),
  );
  expect(await soon()).toMatchObject([{ version: 1, state: 'to_come' }]);
  await set(1);
  expect(await t.storage.listTerms()).toMatchObject([{ version: 1 }, { version: 2, receiverFeeRate: 200 }]);
});

test('terms that cannot be are refused under their field, also by whoever has not seen the newest ones', async () => {
  const { t, installation } = await openConsole();
  for (const [asked, field, message] of [
    [{ giverFee: '100.01' }, 'giverFee', /^Name a percentage from 0 to 100/],
    [{ min: '1.005' }, 'min', 'Name amounts of USD such as 12.00. This is "1.005".'],
    [{ quick: '20,10' }, 'quick', /^The quick amounts must be 1 to 10/],
    [{ currency: 'EURO' }, 'currency', '"EURO" is no code of a currency, such as EUR.'],
    [{ giverFee: '1', from: '2001-01-01T00:00:00Z' }, 'from', /^Terms cannot hold in the past/],
    [{}, 'basedOn', 'Change at least one value.'],
  ] as const) {
    const input = { ...asked, basedOn: 0 };
    await expect(installation.previewTerms.query(input)).rejects.toMatchObject(refused(field, message));
    await expect(installation.setTerms.mutate({ ...input, reason: REASON })).rejects.toMatchObject(
      refused(field, message),
    );
  }
  await installation.setTerms.mutate({ giverFee: '1', basedOn: 0, reason: REASON });
  await expect(
    installation.setTerms.mutate({ giverFee: '2', basedOn: 0, reason: REASON }),
  ).rejects.toMatchObject(refused('basedOn', 'Somebody else has set terms meanwhile. Look, and try again.'));
  expect(await t.storage.listTerms()).toMatchObject([{ version: 1, giverFeeRate: 100 }]);
});

test('a link invites once, is listed without its token, and ends when it is revoked', async () => {
  const { t, installation } = await openConsole({ config: { registration: 'invite' } });
  const made = await installation.invite.mutate({ email: null, maxUses: 3, days: 2, reason: REASON });
  const { link, ...shown } = made;
  expect(link).toMatch(/^https:\/\/tips\.example\.com\/auth\?tab=sign-up&invited#invite=[\w-]{43}$/);
  expect(shown).toEqual({
    id: expect.stringMatching(/^inv_/),
    email: null,
    maxUses: 3,
    usesLeft: 3,
    expiresAt: new Date(t.clock.nowMs + 2 * 86_400_000).toISOString(),
  });
  expect(await installation.invitations.query()).toEqual([shown]);
  const token = new URL(link).hash.replace('#invite=', '');
  const person = {
    email: 'sam@example.com',
    username: 'sam',
    fullName: 'Sam',
    password: 'correct horse battery',
    isServiceProvider: false,
    serviceCategories: [],
    invitation: token,
  };
  await t.trpc().auth.register.mutate(person);
  expect(await installation.invitations.query()).toMatchObject([{ usesLeft: 2 }]);
  const { id } = shown;
  expect(await installation.revokeInvitation.mutate({ id, reason: REASON })).toBe(true);
  expect(await installation.revokeInvitation.mutate({ id, reason: REASON })).toBe(false);
  expect(await installation.invitations.query()).toEqual([]);
  await expect(
    t.trpc().auth.register.mutate({ ...person, email: 'kim@example.com', username: 'kim' }),
  ).rejects.toMatchObject({ data: { errorCode: 'invitation_invalid' } });
  await expect(
    installation.invite.mutate({ email: 'Kim@example.com', maxUses: 2, days: 2, reason: REASON }),
  ).rejects.toMatchObject(refused('maxUses', 'An invitation for one email makes one account.'));
});

test('what is announced reaches everybody who is logged in, until it is ended', async () => {
  const { t, installation } = await openConsole();
  const customer = await t.registerCustomer();
  const told = async () => (await customer.trpc.auth.announcements.query()).announcement;
  const until = new Date(t.clock.nowMs + MINUTE_MS).toISOString();
  expect(await installation.announcement.query()).toBeNull();
  await installation.announce.mutate({ text: ' The bar\nopens at 8. ', until, reason: REASON });
  const from = new Date(t.clock.nowMs).toISOString();
  const shown = { text: 'The bar opens at 8.', from, until };
  expect(await installation.announcement.query()).toEqual({ ...shown, state: 'now' });
  expect(await told()).toEqual(shown);
  t.clock.nowMs += MINUTE_MS;
  expect(await installation.announcement.query()).toEqual({ ...shown, state: 'past' });
  await expect(installation.announce.mutate({ text: 'Hi', until, reason: REASON })).rejects.toMatchObject(
    refused('until', 'The end has to be after the beginning, and ahead.'),
  );
  await expect(installation.announce.mutate({ text: ' ', reason: REASON })).rejects.toMatchObject(
    refused('text', /needs a text/),
  );
  const later = new Date(t.clock.nowMs + MINUTE_MS).toISOString();
  await installation.announce.mutate({ text: 'Soon', from: later, reason: REASON });
  expect(await installation.announcement.query()).toMatchObject({ text: 'Soon', state: 'to_come' });
  expect(await told()).toBeNull();
  // Somebody else announces something in its place.
  const seen = { text: 'Soon', from: later };
  await installation.announce.mutate({ text: 'Sooner', from: later, reason: REASON });
  expect(await installation.endAnnouncement.mutate({ seen, reason: REASON })).toBe(false);
  const other = { ...seen, text: 'Sooner' };
  const meanwhile = refused('text', 'Somebody else has announced something meanwhile. Look, and try again.');
  for (const before of [seen, null])
    await expect(
      installation.announce.mutate({ text: 'Never', seen: before, reason: REASON }),
    ).rejects.toMatchObject(meanwhile);
  const atOnce = ['One', 'Other'].map((text) =>
    installation.announce.mutate({ text, from: later, seen: other, reason: REASON }),
  );
  const announced = (await Promise.allSettled(atOnce)).map(({ status }) => status);
  expect(announced.toSorted()).toEqual(['fulfilled', 'rejected']);
  await installation.announce.mutate({ ...other, reason: REASON });
  expect(await installation.endAnnouncement.mutate({ seen: other, reason: REASON })).toBe(true);
  expect(await installation.endAnnouncement.mutate({ reason: REASON })).toBe(false);
});

test('what changes fees or ends something asks for the second factor again', async () => {
  const t = await createTestApp();
  const confirmedAtMs = t.clock.nowMs - LONG_AGO_MS;
  const { console } = await createOperator(t, { confirmedAtMs });
  const { installation } = console;
  const reason = REASON;
  const { id } = await installation.invite.mutate({ email: null, maxUses: 1, days: 1, reason });
  await installation.announce.mutate({ text: 'Hi', reason });
  for (const act of [
    () => installation.setTerms.mutate({ giverFee: '1', basedOn: 0, reason }),
    () => installation.revokeInvitation.mutate({ id, reason }),
    () => installation.endAnnouncement.mutate({ reason }),
  ])
    await expect(act()).rejects.toMatchObject({ data: { errorCode: 'factor_needed' } });
  expect(await t.storage.listTerms()).toEqual([]);
  expect(await installation.invitations.query()).toHaveLength(1);
  expect(await installation.announcement.query()).not.toBeNull();
});

test('settings are shown as they were read at the start', async () => {
  const { installation } = await openConsole();
  const brand = { name: 'Tipwell', colour: null, logo: null, folder: null, pages: [], mended: [] };
  expect(await installation.settings.query()).toMatchObject({
    isPaidByStripe: false,
    registration: 'open',
    maintenance: null,
    brand,
  });
  const terms = { name: 'terms', path: '/terms', label: 'House Rules', html: '<h1>', version: 'a' } as const;
  const other = await openConsole({
    config: {
      registration: 'closed',
      brandColour: '#1d6f5c',
      brandFolder: '/srv/brand',
      maintenance: { untilMs: 0 },
    },
    own: { ...NO_BRAND, accent: accentOf('#1d6f5c'), pages: [terms] },
  });
  expect(await other.installation.settings.query()).toMatchObject({
    registration: 'closed',
    maintenance: { until: '1970-01-01T00:00:00.000Z' },
    brand: {
      colour: '#1d6f5c',
      mended: accentOf('#1d6f5c').mended,
      folder: '/srv/brand',
      pages: [{ path: '/terms', label: 'House Rules' }],
    },
  });
});
