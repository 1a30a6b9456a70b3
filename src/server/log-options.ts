/** Redacts the keys of the payment service, which its errors may quote, and API keys from every line of the log. */
import type { LoggerOptions } from 'pino';
import { API_KEY_PREFIX } from '#shared/api-scopes.ts';
import type { Config } from './config.ts';

const REST = String.raw`[\w*+/=-]+`;
/** No letter, digit or underscore before the key. JSON escapes a line break as two characters, the second a letter. */
const AT_BEGIN = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))`;
/** All that begins like a key of Stripe (https://docs.stripe.com/keys), also where Stripe has masked its middle. */
const KEYS = new RegExp(
  `((?:[prs]k_(?:org_)?(?:test|live)|whsec)_|${API_KEY_PREFIX})${REST}|${AT_BEGIN}([prs]k_)${REST}`,
  'g',
);

export function logOptions({ logLevel, stripe }: Pick<Config, 'logLevel' | 'stripe'>): LoggerOptions {
  const configured = stripe ? [stripe.secretKey, ...stripe.webhookSecrets] : [];
  const quoted = configured.map((secret) => JSON.stringify(secret).slice(1, -1));
  const hide = (line: string) =>
    quoted.reduce((text, secret) => text.replaceAll(secret, '***'), line).replace(KEYS, '$1$2***');
  return { level: logLevel, base: null, hooks: { streamWrite: hide } };
}
