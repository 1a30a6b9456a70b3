/**
 * Every text that anybody can send, in every field, through both doors: refused with a sentence, or kept and
 * given back exactly as it was after the documented normalisation. Never an error of ours.
 */
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Endpoint } from '#server/api/procedures/endpoint.ts';
import { appRouter, ENDPOINTS } from '#server/api/procedures/router.ts';
import { fieldOf as fieldOfParameter } from '#server/api/rest/answers.ts';
import { wireName } from '#server/api/wire.ts';
import type { ErrorCode } from '#shared/errors.ts';
import { DOORS, type Door, doorFor, type Outcome } from '#tests/support/both-doors.ts';
import { outcomeThrough } from '#tests/support/event-streams.ts';
import { UNSENT } from '#tests/support/mail-server.ts';
import { beginSession, createPeople } from '#tests/support/people.ts';
import { newDevice } from '#tests/support/push-devices.ts';
import { createTestApp, PASSWORD, type TestApp } from '#tests/support/test-app.ts';
import { UGLY_STRINGS } from '#tests/support/ugly-strings.ts';

type Scene = Awaited<ReturnType<TestApp['setTheScene']>>;

interface Trial {
  readonly t: TestApp;
  readonly door: Door;
  readonly scene: Scene;
  /** The text under test, and its place in the table. */
  readonly text: string;
  readonly index: number;
  /** What the row has prepared; empty for nothing. */
  readonly prepared: string;
}

interface FieldRow {
  /** What has to be there before. */
  readonly prepare?: (trial: Trial) => Promise<string>;
  /** The input with the text in the field that the row is about. */
  inputWith(trial: Trial): Readonly<Record<string, unknown>>;
  readonly token?: (scene: Scene) => string;
  /** The only refusals that a text may meet. */
  readonly refusals: readonly ErrorCode[];
  /** What must be true of a text that was taken; fields without it take none of the table. */
  readonly checkTaken?: (trial: Trial, answer: Outcome) => Promise<void>;
}

const NEW_KEY = { name: 'Register', scopes: ['tips:read'] };

const provider = ({ provider }: Scene) => provider.token;
const customer = ({ customer }: Scene) => customer.token;

const person = (index: number) => ({
  email: `ugly${index}@example.net`,
  username: `ugly${index}`,
  fullName: 'Uma Gly',
  password: PASSWORD,
  phone: null,
  isServiceProvider: true,
  serviceCategories: ['dj'],
});

const tip = ({ scene: { code } }: Trial) => ({
  receiverQrId: code.id,
  amountCents: 1234,
  serviceCategory: 'bartender',
});

/**
 * Registers with one field replaced; the stored field must come back as `normalized`, now and in a session.
 */
function registering(
  field: 'email' | 'username' | 'fullName' | 'phone',
  normalized: (text: string) => string | null,
): FieldRow {
  return {
    inputWith: ({ text, index }) => ({ ...person(index), [field]: text }),
    refusals: ['invalid_input', 'email_taken', 'username_taken'],
    checkTaken: async ({ t, text }, answer) => {
      const expected = normalized(text);
      expect(fieldOf(answer, field)).toBe(expected);
      const client = t.trpc(await beginSession(t.storage, String(fieldOf(answer, 'email'))));
      expect((await client.auth.me.query())[field]).toBe(expected);
      if (field !== 'username' && field !== 'fullName') return;
      const found = await t.storage.findCredentials(String(fieldOf(answer, 'email')));
      if (!found) throw new Error('nobody has this email');
      const id = await createPeople(t.storage).addCode(found.account, 'dj');
      const { serviceProvider } = await t.trpc().qrCodes.lookup.query({ id });
      expect(serviceProvider[field]).toBe(expected);
    },
  };
}

/**
 * Changes one field of the customer; what was taken must come back as `normalized`, now and in the session.
 */
function changing(
  field: 'email' | 'username' | 'fullName' | 'phone',
  normalized: (text: string) => string | null,
): FieldRow {
  return {
    inputWith: ({ text }) => ({ [field]: text, ...(field === 'email' && { currentPassword: PASSWORD }) }),
    token: customer,
    refusals: ['invalid_input', 'email_taken', 'username_taken'],
    checkTaken: async ({ t, scene, text }, answer) => {
      const expected = normalized(text);
      expect(fieldOf(answer, field)).toBe(expected);
      expect((await t.trpc(customer(scene)).auth.me.query())[field]).toBe(expected);
    },
  };
}

/** Writes on a tip page; what was taken must stand there as it was typed, trimmed and composed. */
function writing(field: 'displayName' | 'greeting'): FieldRow {
  return {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, [field]: text }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, scene, text }, answer) => {
      const expected = text.trim().normalize('NFC') || null;
      expect(fieldOf(answer, field)).toBe(expected);
      const { serviceProvider } = await t.trpc().qrCodes.lookup.query({ id: scene.code.id });
      const shown = field === 'greeting' ? serviceProvider.greeting : serviceProvider.fullName;
      expect(shown).toBe(field === 'greeting' ? expected : (expected ?? scene.provider.user.fullName));
    },
  };
}

/**
 * The id of a code of one's own in an address; that of an empty one, or of dots, is that of something else or
 * of nothing.
 */
function naming(others: Readonly<Record<string, unknown>> = {}): FieldRow {
  return {
    inputWith: ({ text }) => ({ ...others, id: text }),
    token: provider,
    refusals: ['qr_code_not_found', 'not_found', 'method_not_allowed', 'not_json', 'invalid_input'],
  };
}

/** A word of what is to be printed, of which no text of the table is one. */
function printing(field: 'file' | 'paper' | 'ink' | 'size' | 'for'): FieldRow {
  return {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, file: 'code.svg', [field]: text }),
    token: provider,
    refusals: field === 'file' ? ['invalid_input', 'not_found', 'method_not_allowed'] : ['invalid_input'],
  };
}

const FILTER_FIELDS = ['direction', 'serviceCategory', 'from', 'to', 'timeZone', 'dayStartHour'];

/** A query has texts only, and "0" is an hour. */
async function isMidnight({ text }: Trial): Promise<void> {
  expect(text).toBe('0');
}

async function isTimeZone({ text }: Trial): Promise<void> {
  expect(new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions().timeZone).not.toBe('');
}

/**
 * Texts in the place of the fields that say which tips are meant; the few that are taken narrow an empty
 * history.
 */
function meaning(
  procedure: string,
  fields: readonly string[],
  others: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, FieldRow>> {
  const rowOf = (field: string): FieldRow => ({
    inputWith: ({ text }) => ({ ...others, [field]: text }),
    token: customer,
    refusals: ['invalid_input'],
    ...(field === 'dayStartHour' && { checkTaken: isMidnight }),
    ...(field === 'timeZone' && { checkTaken: isTimeZone }),
  });
  return Object.fromEntries(fields.map((field) => [`${procedure}.${field}`, rowOf(field)]));
}

/** What becomes of words: they are trimmed, composed, and on one line. */
const asWords = (text: string) => text.replace(/\s+/gu, ' ').trim().normalize('NFC');

/**
 * The id of a tip in an address; that of an empty one, or of dots, is that of something else or of nothing.
 */
function namingTip(others: Readonly<Record<string, unknown>> = {}): FieldRow {
  return {
    inputWith: ({ text }) => ({ ...others, id: text }),
    token: provider,
    refusals: ['transaction_not_found', 'not_found', 'method_not_allowed', 'not_json', 'invalid_input'],
  };
}

/** A tip of the customer's with words. */
async function tipWithWords({ t, scene }: Trial): Promise<string> {
  const { id } = await t.trpc(customer(scene)).transactions.create.mutate({
    receiverQrId: scene.code.id,
    amountCents: 1_000,
    serviceCategory: 'bartender',
    message: 'Hello',
  });
  return id;
}

/** A device that is right but for one field. */
function registeringDevice(field: string, refusals: FieldRow['refusals'] = ['invalid_input']): FieldRow {
  return { inputWith: ({ text }) => ({ ...newDevice(), [field]: text }), token: customer, refusals };
}

/**
 * A device of nobody's; the address of an empty id is that of nothing at all, and that of a dot is another
 * one.
 */
function namingDevice(others: object = {}): FieldRow {
  return {
    inputWith: ({ text }) => ({ id: text, ...others }),
    token: customer,
    refusals: ['device_not_found', 'not_found', 'method_not_allowed'],
  };
}

function namingWebhook(others: object = {}): FieldRow {
  return {
    inputWith: ({ text }) => ({ id: text, ...others }),
    token: provider,
    refusals: ['webhook_not_found', 'not_found', 'method_not_allowed'],
  };
}

const FIELDS: Readonly<Record<string, FieldRow>> = {
  'auth.register.email': registering('email', (text) => text.trim()),
  'auth.register.username': registering('username', (text) => text.trim().toLowerCase()),
  'auth.register.fullName': registering('fullName', (text) => text.trim().normalize('NFC')),
  'auth.register.phone': registering('phone', (text) => text.trim() || null),
  'auth.register.password': {
    inputWith: ({ text, index }) => ({ ...person(index), password: text }),
    refusals: ['invalid_input'],
    checkTaken: async ({ t, door, text, index }, answer) => {
      expect(JSON.stringify(answer.data)).not.toContain(JSON.stringify(text));
      const { email } = person(index);
      const withPassword = async (password: string) =>
        (await outcomeThrough(door, t, 'auth.login', { email, password }))?.refused?.code ?? null;
      expect(await withPassword(text)).toBeNull();
      const normalized = text.normalize('NFKC');
      if (normalized !== text) expect(await withPassword(normalized)).toBeNull();
      // The beginning of a password must not open the account, where something might cut it short.
      if (text.includes('\0') || text.length > 50)
        expect(await withPassword(text.slice(0, -1))).toBe('wrong_credentials');
    },
  },
  'auth.register.invitation': {
    inputWith: ({ text, index }) => ({ ...person(index), invitation: text }),
    refusals: ['invitation_invalid'],
  },
  'auth.register.isServiceProvider': {
    inputWith: ({ text, index }) => ({ ...person(index), isServiceProvider: text }),
    refusals: ['invalid_input'],
  },
  'auth.register.serviceCategories': {
    inputWith: ({ text, index }) => ({ ...person(index), serviceCategories: ['dj', text] }),
    refusals: ['invalid_input'],
  },
  'auth.login.email': {
    inputWith: ({ text }) => ({ email: text, password: PASSWORD }),
    refusals: ['wrong_credentials', 'invalid_input'],
  },
  'auth.login.password': {
    inputWith: ({ text, scene }) => ({ email: scene.customer.user.email, password: text }),
    refusals: ['wrong_credentials', 'invalid_input'],
  },
  'auth.updateProfile.email': changing('email', (text) => text.trim()),
  'auth.updateProfile.username': changing('username', (text) => text.trim().toLowerCase()),
  'auth.updateProfile.fullName': changing('fullName', (text) => text.trim().normalize('NFC')),
  'auth.updateProfile.phone': changing('phone', (text) => text.trim() || null),
  'auth.updateProfile.isServiceProvider': {
    inputWith: ({ text }) => ({ isServiceProvider: text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'auth.updateProfile.serviceCategories': {
    inputWith: ({ text }) => ({ serviceCategories: ['bartender', text] }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'auth.updateProfile.dayStartHour': {
    inputWith: ({ text }) => ({ dayStartHour: text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'auth.updateProfile.currentPassword': {
    inputWith: ({ text }) => ({ email: 'another@example.net', currentPassword: text }),
    token: customer,
    refusals: ['wrong_password', 'invalid_input'],
  },
  'auth.confirm.password': {
    inputWith: ({ text }) => ({ password: text }),
    token: customer,
    refusals: ['wrong_password', 'invalid_input'],
  },
  'auth.forgotPassword.email': {
    inputWith: ({ text }) => ({ email: text }),
    refusals: ['invalid_input'],
    checkTaken: async ({ t, text }) => {
      const due = { nowMs: 0, leaseMs: 0, maxWaitMs: 0, atMost: 1_000 };
      const recipients = (await t.storage.mails.claimDue(due)).map(({ recipient }) => recipient);
      expect(recipients).toContain(text.trim());
    },
  },
  'auth.resetPassword.token': {
    inputWith: ({ text }) => ({ token: text, newPassword: 'another long one' }),
    refusals: ['invalid_input', 'link_ended'],
  },
  'auth.resetPassword.newPassword': {
    inputWith: ({ text }) => ({ token: 'a'.repeat(43), newPassword: text }),
    refusals: ['invalid_input', 'link_ended'],
  },
  'auth.confirmEmail.token': {
    token: provider,
    inputWith: ({ text }) => ({ token: text }),
    refusals: ['invalid_input', 'link_ended'],
  },
  'auth.changeMailSettings.monthlyStatement': {
    inputWith: ({ text }) => ({ monthlyStatement: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'auth.changeMailSettings.timeZone': {
    inputWith: ({ text }) => ({ monthlyStatement: true, timeZone: text }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: isTimeZone,
  },
  'transactions.mailReceipt.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    refusals: ['transaction_not_found', 'not_found', 'method_not_allowed'],
  },
  'transactions.mailReceipt.email': {
    inputWith: ({ text }) => ({ id: 'txn_none', email: text }),
    token: customer,
    refusals: ['invalid_input', 'transaction_not_found'],
  },
  'transactions.mailReceipt.timeZone': {
    inputWith: ({ text }) => ({ id: 'txn_none', timeZone: text }),
    token: customer,
    refusals: ['invalid_input', 'transaction_not_found'],
  },
  'auth.changePassword.currentPassword': {
    inputWith: ({ text }) => ({ currentPassword: text, newPassword: 'another long one' }),
    token: customer,
    refusals: ['wrong_password', 'invalid_input'],
  },
  // The present password is wrong here; the row of auth.register.password shows which new ones are taken.
  'auth.changePassword.newPassword': {
    inputWith: ({ text }) => ({ currentPassword: 'not the password', newPassword: text }),
    token: customer,
    refusals: ['wrong_password', 'invalid_input'],
  },
  'auth.close.currentPassword': {
    inputWith: ({ text }) => ({ currentPassword: text, confirmation: 'close' }),
    token: customer,
    refusals: ['wrong_password', 'invalid_input'],
  },
  'auth.close.confirmation': {
    inputWith: ({ text }) => ({ currentPassword: PASSWORD, confirmation: text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'auth.export.timeZone': {
    inputWith: ({ text }) => ({ timeZone: text }),
    token: customer,
    refusals: ['invalid_input'],
    checkTaken: isTimeZone,
  },
  'auth.endSession.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    // The address of an empty id is that of nothing at all.
    refusals: ['session_not_found', 'not_found'],
  },
  'qrCodes.create.serviceCategory': {
    inputWith: ({ text }) => ({ serviceCategory: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.ended.limit': {
    inputWith: ({ text }) => ({ limit: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.ended.cursor': {
    inputWith: ({ text }) => ({ cursor: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.update.id': naming({ greeting: 'Hello' }),
  'qrCodes.update.displayName': writing('displayName'),
  'qrCodes.update.greeting': writing('greeting'),
  'qrCodes.update.thankYou': {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, thankYou: text }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: async (trial, answer) => {
      const expected = asWords(trial.text) || null;
      expect(fieldOf(answer, 'thankYou')).toBe(expected);
      const given = await trial.t.trpc(customer(trial.scene)).transactions.create.mutate({
        receiverQrId: trial.scene.code.id,
        amountCents: 1_000,
        serviceCategory: 'bartender',
      });
      expect(given.thankYou).toBe(expected);
    },
  },
  'qrCodes.update.takesWords': {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, takesWords: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.update.status': {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, status: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.replace.id': naming(),
  'qrCodes.removePhoto.id': naming(),
  'qrCodes.setPhoto.id': naming({ photo: 'none' }),
  'qrCodes.setPhoto.photo': {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, photo: text }),
    token: provider,
    // A body of JSON is no photo, and JSON has none.
    refusals: ['invalid_input', 'not_a_photo'],
  },
  'qrCodes.print.id': naming({ file: 'code.svg' }),
  'qrCodes.print.file': printing('file'),
  'qrCodes.print.paper': printing('paper'),
  'qrCodes.print.ink': printing('ink'),
  'qrCodes.print.size': printing('size'),
  'qrCodes.print.for': printing('for'),
  'qrCodes.update.isListed': {
    inputWith: ({ scene, text }) => ({ id: scene.code.id, isListed: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'qrCodes.provider.username': {
    inputWith: ({ text }) => ({ username: text }),
    // The address of an empty name is that of nothing at all.
    refusals: ['provider_not_found', 'not_found'],
  },
  'qrCodes.lookup.id': {
    inputWith: ({ text }) => ({ id: text }),
    // The address of an empty id is that of nothing at all.
    refusals: ['qr_code_not_found', 'not_found'],
  },
  'transactions.create.receiverQrId': {
    inputWith: (trial) => ({ ...tip(trial), receiverQrId: trial.text }),
    token: customer,
    refusals: ['qr_code_not_found'],
  },
  'transactions.create.amountCents': {
    inputWith: (trial) => ({ ...tip(trial), amountCents: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'transactions.create.serviceCategory': {
    inputWith: (trial) => ({ ...tip(trial), serviceCategory: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'transactions.create.idempotencyKey': {
    inputWith: (trial) => ({ ...tip(trial), idempotencyKey: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, door, scene, text, ...trial }, answer) => {
      const { token } = scene.customer;
      const again = (idempotencyKey: string) =>
        outcomeThrough(
          door,
          t,
          'transactions.create',
          { ...tip({ t, door, scene, text, ...trial }), idempotencyKey },
          { token },
        );
      expect((await again(text))?.data).toEqual(answer.data);
      expect(fieldOf(await again(`${text.slice(1)}~`), 'id')).not.toBe(fieldOf(answer, 'id'));
    },
  },
  'transactions.create.message': {
    inputWith: (trial) => ({ ...tip(trial), message: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, scene, text }, answer) => {
      const id = String(fieldOf(answer, 'id'));
      expect(fieldOf(answer, 'message')).toBeNull();
      const seen = await t.trpc(provider(scene)).transactions.get.query({ id });
      expect(seen.message).toBe(asWords(text) || null);
      expect((await t.trpc(customer(scene)).transactions.get.query({ id })).message).toBeNull();
    },
  },
  'transactions.create.termsVersion': {
    inputWith: (trial) => ({ ...tip(trial), termsVersion: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'transactions.create.withName': {
    inputWith: (trial) => ({ ...tip(trial), withName: trial.text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'messages.thank.id': namingTip({ text: 'Thank you' }),
  'messages.thank.text': {
    prepare: tipWithWords,
    inputWith: ({ text, prepared }) => ({ id: prepared, text }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, scene, text, prepared }, answer) => {
      expect(fieldOf(answer, 'thankYou')).toBe(asWords(text));
      const seen = await t.trpc(customer(scene)).transactions.get.query({ id: prepared });
      expect(seen.thankYou).toBe(asWords(text));
    },
  },
  'messages.hide.id': namingTip({ hidden: true }),
  'messages.hide.hidden': {
    prepare: tipWithWords,
    inputWith: ({ text, prepared }) => ({ id: prepared, hidden: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'messages.report.id': namingTip(),
  'messages.block.id': namingTip(),
  'messages.unblock.giverId': {
    inputWith: ({ text }) => ({ giverId: text }),
    token: provider,
    refusals: ['giver_not_found', 'not_found', 'method_not_allowed', 'invalid_input'],
  },
  'messages.saveThankYous.texts': {
    inputWith: ({ text }) => ({ texts: [text] }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, scene, text }) => {
      const { texts } = await t.trpc(provider(scene)).messages.thankYous.query();
      expect(texts).toEqual(asWords(text) === '' ? [] : [asWords(text)]);
    },
  },
  ...Object.fromEntries(
    ['transactions.list', 'transactions.entries'].flatMap((procedure) => [
      [
        `${procedure}.limit`,
        {
          inputWith: ({ text }) => ({ limit: text }),
          token: customer,
          refusals: ['invalid_input'],
        },
      ] as const,
      [
        `${procedure}.cursor`,
        {
          inputWith: ({ text }) => ({ limit: 10, cursor: text }),
          token: customer,
          refusals: ['invalid_input'],
        },
      ] as const,
    ]),
  ),
  'webhooks.events.limit': {
    inputWith: ({ text }) => ({ limit: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'webhooks.add.url': {
    inputWith: ({ text }) => ({ url: text, events: ['tip.received'] }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'webhooks.add.events': {
    inputWith: ({ text }) => ({ url: 'https://till.example.com/tips', events: [text] }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'webhooks.change.id': namingWebhook({ isOn: true }),
  ...Object.fromEntries(
    ['url', 'events', 'isOn', 'skipsMissed'].map((field) => [
      `webhooks.change.${field}`,
      {
        inputWith: ({ text }: Trial) => ({ id: 'whk_none', [field]: field === 'events' ? [text] : text }),
        token: provider,
        refusals: ['invalid_input', 'webhook_not_found'] as const,
      },
    ]),
  ),
  'webhooks.rotate.id': namingWebhook(),
  'webhooks.remove.id': namingWebhook(),
  'webhooks.deliveries.id': namingWebhook(),
  'webhooks.test.id': namingWebhook(),
  'webhooks.sendAgain.id': namingWebhook({ eventId: 'evt_none' }),
  'webhooks.sendAgain.eventId': {
    inputWith: ({ text }) => ({ id: 'whk_none', eventId: text }),
    token: provider,
    refusals: ['webhook_not_found', 'not_found', 'method_not_allowed'],
  },
  'webhooks.events.after': {
    inputWith: ({ text }) => ({ after: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  ...meaning('transactions.list', FILTER_FIELDS, { limit: 10 }),
  ...meaning('transactions.entries', [...FILTER_FIELDS, 'only', 'tipsFrom', 'tipsTo'], { limit: 10 }),
  ...meaning('transactions.sums', FILTER_FIELDS),
  ...meaning(
    'transactions.insights',
    ['granularity', 'serviceCategory', 'from', 'to', 'timeZone', 'dayStartHour'],
    {
      from: '2026-05-01',
      to: '2026-05-31',
    },
  ),
  'transactions.refund.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    // The address of an empty id is that of nothing at all, and that of a dot is that of a transaction.
    refusals: ['transaction_not_found', 'not_found', 'method_not_allowed'],
  },
  'transactions.giveUp.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    refusals: ['transaction_not_found', 'not_found', 'method_not_allowed'],
  },
  'transactions.refund.idempotencyKey': {
    inputWith: ({ text }) => ({ id: 'txn_none', idempotencyKey: text }),
    token: customer,
    refusals: ['invalid_input', 'transaction_not_found'],
  },
  'transactions.get.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    // The address of an empty id is that of nothing at all.
    refusals: ['transaction_not_found', 'not_found'],
  },
  'transactions.onTip.lastEventId': {
    inputWith: ({ text }) => ({ lastEventId: text }),
    token: customer,
    refusals: [],
    checkTaken: async ({ t }) => expect(t.app.streams()).toBe(0),
  },
  'transactions.summary.serviceCategory': {
    inputWith: ({ text }) => ({ timeZone: 'UTC', serviceCategory: text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'transactions.summary.dayStartHour': {
    inputWith: ({ text }) => ({ timeZone: 'UTC', dayStartHour: text }),
    token: customer,
    refusals: ['invalid_input'],
    // A query has texts only, and "0" is an hour.
    checkTaken: async (_, answer) => expect(fieldOf(answer, 'receivedTodayCount')).toBe(0),
  },
  'notifications.register.endpoint': registeringDevice('endpoint', [
    'invalid_input',
    'push_endpoint_refused',
  ]),
  'notifications.register.p256dh': registeringDevice('p256dh'),
  'notifications.register.auth': registeringDevice('auth'),
  'notifications.register.withWords': registeringDevice('withWords'),
  'notifications.update.id': namingDevice({ withWords: true }),
  'notifications.update.withWords': {
    inputWith: ({ text }) => ({ id: 'dev_none', withWords: text }),
    token: customer,
    refusals: ['invalid_input'],
  },
  'notifications.remove.id': namingDevice(),
  'notifications.test.id': namingDevice(),
  'notifications.thank.proof': {
    inputWith: ({ text }) => ({ proof: text, choice: 0 }),
    refusals: ['thanks_refused', 'invalid_input'],
  },
  'notifications.thank.choice': {
    inputWith: ({ text }) => ({ proof: 'none', choice: text }),
    refusals: ['invalid_input'],
  },
  'payments.onboard.country': {
    inputWith: ({ text }) => ({ country: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'apiKeys.create.name': {
    inputWith: ({ text }) => ({ ...NEW_KEY, name: text }),
    token: provider,
    refusals: ['invalid_input'],
    checkTaken: async ({ t, scene, text }, answer) => {
      const expected = text.trim().normalize('NFC');
      expect(fieldOf(answer, 'name')).toBe(expected);
      const owner = t.trpc(provider(scene));
      const [made] = await owner.apiKeys.list.query();
      expect(made?.name).toBe(expected);
      // An account has twenty keys at most.
      if (made) await owner.apiKeys.end.mutate(made);
    },
  },
  'apiKeys.create.scopes': {
    inputWith: ({ text }) => ({ ...NEW_KEY, scopes: ['tips:read', text] }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'apiKeys.create.days': {
    inputWith: ({ text }) => ({ ...NEW_KEY, days: text }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'apiKeys.create.addresses': {
    inputWith: ({ text }) => ({ ...NEW_KEY, addresses: ['192.0.2.1', text] }),
    token: provider,
    refusals: ['invalid_input'],
  },
  'auth.login.code': {
    inputWith: ({ text }) => ({ email: 'cam@example.com', password: PASSWORD, code: text }),
    refusals: ['invalid_input'],
    // Nobody asks for a code of an account without a second factor.
    checkTaken: async (_, answer) => expect(fieldOf(answer, 'user')).toBeDefined(),
  },
  'auth.passkeyLogin.response': {
    inputWith: ({ text }) => ({ response: text }),
    refusals: ['invalid_input', 'passkey_refused'],
  },
  'auth.confirmByPasskey.response': {
    inputWith: ({ text }) => ({ response: text }),
    token: customer,
    refusals: ['invalid_input', 'passkey_refused'],
  },
  'secondFactors.addPasskey.response': {
    inputWith: ({ text }) => ({ response: text, name: 'Phone' }),
    token: customer,
    refusals: ['invalid_input', 'passkey_refused'],
  },
  'secondFactors.addPasskey.name': {
    inputWith: ({ text }) => ({ response: '{}', name: text }),
    token: customer,
    refusals: ['invalid_input', 'passkey_refused'],
  },
  'secondFactors.removePasskey.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: customer,
    refusals: ['second_factor_not_found', 'not_found', 'method_not_allowed'],
  },
  'secondFactors.confirmTotp.code': {
    inputWith: ({ text }) => ({ code: text }),
    token: customer,
    refusals: ['invalid_input', 'wrong_code'],
  },
  'apiKeys.end.id': {
    inputWith: ({ text }) => ({ id: text }),
    token: provider,
    refusals: ['api_key_not_found', 'not_found', 'method_not_allowed'],
  },
  'transactions.summary.timeZone': {
    inputWith: ({ text }) => ({ timeZone: text }),
    token: customer,
    refusals: ['invalid_input'],
    checkTaken: async (trial, answer) => {
      await isTimeZone(trial);
      expect(fieldOf(answer, 'receivedTodayCount')).toBe(0);
    },
  },
};

/**
 * Which texts of the table each field is known to take: a field that takes none would show nothing of
 * storing.
 */
const TAKEN_AT_LEAST: Readonly<Record<string, readonly string[]>> = {
  'auth.register.email': ['email in capitals'],
  'auth.register.username': ['username in capitals', 'constructor', 'Kelvin sign'],
  'auth.register.fullName': [
    'decomposed',
    'script element',
    'SQL that drops',
    'Turkish capital dotted I',
    'padded',
    'family joined of four emoji',
    'flags and skin tones',
    'flag made of tags',
    'Persian non-joiner',
    'Sinhala joiner',
    'Thai text',
    'Hangul jamo',
  ],
  'auth.register.phone': ['phone', 'empty', 'one blank'],
  'auth.register.password': ['superscripts and fractions', 'NUL within', 'ligatures'],
  'transactions.create.idempotencyKey': ['two hundred and fifty-five characters', 'prototype'],
  'transactions.create.message': [
    'script element',
    'SQL that drops',
    'decomposed',
    'padded',
    'flags and skin tones',
  ],
  'messages.thank.text': ['script element', 'SQL that drops', 'decomposed'],
  'qrCodes.update.thankYou': ['script element', 'empty'],
  'auth.export.timeZone': ['time zone'],
  'transactions.summary.timeZone': ['time zone'],
  'auth.changeMailSettings.timeZone': ['time zone'],
  'transactions.entries.timeZone': ['time zone'],
  'transactions.sums.timeZone': ['time zone'],
  'transactions.insights.timeZone': ['time zone'],
};

/** Which texts of the table each field is known to refuse for what they are after normalisation. */
const REFUSED_AT_LEAST: Readonly<Record<string, readonly string[]>> = {
  'auth.register.password': ['digits', 'full-width digits', 'marks in reverse order'],
  'auth.register.username': ['username that is reserved', 'username with an office'],
  'auth.register.fullName': [
    'Braille blank',
    'Hangul filler',
    'half-width Hangul filler',
    'punctuation only',
    'symbols only',
    'musical null note',
    'combining mark alone',
    'Zalgo',
    'four marks on one letter',
    'fifty-nine marks',
    'marks held apart by joiners',
    'marks in reverse order',
    'joiner between letters',
    'variation selector',
    'flag with a message in tags',
    'zero-width joiner only',
    'noncharacter',
    'interlinear annotation',
    'zero-width non-joiner',
  ],
};

/**
 * What breaks a field in any way that a schema has: by its length, its characters, its form, and the names of
 * prototypes; and a text that a query takes for a number.
 */
const FEW_STRINGS = UGLY_STRINGS.filter(({ name }) =>
  ['empty', 'NUL within', 'lone high surrogate', 'very long', 'prototype', 'path traversal', 'zero'].includes(
    name,
  ),
);

/** How a text gets to a procedure: each way has its own characters that it cannot carry as they are. */
type Way = 'a body' | 'a query' | 'an address' | 'a header';

function wayOf(name: string, door: Door): Way {
  const [chapter, verb, field = ''] = name.split('.');
  const endpoint = ENDPOINTS.find(({ procedure }) => procedure === `${chapter}.${verb}`);
  if (door === 'tRPC') return endpoint?.type === 'mutation' ? 'a body' : 'a query';
  if (field === 'idempotencyKey' || field === 'lastEventId') return 'a header';
  const parameter = endpoint?.parameters?.find((each) => fieldOfParameter(each) === field);
  if (!parameter) return 'a body';
  return parameter.in === 'path' ? 'an address' : 'a query';
}

/**
 * The door through which each field has every text that the schema of its procedure takes. What a text may be and what
 * becomes of it is decided behind the doors, so that the other door shows it with a few, and with those that the field
 * is known to take or to refuse. A field whose schema and look at what was taken are those of another, which has the
 * texts, needs only a few and those through either door.
 */
const TAKEN_THROUGH = Object.entries(FIELDS)
  .map(([name, row]) => ({ name, row }))
  .filter(({ name, row: { checkTaken } }, index, all) => {
    const validator = validatorOf(name);
    if (validator === null) return true;
    const first = all.findIndex(
      ({ name, row }) =>
        validatorOf(name) === validator && (checkTaken === undefined || row.checkTaken === checkTaken),
    );
    return first === index;
  })
  .reduce((doors, { name }, index) => {
    const isByHeader = wayOf(name, 'REST') === 'a header';
    return doors.set(name, isByHeader ? 'REST' : doorFor(index));
  }, new Map<string, Door>());

/** By each way of each door, the field that has every text of the table, also those that its schema refuses. */
const EVERY_TEXT_BY = new Map(
  [...TAKEN_THROUGH].map(([name, door]) => [`${wayOf(name, door)} of ${door}`, name] as const),
);

/** The texts that a field has through a door whatever its schema says of them. */
function isSentAnyway(
  name: string,
  door: Door,
  { name: label, text }: (typeof UGLY_STRINGS)[number],
): boolean {
  const telling = [...(TAKEN_AT_LEAST[name] ?? []), ...(REFUSED_AT_LEAST[name] ?? [])];
  if (FEW_STRINGS.some((few) => few.name === label) || telling.includes(label)) return true;
  if (TAKEN_THROUGH.get(name) !== door) return false;
  // REST makes numbers of texts before the schema sees them.
  return [...EVERY_TEXT_BY.values()].includes(name) || (door === 'REST' && Number.isFinite(Number(text)));
}

interface Asked {
  readonly name: string;
  readonly row: FieldRow;
  readonly door: Door;
}

/** Limits are on only where they count by the typed text; each attempt comes from an address of its own. */
const appFor = (name: string) =>
  createTestApp({
    config: {
      isRateLimited: name === 'auth.login.email',
      mail: UNSENT,
      // Elsewhere no invitation is looked at.
      registration: name === 'auth.register.invitation' ? 'invite' : 'open',
    },
  });

/**
 * Sends the texts of a field through a door: a few, and all that the schema takes where the field has every text. Those
 * that the schema refuses get no further than to it, which is asked. @returns the names of those that were taken.
 */
async function sendEach(t: TestApp, scene: Scene, { name, row, door }: Asked): Promise<ReadonlySet<string>> {
  const procedure = procedureOf(name);
  const schema = inputOf(procedure);
  const token = row.token?.(scene);
  const taken = new Set<string>();
  for (const [index, ugly] of UGLY_STRINGS.entries()) {
    const { name: label, text } = ugly;
    const isSent = isSentAnyway(name, door, ugly);
    if (!isSent && TAKEN_THROUGH.get(name) !== door) continue;
    const asked = { t, door, scene, text, index, prepared: '' };
    const trial = { ...asked, prepared: (await row.prepare?.(asked)) ?? '' };
    const input = row.inputWith(trial);
    if (!isSent && !schema.safeParse(input).success) continue;
    const peer = `198.51.100.${index}`;
    const answer = await outcomeThrough(door, t, procedure, input, { token, peer });
    if (!answer) continue;
    const context = `${name} through ${door}, ${label}: ${JSON.stringify(answer)}`;
    if (answer.refused) {
      expect(row.refusals, context).toContain(answer.refused.code);
      continue;
    }
    expect(row.checkTaken, context).toBeDefined();
    await row.checkTaken?.(trial, answer);
    taken.add(label);
  }
  return taken;
}

const TAKING = Object.entries(FIELDS).filter(([, { checkTaken }]) => checkTaken !== undefined);
/** What is refused changes nothing, so that the fields of a chapter that take no text have one scene. */
const REFUSING = Object.entries(FIELDS)
  .filter(([, { checkTaken }]) => checkTaken === undefined)
  .reduce((groups, [name, row]) => {
    const isByItself = ['auth.login.email', 'auth.register.invitation'].includes(name);
    const [chapter = ''] = name.split('.');
    const of = isByItself ? name : chapter;
    return groups.set(of, [...(groups.get(of) ?? []), [name, row]]);
  }, new Map<string, (readonly [name: string, row: FieldRow])[]>());

describe.each(DOORS)('through %s', (door) => {
  test.each(TAKING)('%s refuses or keeps every ugly text', async (name, row) => {
    const t = await appFor(name);
    const taken = await sendEach(t, await t.setTheScene(), { name, row, door });
    for (const label of TAKEN_AT_LEAST[name] ?? []) expect(taken).toContain(label);
    for (const label of REFUSED_AT_LEAST[name] ?? []) expect(taken).not.toContain(label);
  });
});

test.each([
  ...REFUSING,
])('%s refuses every ugly text, through both doors, in each field that is no text', async (of, rows) => {
  const t = await appFor(of);
  const scene = await t.setTheScene();
  for (const [name, row] of rows)
    for (const door of DOORS) expect(await sendEach(t, scene, { name, row, door }), name).toEqual(new Set());
});

test('a trusted proxy may forward any ugly text as an address', async () => {
  const t = await createTestApp({ config: { isRateLimited: true, trustedProxies: ['192.0.2.0/24', '::1'] } });
  for (const { name, text } of UGLY_STRINGS) {
    let headers: Headers;
    try {
      headers = new Headers({ 'Content-Type': 'application/json', 'X-Forwarded-For': `${text}, ${text}` });
    } catch {
      continue;
    }
    const response = await t.send('/api/auth/login', {
      method: 'POST',
      headers,
      body: '{"email":"a","password":""}',
    });
    expect(response.status, name).toBe(422);
  }
});

test('every text gets to a procedure in each way that a door has', () => {
  expect([...EVERY_TEXT_BY.keys()].sort()).toEqual([
    'a body of REST',
    'a body of tRPC',
    'a header of REST',
    'a query of REST',
    'a query of tRPC',
    'an address of REST',
  ]);
});

test('the table of fields has a row for every field of every procedure', () => {
  const fields = ENDPOINTS.flatMap((endpoint) =>
    fieldsOf(endpoint).map((field) => `${endpoint.procedure}.${field}`),
  );
  expect(fields.length).toBeGreaterThan(0);
  expect(Object.keys(FIELDS).sort(), 'the rows of FIELDS in this file').toEqual([...new Set(fields)].sort());
});

test('the table of ugly texts has at least 80 different ones, each with its own name', () => {
  expect(new Set(UGLY_STRINGS.map(({ text }) => text)).size).toBe(UGLY_STRINGS.length);
  expect(new Set(UGLY_STRINGS.map(({ name }) => name)).size).toBe(UGLY_STRINGS.length);
  expect(UGLY_STRINGS.length).toBeGreaterThanOrEqual(80);
});

/**
 * The schema that a field is judged by, without what makes it optional; fields share it by naming one
 * constant.
 */
function validatorOf(name: string): object | null {
  const [chapter, verb, field = ''] = name.split('.');
  const endpoint = ENDPOINTS.find(({ procedure }) => procedure === `${chapter}.${verb}`);
  const parameter = endpoint?.parameters?.find((each) => fieldOfParameter(each) === field);
  if (parameter) return parameter.schema;
  const [body] = Object.values(endpoint?.takes ?? {});
  let schema: z.core.$ZodType | null = (body instanceof z.ZodObject && body.shape[field]) || null;
  while (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodDefault)
    schema = schema.unwrap();
  return schema;
}

function procedureOf(name: string): string {
  return name.split('.').slice(0, 2).join('.');
}

/** The schema that a procedure judges its whole input by. */
function inputOf(procedure: string): z.ZodType {
  const found = Object.entries(appRouter._def.procedures).find(([path]) => path === procedure);
  const [schema] = Object(found?.[1])._def.inputs;
  if (!(schema instanceof z.ZodType)) throw new Error(`${procedure} has no schema of its input`);
  return schema;
}

interface Branches {
  readonly properties?: object;
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

/** The members of a procedure's input: what REST takes of parameters, body and picture. */
function fieldsOf({ parameters = [], takes = {}, picture }: Endpoint): string[] {
  const bodies = Object.values(takes).map((body) =>
    z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }),
  );
  return [
    ...parameters.map(fieldOfParameter),
    ...bodies.flatMap(membersOf),
    ...(picture ? [picture.field] : []),
  ];
}

function membersOf(schema: unknown): string[] {
  const { properties = {}, anyOf = [], oneOf = [] } = schema as Branches;
  return [...Object.keys(properties), ...[...anyOf, ...oneOf].flatMap(membersOf)];
}

/** A field of an answer through either door, by its name in the procedures. */
function fieldOf(answer: Outcome | null, field: string): unknown {
  const data = answer?.data as Readonly<Record<string, unknown>>;
  return Object.hasOwn(data, field) ? data[field] : data[wireName(field)];
}
