/**
 * The one rule by which REST respells what the procedures speak: names from camelCase to snake_case and back,
 * cents to dollars and minor units and back, for values, for the names of wrong fields and for schemas alike. Nothing unknown
 * gets through.
 */
import fc from 'fast-check';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { fromWire, toWire, wireName, wireSchema, wireText, wireTextOnce } from '#server/api/wire.ts';
import { login, registration, user } from '#shared/accounts.ts';
import { AppError } from '#shared/errors.ts';
import { putInForce, SPECIFIED_TERMS } from '#shared/money.ts';
import { qrCodeLookup } from '#shared/qr-codes.ts';
import { newTip, transaction } from '#shared/tips.ts';

const NO_AMOUNT_OF_MONEY = [
  '12',
  '',
  true,
  false,
  [],
  {},
  [12],
  -1,
  -0.01,
  -12.345,
  1e21,
  1.2345e21,
  Number.NaN,
  Number.POSITIVE_INFINITY,
];

/** Names of fields as the procedures have them. */
const camelCase = fc
  .stringMatching(/^[a-z]{1,8}([A-Z][a-z]{1,8}){0,3}$/)
  .filter((name) => name !== 'constructor');
const centsField = camelCase.map((name) => `${name}Cents`);
const tidyCents = fc.integer({ min: 0, max: 99_999_999_999 });

describe('names', () => {
  test.each([
    ['id', 'id'],
    ['fullName', 'full_name'],
    ['isServiceProvider', 'is_service_provider'],
    ['receiverQrId', 'receiver_qr_id'],
    ['imageBase64', 'image_base64'],
    ['amountCents', 'amount'],
    ['totalTipsReceivedCents', 'total_tips_received'],
    ['serviceCategories.0', 'service_categories.0'],
    ['centsible', 'centsible'],
  ])('%s is %s', (field, name) => {
    expect(wireName(field)).toBe(name);
  });

  test('of two fields of one schema never fall together', () => {
    for (const schema of [user, login, transaction, newTip, qrCodeLookup]) {
      const fields = Object.keys(schema.shape);
      expect(new Set(fields.map(wireName)).size).toBe(fields.length);
    }
  });
});

describe('answers', () => {
  test('are respelled all the way down, and an amount says its currency and minor units', () => {
    expect(
      toWire({
        fullName: 'Pat',
        innerThing: { amountCents: 1_050, aList: [{ netAmountCents: 1_018 }, 'asIs', null] },
        nothing: null,
        offersCents: [1_000, 1_500],
      }),
    ).toEqual({
      full_name: 'Pat',
      inner_thing: {
        amount: 10.5,
        amount_minor: 1_050,
        a_list: [{ net_amount: 10.18, net_amount_minor: 1_018 }, 'asIs', null],
      },
      nothing: null,
      offers: [10, 15],
      offers_minor: [1_000, 1_500],
      currency: 'USD',
    });
  });

  test('say the currency once, in the outermost object that has an amount', () => {
    const inner = { amountCents: 1 };
    const amount = { amount: 0.01, amount_minor: 1 };
    expect(toWire([{ inner }, { inner, currency: 'EUR' }, { inner, netCents: null }])).toEqual([
      { inner: { ...amount, currency: 'USD' } },
      { inner: amount, currency: 'EUR' },
      { inner: amount, net: null, net_minor: null, currency: 'USD' },
    ]);
  });

  test.each([
    ['USD', 2, 12.34],
    ['JPY', 0, 1_234],
    ['KWD', 3, 1.234],
  ])('have the decimals of %s', (currency, exponent, amount) => {
    onTestFinished(() => putInForce(SPECIFIED_TERMS));
    putInForce({ ...SPECIFIED_TERMS, currency, exponent });
    expect(toWire({ amountCents: 1_234 })).toEqual({ amount, amount_minor: 1_234, currency });
  });

  test.each([[null], [undefined], [0], ['amountCents'], [true], [[]]])('%j stays what it is', (value) => {
    expect(toWire(value)).toEqual(value);
  });

  test('values are never touched, only names and amounts', () => {
    fc.assert(
      fc.property(
        fc.dictionary(camelCase, fc.oneof(fc.string(), fc.boolean(), fc.double(), fc.constant(null))),
        (answer) => {
          expect(Object.values(Object(toWire(answer)))).toEqual(Object.values(answer));
        },
      ),
    );
  });

  test('every amount is written with the digits of its cents, and no more', () => {
    fc.assert(
      fc.property(tidyCents, (amountCents) => {
        const written = JSON.stringify(toWire({ amountCents }));
        const dollars = `${Math.floor(amountCents / 100)}.${String(amountCents % 100).padStart(2, '0')}`;
        const shown = `"amount":${dollars.replace(/\.?0+$/, '') || '0'}`.replace(/:\./, ':0.');
        expect(written).toBe(`{${shown},"amount_minor":${amountCents},"currency":"USD"}`);
      }),
    );
  });

  test('refuse to write an amount that is no whole number of cents', () => {
    for (const amountCents of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      expect(() => toWire({ amountCents })).toThrow(RangeError);
    }
  });
});

describe('requests', () => {
  const input = z.object({
    fullName: z.string(),
    amountCents: z.int(),
    serviceCategories: z.array(z.string()),
  });

  test('are respelled by the schema of the procedure', () => {
    expect(fromWire({ full_name: 'Pat', amount: 10.5, service_categories: ['dj'] }, input)).toEqual({
      fullName: 'Pat',
      amountCents: 1_050,
      serviceCategories: ['dj'],
    });
  });

  test('to and fro every amount comes back to the cent', () => {
    fc.assert(
      fc.property(centsField, tidyCents, (field, amount) => {
        const schema = z.object({ [field]: z.int() });
        const body: unknown = JSON.parse(JSON.stringify(toWire({ [field]: amount })));
        expect(fromWire(body, schema)).toEqual({ [field]: amount });
      }),
    );
  });

  test('to and fro every field comes back under its name', () => {
    fc.assert(
      fc.property(
        fc.dictionary(camelCase, fc.oneof(fc.string(), fc.integer(), fc.constant(null))),
        (fields) => {
          const own = { ...fields };
          const schema = z.object(Object.fromEntries(Object.keys(own).map((field) => [field, z.unknown()])));
          expect(fromWire(toWire(own), schema)).toEqual(own);
        },
      ),
    );
  });

  test('fields that the procedure does not know are dropped, its own spelling included', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.anything()), (body) => {
        const read = Object(fromWire(body, registration));
        for (const field of Object.keys(read)) expect(Object.hasOwn(body, wireName(field))).toBe(true);
      }),
    );
    const spelledWrong = { fullName: 'Pat', isServiceProvider: true, serviceCategories: ['dj'] };
    expect(fromWire(spelledWrong, registration)).toEqual({});
  });

  test('fields that a procedure does not know which moves money are refused, its own spelling included', () => {
    const known = ['amount', 'receiver_qr_id', 'service_category', 'idempotency_key', 'message', 'with_name'];
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((name) => !known.includes(name)),
          fc.anything(),
          { minKeys: 1 },
        ),
        (body) => {
          expect(() => fromWire(body, newTip)).toThrow(AppError);
        },
      ),
    );
    for (const field of ['amountCents', 'amount_cents', 'receiverQrId', 'serviceCategory'])
      expect(() => fromWire({ [field]: 5_000 }, newTip), field).toThrow(AppError);
  });

  test('of a union may have the fields of any branch', () => {
    const body = {
      email: 'e',
      username: 'u',
      full_name: 'f',
      password: 'p',
      phone: null,
      is_service_provider: true,
    };
    expect(fromWire({ ...body, service_categories: ['dj'], is_admin: true }, registration)).toEqual({
      email: 'e',
      username: 'u',
      fullName: 'f',
      password: 'p',
      phone: null,
      isServiceProvider: true,
      serviceCategories: ['dj'],
    });
  });

  test('what is absent stays absent, and null stays null, for the procedure to tell apart', () => {
    expect(fromWire({}, input)).toEqual({});
    expect(fromWire({ amount: null, full_name: null }, input)).toEqual({ amountCents: null, fullName: null });
  });

  test('what is no amount of money becomes what no procedure takes for one', () => {
    for (const amount of NO_AMOUNT_OF_MONEY) {
      expect(fromWire({ amount }, input)).toEqual({ amountCents: Number.NaN });
    }
  });

  test('an amount with more than two decimals becomes a fraction of a cent near by, for the procedure to tell apart', () => {
    for (const amount of [0.001, 10.005, 12.345, 1e-7, 10.299999999999999, 12.350000000000001, 0.1 + 0.2]) {
      const { amountCents }: { amountCents: number } = Object(fromWire({ amount }, input));
      expect(Number.isInteger(amountCents)).toBe(false);
      expect(Math.abs(amountCents - amount * 100)).toBeLessThan(1);
    }
  });

  test.each([
    [null],
    [undefined],
    [[]],
    [[{ amount: 10 }]],
    ['{"amount": 10}'],
    [10],
    [true],
  ])('a body that is no object (%j) is left for the procedure to refuse', (body) => {
    expect(fromWire(body, input)).toEqual(body);
  });

  test('prototypes cannot be polluted, nor fields inherited', () => {
    const attacks = [
      '{"__proto__": {"full_name": "evil", "fullName": "evil", "polluted": true}}',
      '{"constructor": {"prototype": {"polluted": true}}}',
      '{"full_name": "fine", "__proto__": {"polluted": true}, "prototype": {"polluted": true}}',
    ];
    for (const attack of attacks) {
      const read: object = Object(fromWire(JSON.parse(attack), input));
      expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
      expect(Object.keys(read).filter((field) => field !== 'fullName')).toEqual([]);
      expect(Reflect.get(read, 'fullName')).not.toBe('evil');
      expect(Reflect.get(read, 'polluted')).toBeUndefined();
      expect(Reflect.get({}, 'polluted')).toBeUndefined();
    }
    expect(fromWire(Object.create({ full_name: 'inherited' }), input)).toEqual({});
  });

  test('a field named like one that every object inherits is read only when it is sent', () => {
    const odd = z.object({ toString: z.string(), valueOf: z.string() });
    expect(Object.keys(Object(fromWire({}, odd)))).toEqual([]);
  });
});

describe('schemas', () => {
  test('name the fields as the wire does, with amounts in dollars', () => {
    expect(wireSchema(newTip.pick({ amountCents: true, receiverQrId: true }), 'input')).toEqual({
      type: 'object',
      properties: {
        amount: { type: 'number' },
        receiver_qr_id: {
          type: 'string',
          maxLength: 64,
          pattern: '^[\\s-]*(?:[0-9A-TV-Za-tv-z][\\s-]*){10}$',
        },
      },
      required: ['amount', 'receiver_qr_id'],
      additionalProperties: false,
    });
  });

  test('of answers name exactly the fields that answers have', () => {
    const someone = {
      id: `usr_${'0'.repeat(26)}`,
      email: 'a@example.com',
      username: 'a',
      fullName: 'A',
      phone: null,
      isServiceProvider: false,
      serviceCategories: [],
      totalTipsReceivedCents: 0,
      totalTipsGivenCents: 0,
      dayStartHour: null,
      mustChangePassword: false,
      mustAddSecondFactor: false,
    };
    const schema = wireSchema(user, 'output');
    expect(Object.keys(Object(schema['properties']))).toEqual(
      Object.keys(Object(toWire(user.parse(someone)))),
    );
    expect(schema['properties']).toMatchObject({
      total_tips_given: { type: 'number', minimum: 0 },
      total_tips_given_minor: { type: 'integer', minimum: 0 },
      currency: { type: 'string' },
    });
    expect(schema['required']).toEqual(Object.keys(Object(toWire(user.parse(someone)))));
  });

  test('are respelled inside lists, unions and objects too', () => {
    const schema = wireSchema(
      z.object({
        outerThing: z.object({ netAmountCents: z.int() }),
        someList: z.array(z.object({ giverId: z.string() })),
        eitherWay: z.union([z.object({ firstWay: z.string() }), z.object({ secondWay: z.string() })]),
      }),
      'output',
    );
    const text = JSON.stringify(schema);
    for (const name of [
      'outer_thing',
      'net_amount',
      'net_amount_minor',
      'currency',
      'some_list',
      'giver_id',
      'either_way',
      'first_way',
      'second_way',
    ]) {
      // A name stands once among the properties and once among the required ones.
      expect(text.split(`"${name}"`)).toHaveLength(3);
    }
    expect(text).not.toMatch(/outerThing|netAmount|someList|giverId|eitherWay|firstWay|secondWay|Cents/);
  });

  test('carry no $schema of their own, as parts of a document that has one', () => {
    for (const direction of ['input', 'output'] as const) {
      expect(Object.keys(wireSchema(newTip, direction))).not.toContain('$schema');
    }
  });
});

describe('the text of an answer', () => {
  test('is the answer in the spelling of the wire', () => {
    fc.assert(
      fc.property(
        fc.dictionary(camelCase, fc.oneof(fc.string(), fc.boolean(), fc.constant(null))),
        (answer) => {
          const expected = JSON.stringify(toWire(answer));
          expect(wireText(answer)).toBe(expected);
          for (let time = 0; time < 2; time += 1) expect(wireTextOnce(answer)).toBe(expected);
        },
      ),
    );
    expect(wireText([{ amountCents: 1_050, currency: 'USD' }])).toBe(
      '[{"amount":10.5,"amount_minor":1050,"currency":"USD"}]',
    );
    expect(wireText(null)).toBe('null');
  });

  test('is made anew each time, and once for an answer that never changes', () => {
    const answer = { fullName: 'Pat' };
    expect(wireText(answer)).toBe('{"full_name":"Pat"}');
    expect(wireTextOnce(answer)).toBe('{"full_name":"Pat"}');
    answer.fullName = 'Sam';
    expect(wireText(answer)).toBe('{"full_name":"Sam"}');
    expect(wireTextOnce(answer)).toBe('{"full_name":"Pat"}');
  });
});
