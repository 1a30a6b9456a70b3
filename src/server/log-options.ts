/** What the log never says, whoever writes a line: keys of the payment service, which its errors may quote. */
import type { LoggerOptions } from 'pino';
import type { Config } from './config.ts';

const REST = String.raw`[\w*+/=-]+`;
/** Nothing that makes a longer word stands before it; JSON writes a new line as two signs, of which the second is a letter. */
const AT_BEGIN = String.raw`(?:(?<![A-Za-z0-9_])|(?<=\\[bfnrt])|(?<=\\u[0-9a-f]{4}))`;
/** All that begins as a key of Stripe does (https://docs.stripe.com/keys), also where Stripe has left out its middle. */
const KEYS = new RegExp(`((?:[prs]k_(?:org_)?(?:test|live)|whsec)_)${REST}|${AT_BEGIN}([prs]k_)${REST}`, 'g');

/** How a logger is made for a configuration: each line is JSON, and has neither a key nor a signing secret. */
export function logOptions({ logLevel, stripe }: Pick<Config, 'logLevel' | 'stripe'>): LoggerOptions {
  const configured = stripe ? [stripe.secretKey, ...stripe.webhookSecrets] : [];
  // As they stand in a line.
  const quoted = configured.map((secret) => JSON.stringify(secret).slice(1, -1));
  const hide = (line: string) =>
    quoted.reduce((text, secret) => text.replaceAll(secret, '***'), line).replace(KEYS, '$1$2***');
  return { level: logLevel, base: null, hooks: { streamWrite: hide } };
}
