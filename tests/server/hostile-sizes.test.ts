/**
 * Long texts and long lists are refused by how long they are, before anything works on them: normalising a
 * run of combining marks takes the square of its length, and each wrong item of a list is told of.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isOwnName } from '#shared/accounts.ts';
import { call, DOORS, type Door, refusedBy, restFields } from '#tests/support/both-doors.ts';
import { openStream, outcomeThrough } from '#tests/support/event-streams.ts';
import { createTestApp, PASSWORD } from '#tests/support/test-app.ts';

/**
 * Longer than any text that may be worked on; the longest is a password of 512 characters of two UTF-16
 * units.
 */
const BOUND = 1_024;
const LONG = 60_000;
/** What a header or an address may hold. */
const HEADER_LONG = 12_000;

/** Marks in the order that takes the longest to put right, behind a letter that starts a line of its own. */
const reversedMarks = (length: number) =>
  `a${'\u0301'.repeat(length / 4)}${'\u0316'.repeat(length / 4)}`.slice(0, length);

const LONG_TEXTS: readonly { readonly name: string; text(length: number): string }[] = [
  { name: 'combining marks in reverse order', text: reversedMarks },
  { name: 'letters', text: (length) => 'x'.repeat(length) },
  { name: 'emoji', text: (length) => '\u{1f600}'.repeat(length / 4) },
  { name: 'Hangul in pieces', text: (length) => '\u1112\u1161\u11ab'.repeat(length / 9) },
  { name: 'letters that lower-casing lengthens', text: (length) => '\u0130'.repeat(length / 3) },
  { name: 'dots and letters', text: (length) => 'a.'.repeat(length / 2) },
  { name: 'a text behind blanks within', text: (length) => `x${' '.repeat(length - 2)}x` },
];

const PERSON = {
  email: 'long@example.com',
  username: 'lengthy',
  fullName: 'Len Gthy',
  password: PASSWORD,
  phone: null,
  isServiceProvider: false,
};
const TIP = { amountCents: 1_000, receiverQrId: 'K7Q2M9XW4T', serviceCategory: 'bartender' };

interface Row {
  readonly procedure: string;
  readonly field: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly refusal: string;
  /** Whether the field travels through this door in a header or an address, which hold less than a body. */
  isShort(door: Door): boolean;
}

const body = () => false;
const query = () => true;

const ROWS: readonly Row[] = [
  ...Object.entries({
    email: 'Email is too long.',
    username: 'Username must have 3 to 30 characters.',
    fullName: 'Full name may have up to 60 characters.',
    password: 'Password must have 8 to 256 characters.',
    phone: 'Please enter a valid phone number.',
  }).map(([field, refusal]) => ({
    procedure: 'auth.register',
    field,
    input: PERSON,
    refusal,
    isShort: body,
  })),
  ...Object.entries({ email: 'Email is too long.', password: 'Password is too long.' }).map(
    ([field, refusal]) => ({
      procedure: 'auth.login',
      field,
      input: { email: 'long@example.com', password: PASSWORD },
      refusal,
      isShort: body,
    }),
  ),
  ...Object.entries({
    currentPassword: 'Current password is too long.',
    newPassword: 'Password must have 8 to 256 characters.',
  }).map(([field, refusal]) => ({
    procedure: 'auth.changePassword',
    field,
    input: { currentPassword: PASSWORD, newPassword: 'another long one' },
    refusal,
    isShort: body,
  })),
  {
    procedure: 'auth.endSession',
    field: 'id',
    input: {},
    refusal: 'This session has already ended.',
    isShort: body,
  },
  {
    procedure: 'qrCodes.create',
    field: 'serviceCategory',
    input: {},
    refusal: 'Please select a service category.',
    isShort: body,
  },
  { procedure: 'qrCodes.lookup', field: 'id', input: {}, refusal: 'QR code not found', isShort: query },
  {
    procedure: 'transactions.create',
    field: 'receiverQrId',
    input: TIP,
    refusal: 'QR code not found',
    isShort: body,
  },
  {
    procedure: 'transactions.create',
    field: 'serviceCategory',
    input: TIP,
    refusal: 'Please select a service category.',
    isShort: body,
  },
  {
    procedure: 'transactions.create',
    field: 'idempotencyKey',
    input: TIP,
    refusal: 'The idempotency key must be 1 to 255 visible ASCII characters.',
    isShort: (door) => door === 'REST',
  },
  {
    procedure: 'transactions.list',
    field: 'cursor',
    input: {},
    refusal: 'The cursor is not valid.',
    isShort: query,
  },
  ...['transactions.list', 'transactions.sums'].flatMap((procedure) =>
    [
      { field: 'direction', refusal: 'The direction must be received or sent.' },
      { field: 'from', refusal: 'A date must be written as 2026-05-31.' },
      { field: 'timeZone', refusal: 'The time zone is unknown.' },
    ].map((one) => ({ procedure, input: {}, isShort: query, ...one })),
  ),
  {
    procedure: 'transactions.refund',
    field: 'idempotencyKey',
    input: { id: 'txn_none' },
    refusal: 'The idempotency key must be 1 to 255 visible ASCII characters.',
    isShort: (door) => door === 'REST',
  },
  {
    procedure: 'transactions.summary',
    field: 'timeZone',
    input: {},
    refusal: 'The time zone is unknown.',
    isShort: query,
  },
];

describe.each(DOORS)('a text that is too long, through %s,', (door) => {
  // Ending a session by REST has its id in the address, which no client makes this long.
  const rows = ROWS.filter(({ procedure }) => door === 'tRPC' || procedure !== 'auth.endSession');

  test('is refused in each field of each procedure before anything works on it', async () => {
    const t = await createTestApp();
    const { provider } = await t.setTheScene();
    for (const row of rows) {
      for (const { name, text } of LONG_TEXTS) {
        const hostile = text(row.isShort(door) ? HEADER_LONG : LONG);
        const input = { ...row.input, [row.field]: hostile };
        worked.length = 0;
        const answer = await outcomeThrough(door, t, row.procedure, input, { token: provider.token });
        // A header cannot hold every text.
        if (!answer) continue;
        const context = `${row.procedure} ${row.field}: ${name}`;
        expect(answer.refused?.detail, context).toBe(row.refusal);
        expect(longestOf(hostile, row.isShort(door) ? 'header or address' : 'body'), context).toBe(0);
      }
    }
  });

  test('is an unknown event as a stream’s last one before anything works on it', async () => {
    const t = await createTestApp();
    const { token } = await t.registerCustomer();
    const hostile = 'x'.repeat(HEADER_LONG);
    worked.length = 0;
    const stream = await openStream(t.send, door, { token, lastEventId: hostile });
    expect(await stream.start()).toMatchObject({ reset: 'unknown_event' });
    await stream.close();
    expect(longestOf(hostile, 'header or address')).toBe(0);
  });

  test('is refused in several fields at once, and in every call of a batch', async () => {
    const t = await createTestApp();
    const hostile = reversedMarks(2_400);
    const input = { ...PERSON, fullName: hostile, password: hostile };
    worked.length = 0;
    if (door === 'REST') {
      expect(refusedBy(door, await call(door, t, 'auth.register', input)).code).toBe('invalid_input');
    } else {
      const response = await t.send(`/trpc/${Array(10).fill('auth.register').join()}?batch=1`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ ...Array(10).fill(input) }),
      });
      expect(response.status).toBe(422);
    }
    expect(longestOf(hostile, 'body')).toBe(0);
  });

  test('as a list of services is refused by its count, and no item of it is told of', async () => {
    const t = await createTestApp();
    for (const item of ['', 'x', {}, [], null, 'dj', 7]) {
      const input = { ...PERSON, isServiceProvider: true, serviceCategories: Array(10_000).fill(item) };
      const response = await t.send(door === 'REST' ? '/api/auth/register' : '/trpc/auth.register', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify(door === 'REST' ? restFields(input) : input),
      });
      expect(response.status).toBe(422);
      expect((await response.text()).match(/Please [^"]*/g)).toEqual(
        // The sentence of the refusal and that of its field.
        Array(2).fill('Please select each service category once.'),
      );
    }
  });
});

test('what is watched here is what would be worked on: a text within the bounds is normalised', async () => {
  const t = await createTestApp();
  const fullName = `Zoe\u0308 ${'e\u0301'.repeat(50)}`;
  worked.length = 0;
  expect((await call('tRPC', t, 'auth.register', { ...PERSON, fullName })).status).toBe(200);
  expect(worked).toContainEqual({ by: 'normalize', text: fullName });
});

test('a password that is too long is no name of its owner, and is not normalised to tell', () => {
  const hostile = reversedMarks(LONG);
  worked.length = 0;
  expect(isOwnName(hostile, PERSON)).toBe(false);
  expect(worked).toEqual([]);
});

/** Reading and writing addresses and headers is the framework's, and linear. */
const OF_EVERYTHING = ['normalize', 'toLowerCase', 'toUpperCase', Symbol.iterator] as const;
const OF_BODIES = ['split', 'replace', 'replaceAll', 'match', 'test'] as const;
/** By which zod counts characters: it looks at each once. */
const COUNTS_CHARACTERS = '[\\uD800-\\uDBFF]';

/** What texts were normalised, lower-cased, taken apart or searched, by anything at all. */
const worked: { readonly by: PropertyKey; readonly text: string }[] = [];

/**
 * How long the longest piece of a hostile text was that anything worked on; 0 when only such as any valid
 * text is.
 */
function longestOf(hostile: string, where: 'body' | 'header or address'): number {
  const watched = new Set<PropertyKey>(where === 'body' ? [...OF_EVERYTHING, ...OF_BODIES] : OF_EVERYTHING);
  const pieces = worked.filter(
    ({ by, text }) => watched.has(by) && text.length > BOUND && hostile.includes(text.slice(0, BOUND)),
  );
  return Math.max(0, ...pieces.map(({ text }) => text.length));
}

const undo: (() => void)[] = [];

/** Notes the text whenever the method is called, and lets it do what it does. */
function watch(
  prototype: object,
  name: PropertyKey,
  textOf: (self: unknown, first: unknown) => string | null,
) {
  const original = Object.getOwnPropertyDescriptor(prototype, name);
  const method: unknown = original?.value;
  if (!original || typeof method !== 'function') throw new Error(`there is no ${String(name)}`);
  undo.push(() => Object.defineProperty(prototype, name, original));
  Object.defineProperty(prototype, name, {
    ...original,
    value(this: unknown, ...given: unknown[]) {
      const text = textOf(this, given[0]);
      if (text !== null) worked.push({ by: name, text });
      return Reflect.apply(method, this, given);
    },
  });
}

beforeEach(() => {
  for (const name of [...OF_EVERYTHING, ...OF_BODIES])
    if (name !== 'test') watch(String.prototype, name, String);
  watch(RegExp.prototype, 'test', (expression, text) =>
    expression instanceof RegExp && expression.source === COUNTS_CHARACTERS ? null : String(text),
  );
});

afterEach(() => {
  for (const restore of undo.splice(0)) restore();
});
