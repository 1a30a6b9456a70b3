/** The only reader of process.env: every setting is optional, parsed once at start, and passed on from here. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { isServiceCategory, SERVICE_CATEGORIES, type ServiceCategory } from '#shared/categories.ts';
import { readOperatorContact } from '#shared/later/operator-contact.ts';
import { isOwnMachine } from '#shared/own-machine.ts';
import { REGISTRATION_MODES, type RegistrationMode } from '#shared/registration-mode.ts';
import type { Maintenance } from '#shared/rendered-page.ts';
import { SOFTWARE } from '#shared/software.ts';
import { brandSettings } from './brand/brand-settings.ts';
import {
  databaseFrom,
  EXAMPLE_TIME,
  isAddressOrNetwork,
  isDatabase,
  isLoopback,
  isLoopbackHost,
  isLoopbackUrl,
  isOrigin,
  isPublicUrl,
  isPushHost,
  isSmtpUrl,
  mailboxFrom,
  settingsWithOpenHash,
  timeFrom,
  warnOfMisspelt,
} from './setting-forms.ts';
import type { DatabaseAddress } from './storage/port/database.ts';
import { hasPlainSslMode, isMeantForPostgres, isPostgresUrl, SSL_MODE_RULE } from './storage/postgres-url.ts';

export interface StripeConfig {
  readonly secretKey: string;
  readonly webhookSecrets: readonly string[];
  /** The address of a stand-in for Stripe; null for Stripe itself. */
  readonly apiBase: string | null;
  readonly excludedCategories: readonly ServiceCategory[];
}

export interface MailConfig {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte; otherwise STARTTLS where the server offers it. */
  readonly isSecure: boolean;
  readonly auth: { readonly user: string; readonly password: string } | null;
  readonly isOwnMachine: boolean;
  readonly from: { readonly name: string; readonly address: string };
}

export interface Config {
  readonly host: string;
  readonly port: number;
  /** The address in QR codes: an origin, without a trailing slash. */
  readonly publicUrl: string;
  readonly database: DatabaseAddress;
  readonly sessionLifetimeMs: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  readonly hashesLogNames: boolean;
  /** Origins whose pages may call the API from a browser; none by default. */
  readonly corsOrigins: readonly string[];
  readonly trustedProxies: readonly string[];
  /** The time within which a giver may take a tip back; 0 for never. */
  readonly undoMs: number;
  readonly isRateLimited: boolean;
  readonly takesGuestTips: boolean;
  /** An email address, a phone number or an https URL; empty for none. */
  readonly operatorContact: string;
  /** Host names of additional push services; a leading `*.` includes all hosts below. */
  readonly pushHosts: readonly string[];
  /** Whether webhooks may call this machine, over http as well. */
  readonly allowsLoopbackWebhooks: boolean;
  readonly stripe: StripeConfig | null;
  readonly mail: MailConfig | null;
  readonly backupFolder: string | null;
  readonly blockedWordsFile: string | null;
  readonly registration: RegistrationMode;
  readonly requiresProviderFactors: boolean;
  readonly brandColour: string | null;
  readonly brandFolder: string | null;
  readonly warnings: readonly string[];
  /** Whether tips are simulated also where payments were taken before. */
  readonly simulatesPayments: boolean;
  readonly metrics: { readonly host: string; readonly port: number } | null;
  readonly maintenance: Maintenance | null;
  /** Whether the operator's console is there, and for which addresses and networks; none for all. */
  readonly console: { readonly isOn: boolean; readonly addresses: readonly string[] };
}

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;

const wholeNumber = (from: number, to: number, fallback: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, `must be a whole number from ${from} to ${to}`)
    .transform(Number)
    .refine((value) => value >= from && value <= to, `must be a whole number from ${from} to ${to}`)
    .default(fallback);

const path = () =>
  z
    .string()
    .refine((text) => !text.includes('\0'), 'must be a path')
    .optional();

const listOf = (isItem: (item: string) => boolean, message: string, fallback: string[] = []) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((item) => item.trim())
        .filter((item) => item !== ''),
    )
    .refine((items) => items.every(isItem), message)
    .default(fallback);

const host = () =>
  z
    .string()
    .regex(/^[a-zA-Z0-9.:-]{1,253}$/, 'must be an address or a host name')
    .default('127.0.0.1');

const environment = z.object({
  NODE_ENV: z.string().optional(),
  HOST: host(),
  PORT: wholeNumber(1, 65_535, 3_000),
  PUBLIC_URL: z
    .string()
    .refine(
      isPublicUrl,
      'must be an address such as https://tips.example.com, without path, query or fragment',
    )
    .transform((url) => new URL(url).origin)
    .optional(),
  DATABASE_URL: z
    .string()
    .refine(
      isDatabase,
      'must be a file path without quotation marks, or the address of a PostgreSQL database',
    )
    .refine(hasPlainSslMode, { error: SSL_MODE_RULE, abort: true })
    .refine(
      (text) => !isMeantForPostgres(text) || isPostgresUrl(text),
      'must name a host and a database, such as postgres://tipwell:PASSWORD@db.example.com/tipwell, ' +
        'with %40 %2F %3A %23 %25 for the signs @ / : # % in a password',
    )
    .default('data/tipwell.db')
    .transform(databaseFrom),
  TRUST_PROXY: listOf(isAddressOrNetwork, 'must list addresses or networks such as 127.0.0.1 or 10.0.0.0/8'),
  RATE_LIMIT: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  GUEST_TIPS: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  OPERATOR_CONTACT: z
    .string()
    .trim()
    .refine(
      (text) => readOperatorContact(text) !== null,
      'must be an email address, a phone number, or an address such as https://example.com/help',
    )
    .default(''),
  SESSION_DAYS: wholeNumber(1, 3_650, 30),
  UNDO_MINUTES: wholeNumber(0, 1_440, 10),
  LOG_LEVEL: z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(', ')}` }).default('info'),
  LOG_ADDRESSES: z.enum(['plain', 'hashed'], { error: 'must be plain or hashed' }).default('plain'),
  BACKUP_FOLDER: path(),
  BLOCKED_WORDS_FILE: path(),
  PAYMENTS: z.literal('simulated', { error: 'must be simulated, or left out' }).optional(),
  STRIPE_SECRET_KEY: z
    .string()
    .regex(
      /^[rs]k_(?:test|live)_[A-Za-z0-9]+$/,
      'must be a secret key of Stripe, which begins with sk_ or rk_',
    )
    .optional(),
  STRIPE_WEBHOOK_SECRET: listOf(
    (item) => /^whsec_\S+$/.test(item),
    'must list signing secrets of Stripe, which begin with whsec_',
  ),
  STRIPE_API_BASE: z
    .string()
    .refine(isLoopbackUrl, 'must be an address of this machine, such as http://127.0.0.1:12111')
    .optional(),
  STRIPE_EXCLUDED_CATEGORIES: listOf(
    (item) => isServiceCategory(item) || item === 'none',
    `must list services (${SERVICE_CATEGORIES.join(', ')}), or be none`,
    ['escort'],
  ),
  SMTP_URL: z
    .string()
    .refine(
      isSmtpUrl,
      'must be smtp:// or smtps:// with a host, such as smtps://USER:PASSWORD@mail.example.com, ' +
        'with %40 %2F %3A %23 %25 for the signs @ / : # % in a user or password',
    )
    .optional(),
  MAIL_FROM: z
    .string()
    .refine(
      (text) => mailboxFrom(text) !== null,
      `must be an address, such as tips@example.com or ${SOFTWARE} <tips@example.com>`,
    )
    .optional(),
  PUSH_HOSTS: listOf(isPushHost, 'must list host names such as push.example.com or *.push.example.com'),
  WEBHOOK_LOOPBACK: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  CORS_ORIGINS: listOf(isOrigin, 'must list origins such as https://app.example.com'),
  REGISTRATION: z.enum(REGISTRATION_MODES, { error: 'must be open, invite or closed' }).default('open'),
  PROVIDER_SECOND_FACTOR: z
    .enum(['optional', 'required'], { error: 'must be optional or required' })
    .default('optional'),
  ...brandSettings,
  METRICS_PORT: wholeNumber(0, 65_535, 0),
  METRICS_HOST: host(),
  MAINTENANCE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('off'),
  MAINTENANCE_UNTIL: z
    .string()
    .refine((text) => timeFrom(text) !== null, `must be a time such as ${EXAMPLE_TIME}`)
    .optional(),
  OPERATOR_CONSOLE: z.enum(['on', 'off'], { error: 'must be on or off' }).default('on'),
  OPERATOR_IPS: listOf(isAddressOrNetwork, 'must list addresses or networks such as 192.0.2.7 or 10.0.0.0/8'),
});

export const SETTING_NAMES = Object.keys(environment.omit({ NODE_ENV: true }).shape);

/** Its message is one line that names every wrong setting, and why. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

/**
 * `.env` in the working directory counts less than the process's environment. @throws ConfigError when it is unreadable
 * or in UTF-16, of which Node.js reads no setting, or systemd would read it otherwise.
 */
export function readEnvironment(): Readonly<Record<string, string | undefined>> {
  try {
    // Node.js takes a file that it may not read for one that is not there, and all settings would be the defaults.
    const text = readFileSync('.env', 'utf8');
    if (['\0', '\uFFFD'].some((sign) => text.includes(sign)))
      throw new ConfigError('cannot read the file .env: it is not UTF-8 text');
    const otherwise = settingsWithOpenHash(text, SETTING_NAMES);
    if (otherwise.length > 0)
      throw new ConfigError(
        `${otherwise.join(', ')} must be in quotation marks in the file .env, because a # in its line ends it for ` +
          'this program and not for systemd; a comment needs a line of its own',
      );
    process.loadEnvFile();
  } catch (error) {
    if (!(error instanceof Error) || error instanceof ConfigError) throw error;
    if (!('code' in error && error.code === 'ENOENT'))
      throw new ConfigError(`cannot read the file .env: ${error.message}`, { cause: error });
  }
  return process.env;
}

/** An empty value counts as missing. @throws ConfigError naming all wrong settings. */
export function parseConfig(variables: Readonly<Record<string, string | undefined>>): Config {
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const parsed = environment.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map(({ path, message }) => `${path.join('.')} ${message}`).join('; '),
    );
  }
  const { data } = parsed;
  if (data.RATE_LIMIT === 'off' && !isLoopback(data.HOST)) {
    throw new ConfigError('RATE_LIMIT may be off only while HOST is a loopback address');
  }
  if (data.RATE_LIMIT === 'on' && data.PUSH_HOSTS.some(isLoopbackHost)) {
    throw new ConfigError('PUSH_HOSTS must not name this machine unless RATE_LIMIT is off');
  }
  const publicUrl = data.PUBLIC_URL ?? `http://localhost:${data.PORT}`;
  if (data.WEBHOOK_LOOPBACK === 'on' && publicUrl.startsWith('https:')) {
    throw new ConfigError('WEBHOOK_LOOPBACK may be on only while PUBLIC_URL is not an https URL');
  }
  const warnings = warnOfMisspelt(Object.keys(given), SETTING_NAMES);
  if (isOwnMachine(publicUrl) && (data.NODE_ENV === 'production' || !isLoopback(data.HOST))) {
    warnings.push(
      `PUBLIC_URL is ${data.PUBLIC_URL ?? 'not set'}: printed QR codes will lead to ` +
        `${new URL(publicUrl).hostname}, where no customer can go.`,
    );
  }
  if (data.TRUST_PROXY.some((network) => network.endsWith('/0')))
    warnings.push('TRUST_PROXY names every address: whoever reaches this server can pass for any address.');
  if (data.MAINTENANCE === 'on') warnings.push('MAINTENANCE is on: tips and refunds are paused.');
  return {
    host: data.HOST,
    port: data.PORT,
    publicUrl,
    database: data.DATABASE_URL,
    sessionLifetimeMs: data.SESSION_DAYS * DAY_MS,
    undoMs: data.UNDO_MINUTES * MINUTE_MS,
    logLevel: data.LOG_LEVEL,
    hashesLogNames: data.LOG_ADDRESSES === 'hashed',
    corsOrigins: data.CORS_ORIGINS,
    trustedProxies: data.TRUST_PROXY,
    isRateLimited: data.RATE_LIMIT === 'on',
    takesGuestTips: data.GUEST_TIPS === 'on',
    operatorContact: data.OPERATOR_CONTACT,
    pushHosts: data.PUSH_HOSTS,
    allowsLoopbackWebhooks: data.WEBHOOK_LOOPBACK === 'on',
    stripe: stripeFrom(data),
    mail: mailFrom(data),
    backupFolder: data.BACKUP_FOLDER === undefined ? null : resolve(data.BACKUP_FOLDER),
    blockedWordsFile: data.BLOCKED_WORDS_FILE === undefined ? null : resolve(data.BLOCKED_WORDS_FILE),
    registration: data.REGISTRATION,
    requiresProviderFactors: data.PROVIDER_SECOND_FACTOR === 'required',
    brandColour: data.BRAND_COLOR ?? null,
    brandFolder: data.BRAND_FOLDER ?? null,
    warnings,
    simulatesPayments: data.PAYMENTS === 'simulated',
    metrics: data.METRICS_PORT === 0 ? null : { host: data.METRICS_HOST, port: data.METRICS_PORT },
    console: { isOn: data.OPERATOR_CONSOLE === 'on', addresses: data.OPERATOR_IPS },
    maintenance: data.MAINTENANCE === 'on' ? { untilMs: timeFrom(data.MAINTENANCE_UNTIL ?? '') } : null,
  };
}

function stripeFrom(data: z.output<typeof environment>): StripeConfig | null {
  const { STRIPE_SECRET_KEY: secretKey, STRIPE_WEBHOOK_SECRET: webhookSecrets } = data;
  if (secretKey === undefined && webhookSecrets.length === 0) return null;
  if (data.PAYMENTS === 'simulated')
    throw new ConfigError(
      'PAYMENTS is simulated, so STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET must be left out',
    );
  if (secretKey === undefined || webhookSecrets.length === 0)
    throw new ConfigError('STRIPE_SECRET_KEY and STRIPE_WEBHOOK_SECRET are needed together');
  return {
    secretKey,
    webhookSecrets,
    apiBase: data.STRIPE_API_BASE ?? null,
    excludedCategories: data.STRIPE_EXCLUDED_CATEGORIES.filter(isServiceCategory),
  };
}

function mailFrom({ SMTP_URL: url, MAIL_FROM: sender }: z.output<typeof environment>): MailConfig | null {
  if (url === undefined && sender === undefined) return null;
  const from = sender === undefined ? null : mailboxFrom(sender);
  if (url === undefined || from === null) throw new ConfigError('SMTP_URL and MAIL_FROM are needed together');
  const { protocol, hostname, port, username, password } = new URL(url);
  const isSecure = protocol === 'smtps:';
  const host = hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: port === '' ? (isSecure ? 465 : 587) : Number(port),
    isSecure,
    auth:
      username === '' ? null : { user: decodeURIComponent(username), password: decodeURIComponent(password) },
    isOwnMachine: isLoopback(host),
    from,
  };
}
