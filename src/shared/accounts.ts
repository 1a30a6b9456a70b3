/** Schemas of accounts. Rules that only the server can check (whether an email is taken) are not here. */
import { z } from 'zod';
import { brand } from './brand.ts';
import { SERVICE_CATEGORIES, type ServiceCategory } from './categories.ts';
import { dayStartHour } from './day-start.ts';
import {
  hasLetterDigitOrEmoji,
  isShowable,
  MAX_NAME_LENGTH,
  MAX_TYPED_NAME_LENGTH,
} from './display-names.ts';
import { factorCode } from './factor-code.ts';
import { idPattern } from './ids.ts';
import { isReservedUsername } from './later/reserved-usernames.ts';
import { serviceCategory } from './qr-codes.ts';
import { MAX_USERNAME_LENGTH, MIN_USERNAME_LENGTH, USERNAME } from './usernames.ts';

/** A shorter name of the product is part of many names that have nothing to do with it. */
const MIN_BRAND_LENGTH = 5;
const BRAND = brand.name.toLowerCase().replace(/[^a-z0-9]/g, '');
const hasBrand = (username: string): boolean =>
  BRAND.length >= MIN_BRAND_LENGTH && username.toLowerCase().replace(/[._-]/g, '').includes(BRAND);

/** In characters (code points), after normalisation. */
const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/** UTF-16 units as typed. Longer texts are not normalised, which takes the square of a run of combining marks. */
const MAX_TYPED_PASSWORD_LENGTH = 2 * MAX_PASSWORD_LENGTH;

/** Longest address that SMTP can carry (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
const MAX_EMAIL_LENGTH = 254;
const MAX_PHONE_LENGTH = 40;
const MAX_CHOSEN_CATEGORIES = 100;

/** Empty, or 7 to 20 digits with the usual punctuation. */
const PHONE = /^(?:\+?[ ().\-/]*(?:\d[ ().\-/]*){7,20})?$/;

/** A JSON Schema pattern: at least one character that is not white space. */
const NOT_BLANK = { pattern: '\\S' };

/**
 * A JSON Schema pattern for the part of the rule that needs no Unicode properties, which few validators know. Line
 * separators are what a dot does not match (ECMA-262, section 22.2.2.7), because generators write an escaped one into
 * programs as a line break.
 */
const PLAIN_NAME = (() => {
  const hidden = '\\x00-\\x1F\\x7F-\\x9F\\u061C\\u200B\\u200E\\u200F\\u202A-\\u202E\\u2060-\\u206F\\uFEFF';
  return { pattern: `^(?=.+$)[^\\s${hidden}](?:[^${hidden}]*[^\\s${hidden}])?$` };
})();

/** NFKC, so that a password typed on another keyboard stays the same. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

/** Ends the validation of a field, so that later checks never see a text that is too long. */
const lastly = (error: string) => ({ error, abort: true }) as const;

function text(label: string) {
  return z.string({
    error: ({ input }) =>
      input === undefined || input === null ? `${label} is required.` : `${label} must be text.`,
  });
}

/** @param maxLength UTF-16 units as typed. */
function trimmed(label: string, maxLength: number, tooLong: string) {
  return text(label)
    .trim()
    .max(maxLength, lastly(tooLong))
    .refine((typed) => typed !== '', lastly(`${label} is required.`));
}

/** Spaces around a password belong to it, but a password is not only spaces. */
function anyPassword(label: string, tooLong: string) {
  return text(label)
    .max(MAX_TYPED_PASSWORD_LENGTH, lastly(tooLong))
    .refine((typed) => typed.trim() !== '', lastly(`${label} is required.`))
    .meta(NOT_BLANK);
}

const typedEmail = trimmed('Email', MAX_EMAIL_LENGTH, 'Email is too long.');

export const email = typedEmail.check(z.email('Please enter a valid email address.'));

const USERNAME_LENGTH = `Username must have ${MIN_USERNAME_LENGTH} to ${MAX_USERNAME_LENGTH} characters.`;

const username = trimmed('Username', MAX_USERNAME_LENGTH, USERNAME_LENGTH)
  .refine((name) => name.length >= MIN_USERNAME_LENGTH, lastly(USERNAME_LENGTH))
  .toLowerCase()
  .regex(
    USERNAME,
    lastly(
      'Username may have letters, digits, dots, hyphens and underscores, and starts and ends with a letter or digit.',
    ),
  )
  .refine((name) => !isReservedUsername(name) && !hasBrand(name), 'This username is reserved.')
  .meta({ minLength: MIN_USERNAME_LENGTH });

const NAME_LENGTH = `Full name may have up to ${MAX_NAME_LENGTH} characters.`;

const fullName = trimmed('Full name', MAX_TYPED_NAME_LENGTH, NAME_LENGTH)
  .normalize('NFC')
  .max(MAX_NAME_LENGTH, lastly(NAME_LENGTH))
  .refine(isShowable, lastly('Full name has characters that cannot be shown.'))
  .refine(hasLetterDigitOrEmoji, 'Full name needs a letter, a digit or an emoji.')
  .meta(PLAIN_NAME);

const PASSWORD_LENGTH = `Password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`;

export const password = anyPassword('Password', PASSWORD_LENGTH)
  .refine((typed) => {
    const { length } = [...normalizePassword(typed)];
    return length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH;
  }, lastly(PASSWORD_LENGTH))
  .meta({ ...NOT_BLANK, minLength: MIN_PASSWORD_LENGTH, maxLength: MAX_PASSWORD_LENGTH });

/** Whether a password equals the email or username in any spelling. */
export function isOwnName(
  password: string,
  { email, username }: { readonly email: string; readonly username: string },
): boolean {
  if (password.length > 2 * MAX_TYPED_PASSWORD_LENGTH) return false;
  const plain = normalizePassword(password).toLowerCase();
  return plain === email.toLowerCase() || plain === username;
}

export const SAME_PASSWORD = 'Please choose a password other than the present one.';
export const NO_SERVICE = 'Please select at least one service category.';
export const OWN_NAME_AS_PASSWORD = 'Password must not be your email or your username.';

const NO_PHONE = 'Please enter a valid phone number.';

const phoneOrNull = z
  .string({ error: 'Phone must be text.' })
  .trim()
  .max(MAX_PHONE_LENGTH, lastly(NO_PHONE))
  .regex(PHONE, NO_PHONE)
  .transform((text) => (text === '' ? null : text))
  .nullable();

const phone = phoneOrNull.optional().transform((text) => text ?? null);

/** Needed where the operator asks for one, and not looked at elsewhere. */
const invitation = z.string({ error: 'The invitation must be text.' }).optional();

const person = { email, username, fullName, password, phone, invitation };

/** The length is checked before the items, because each wrong item makes a message. */
const chosenCategories = z
  .array(serviceCategory, { error: NO_SERVICE })
  .min(1, NO_SERVICE)
  .max(MAX_CHOSEN_CATEGORIES, 'Please select each service category once.')
  .transform((chosen): ServiceCategory[] =>
    SERVICE_CATEGORIES.filter((category) => chosen.includes(category)),
  );

/** The list of a customer is ignored. */
export const registration = z
  .discriminatedUnion(
    'isServiceProvider',
    [
      z.object({ ...person, isServiceProvider: z.literal(true), serviceCategories: chosenCategories }),
      z.object({
        ...person,
        isServiceProvider: z.literal(false),
        serviceCategories: z
          .unknown()
          .optional()
          .transform((): ServiceCategory[] => []),
      }),
    ],
    { error: 'Please say whether you are a service provider.' },
  )
  .superRefine((person, context) => {
    if (isOwnName(person.password, person))
      context.addIssue({ code: 'custom', path: ['password'], message: OWN_NAME_AS_PASSWORD });
  });

export const credentials = z.object({
  email: typedEmail.meta(NOT_BLANK),
  password: anyPassword('Password', 'Password is too long.'),
  /** Of the authenticator app, or a recovery code; only for an account with a second factor. */
  code: factorCode.optional(),
});

/** Omitted fields stay. */
export const profileChange = z.object({
  email: email.optional(),
  username: username.optional(),
  fullName: fullName.optional(),
  /** Null or a blank text removes the number. */
  phone: phoneOrNull.optional(),
  isServiceProvider: z.boolean({ error: 'Please say whether you are a service provider.' }).optional(),
  /** All services from now on; a customer who also sends `isServiceProvider` becomes a provider. */
  serviceCategories: chosenCategories.optional(),
  /** Null goes back to the day of the calendar. */
  dayStartHour: dayStartHour.nullable().optional(),
  /** Required to change the email. */
  currentPassword: anyPassword('Current password', 'Current password is too long.').optional(),
});

export const RECENT_PASSWORD_MINUTES = 15;

export const confirmation = z.object({ password: anyPassword('Password', 'Password is too long.') });

export const passwordChange = z.object({
  /** Required but for a password that the operator made, in a session in which a login or passkey is recent. */
  currentPassword: anyPassword('Current password', 'Current password is too long.').optional(),
  newPassword: password,
});

export const CLOSING_WORD = 'close';

/** A login within these days reopens the account. */
export const CLOSING_GRACE_DAYS = 7;

export const closing = z.object({
  currentPassword: anyPassword('Current password', 'Current password is too long.'),
  confirmation: z
    .string({ error: `Please type the word ${CLOSING_WORD}.` })
    .trim()
    .toLowerCase()
    .meta({ pattern: '^\\s*[Cc][Ll][Oo][Ss][Ee]\\s*$' })
    .pipe(z.literal(CLOSING_WORD, { error: `Please type the word ${CLOSING_WORD}.` })),
});

export const closingAnswer = z.object({
  /** ISO 8601 in UTC. A login before this time keeps the account open. */
  closesAt: z.iso.datetime(),
});

export const session = z.object({
  id: z.string().regex(idPattern('ses')).brand<'SessionId'>(),
  /** Such as "Chrome on Android"; null when the client sent none. */
  device: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** When an unused session ends. */
  expiresAt: z.iso.datetime(),
  /** When the owner last proved to know the password. */
  confirmedAt: z.iso.datetime().nullable(),
  isCurrent: z.boolean(),
});

/** A user as shown to themselves. Totals in cents: net amounts received, and amounts given without fees. */
export const user = z.object({
  id: z.string().regex(idPattern('usr')).brand<'UserId'>(),
  email: z.string(),
  username: z.string(),
  fullName: z.string(),
  phone: z.string().nullable(),
  isServiceProvider: z.boolean(),
  serviceCategories: z.array(serviceCategory),
  totalTipsReceivedCents: z.int().min(0).brand<'Cents'>(),
  totalTipsGivenCents: z.int().min(0).brand<'Cents'>(),
  /** When the owner's day ends and the next one begins; null until they chose an hour. */
  dayStartHour: dayStartHour.nullable(),
  /** Set when the operator chose the password; all else is refused until it is changed. */
  mustChangePassword: z.boolean(),
  /** Set for a provider without a second factor where the operator requires one; all else is refused before. */
  mustAddSecondFactor: z.boolean(),
});

export const login = z.object({
  /** Opaque; sent as `Authorization: Bearer ...`. */
  accessToken: z.string(),
  /** When an unused session ends, ISO 8601 in UTC. */
  expiresAt: z.iso.datetime(),
  /** Whether this login ended the account's closing. */
  reopened: z.boolean(),
  user,
});

export type Registration = z.output<typeof registration>;
export type ProfileChange = z.output<typeof profileChange>;
export type Closing = z.output<typeof closing>;
export type ClosingAnswer = z.infer<typeof closingAnswer>;
export type Confirmation = z.output<typeof confirmation>;
export type Credentials = z.output<typeof credentials>;
export type PasswordChange = z.output<typeof passwordChange>;
export type Session = z.infer<typeof session>;
export type User = z.infer<typeof user>;
export type Login = z.infer<typeof login>;
