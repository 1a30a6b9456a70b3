/**
 * The words of the accounts chapter that both sides speak: the rules of registration, login, and the user as
 * shown to themselves. What only the server can know (is the email taken, is the password common) is not here.
 */
import { z } from 'zod';
import { brand } from './brand.ts';
import { SERVICE_CATEGORIES, type ServiceCategory } from './categories.ts';
import { serviceCategory } from './qr-codes.ts';

/** In characters, after normalisation. */
const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 256;

/** Longest address that SMTP can carry (RFC 5321, section 4.5.3.1.3, less the angle brackets). */
const MAX_EMAIL_LENGTH = 254;
const MAX_NAME_LENGTH = 60;

const USERNAME = /^[a-z0-9][a-z0-9_.-]*[a-z0-9]$/;
const PHONE = /^\+?[\d ().\-/]+$/;

/**
 * Control characters, lone surrogates, line separators, bidi controls, and whatever is drawn without any width; the
 * two variation selectors that emoji are written with may stay.
 */
const INVISIBLE =
  /\p{Cc}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Bidi_Control}|(?![\uFE0E\uFE0F])\p{Default_Ignorable_Code_Point}/u;
const VISIBLE = /[\p{L}\p{N}\p{P}\p{S}]/u;

/** Names that would pass for the site itself, or for one of its addresses. */
const RESERVED_USERNAMES: ReadonlySet<string> = new Set([
  ...[
    'about',
    'account',
    'accounts',
    'admin',
    'administrator',
    'anonymous',
    'api',
    'auth',
    'billing',
    'contact',
  ],
  ...[
    'dashboard',
    'demo',
    'docs',
    'everyone',
    'healthz',
    'help',
    'info',
    'login',
    'logout',
    'me',
    'mail',
    'moderator',
  ],
  ...[
    'nobody',
    'null',
    'official',
    'owner',
    'payment',
    'payments',
    'postmaster',
    'readyz',
    'register',
    'root',
    'scan',
  ],
  ...[
    'security',
    'service',
    'settings',
    'signup',
    'staff',
    'support',
    'system',
    'team',
    'tip',
    'tips',
    'trpc',
  ],
  ...['undefined', 'user', 'users', 'webmaster', 'www', brand.name.toLowerCase()],
]);

/** Unicode's compatibility form, so that a password typed on another keyboard is still the same password. */
export function normalizePassword(password: string): string {
  return password.normalize('NFKC');
}

function required(label: string) {
  return z
    .string({
      error: ({ input }) =>
        input === undefined || input === null ? `${label} is required.` : `${label} must be text.`,
    })
    .refine((text) => text.trim() !== '', { error: `${label} is required.`, abort: true });
}

const email = required('Email')
  .trim()
  .max(MAX_EMAIL_LENGTH, 'Email is too long.')
  .pipe(z.email('Please enter a valid email address.'));

const username = required('Username')
  .trim()
  .toLowerCase()
  .refine((name) => name.length >= 3 && name.length <= 30, {
    error: 'Username must have 3 to 30 characters.',
    abort: true,
  })
  .refine((name) => USERNAME.test(name), {
    error:
      'Username may have letters, digits, dots, hyphens and underscores, and starts and ends with a letter or digit.',
    abort: true,
  })
  .refine((name) => !RESERVED_USERNAMES.has(name), 'This username is reserved.');

const fullName = required('Full name')
  .trim()
  .normalize('NFC')
  .refine(
    (name) => [...name].length <= MAX_NAME_LENGTH,
    `Full name may have up to ${MAX_NAME_LENGTH} characters.`,
  )
  .refine(
    (name) => VISIBLE.test(name) && !INVISIBLE.test(name),
    'Full name has characters that cannot be shown.',
  );

const password = required('Password').refine((text) => {
  const { length } = [...normalizePassword(text)];
  return length >= MIN_PASSWORD_LENGTH && length <= MAX_PASSWORD_LENGTH;
}, `Password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters.`);

/** Whether a password is an account's email or username, written in whatever way. */
export function isOwnName(
  password: string,
  { email, username }: { readonly email: string; readonly username: string },
): boolean {
  const plain = normalizePassword(password).toLowerCase();
  return plain === email.toLowerCase() || plain === username;
}

export const OWN_NAME_AS_PASSWORD = 'Password must not be your email or your username.';

const phone = z
  .string({ error: 'Phone must be text.' })
  .trim()
  .refine((text) => {
    if (text === '') return true;
    const digits = text.replace(/\D/g, '').length;
    return text.length <= 40 && PHONE.test(text) && digits >= 7 && digits <= 20;
  }, 'Please enter a valid phone number.')
  .transform((text) => (text === '' ? null : text))
  .nullish()
  .transform((text) => text ?? null);

const person = { email, username, fullName, password, phone };

const chosenCategories = z
  .array(serviceCategory, { error: 'Please select at least one service category.' })
  .min(1, 'Please select at least one service category.')
  .max(100, 'Please select each service category once.')
  .transform((chosen): ServiceCategory[] =>
    SERVICE_CATEGORIES.filter((category) => chosen.includes(category)),
  );

/** A provider names at least one service; for a customer whatever list is sent along is ignored. */
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

export const credentials = z.object({ email: required('Email').trim(), password: required('Password') });

export const passwordChange = z.object({
  currentPassword: required('Current password'),
  newPassword: password,
});

/** A place where an account is logged in, as its owner sees it. */
export const session = z.object({
  id: z.string().brand<'SessionId'>(),
  /** Such as "Chrome on Android"; null when the client did not say. */
  device: z.string().nullable(),
  createdAt: z.iso.datetime(),
  /** When it ends unless it is used before. */
  expiresAt: z.iso.datetime(),
  /** Whether it is the session that asks. */
  isCurrent: z.boolean(),
});

/** A user as shown to themselves. Totals are in cents: what reached them, and what they tipped without fees. */
export const user = z.object({
  id: z.string().brand<'UserId'>(),
  email: z.string(),
  username: z.string(),
  fullName: z.string(),
  phone: z.string().nullable(),
  isServiceProvider: z.boolean(),
  serviceCategories: z.array(serviceCategory),
  totalTipsReceivedCents: z.int().brand<'Cents'>(),
  totalTipsGivenCents: z.int().brand<'Cents'>(),
});

export const login = z.object({
  /** Opaque; sent back as `Authorization: Bearer ...`. */
  accessToken: z.string(),
  /** When the session ends unless it is used before, ISO 8601 in UTC. */
  expiresAt: z.iso.datetime(),
  user,
});

export type Registration = z.output<typeof registration>;
export type Credentials = z.output<typeof credentials>;
export type PasswordChange = z.output<typeof passwordChange>;
export type Session = z.infer<typeof session>;
export type User = z.infer<typeof user>;
export type Login = z.infer<typeof login>;
