/** Schemas of API keys, by which programs act for an account within the scopes of a key. */
import { z } from 'zod';
import { API_SCOPES, type ApiScope } from './api-scopes.ts';
import { hasLetterDigitOrEmoji, MAX_NAME_LENGTH, MAX_TYPED_NAME_LENGTH } from './display-names.ts';
import { idPattern } from './ids.ts';
import { shownText } from './messages.ts';
import { closedObject } from './unknown-names.ts';

const MAX_KEY_DAYS = 730;
const DEFAULT_KEY_DAYS = 365;
const MAX_KEY_ADDRESSES = 10;
/** The longest network in CIDR notation. */
const MAX_ADDRESS_LENGTH = 43;

const NAME_LENGTH = `The name may have up to ${MAX_NAME_LENGTH} characters.`;
const NO_SCOPE = 'Please choose what the key may do.';
const NO_DAYS = `A key works for 1 to ${MAX_KEY_DAYS} days.`;
const NO_ADDRESS = 'An address must be written as 192.0.2.1, 192.0.2.0/24, 2001:db8::1 or 2001:db8::/32.';
const TOO_MANY_ADDRESSES = `A key may have up to ${MAX_KEY_ADDRESSES} addresses.`;

const ADDRESS = new RegExp(
  [z.regexes.ipv4, z.regexes.cidrv4, z.regexes.ipv6, z.regexes.cidrv6]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
);

const name = shownText('The name', {
  maxTyped: MAX_TYPED_NAME_LENGTH,
  max: MAX_NAME_LENGTH,
  tooLong: NAME_LENGTH,
})
  .refine(hasLetterDigitOrEmoji, 'The name needs a letter, a digit or an emoji.')
  .meta({ pattern: '\\S', maxLength: MAX_NAME_LENGTH });

/** Refuses unknown members, because a misspelt `addresses` would make a key that works from anywhere. */
export const newApiKey = closedObject({
  name,
  scopes: z
    .array(z.enum(API_SCOPES, { error: `A scope must be one of ${API_SCOPES.join(', ')}.` }), {
      error: NO_SCOPE,
    })
    .min(1, NO_SCOPE)
    .max(API_SCOPES.length, { error: 'Please choose each scope once.', abort: true })
    .transform((chosen): ApiScope[] => API_SCOPES.filter((scope) => chosen.includes(scope))),
  days: z
    .int({ error: NO_DAYS })
    .min(1, NO_DAYS)
    .max(MAX_KEY_DAYS, NO_DAYS)
    .optional()
    .transform((days) => days ?? DEFAULT_KEY_DAYS),
  /** Where it may be used from; empty for anywhere. */
  addresses: z
    .array(
      z
        .string({ error: NO_ADDRESS })
        .max(MAX_ADDRESS_LENGTH, { error: NO_ADDRESS, abort: true })
        .regex(ADDRESS, NO_ADDRESS),
      { error: 'The addresses must be a list.' },
    )
    .max(MAX_KEY_ADDRESSES, { error: TOO_MANY_ADDRESSES, abort: true })
    .optional()
    .transform((addresses) => addresses ?? []),
});

/** A key as shown to its owner, without its text. */
export const apiKey = z.object({
  id: z.string().regex(idPattern('key')).brand<'ApiKeyId'>(),
  name: z.string(),
  scopes: z.array(z.enum(API_SCOPES)),
  addresses: z.array(z.string()),
  /** The last characters of its text. */
  ending: z.string(),
  createdAt: z.iso.datetime(),
  expiresAt: z.iso.datetime(),
  /** To the hour; null until it is used. */
  lastUsedAt: z.iso.datetime().nullable(),
});

/** A key with its text, which is told this once. */
export const madeApiKey = apiKey.extend({
  /** Sent as `Authorization: Bearer ...`. */
  text: z.string(),
});

export const apiKeyQuery = z.object({ id: z.string().brand<'ApiKeyId'>() });

export type NewApiKey = z.output<typeof newApiKey>;
export type ApiKey = z.infer<typeof apiKey>;
export type MadeApiKey = z.infer<typeof madeApiKey>;
