/** Secrets and signatures of webhooks (Standard Webhooks 1.0). */
import { createHmac } from 'node:crypto';
import { SECRET_BYTES, type WebhookSecrets } from '#server/storage/port/webhooks.ts';

const PREFIX = 'whsec_';

export function secretText(secret: Uint8Array): string {
  return PREFIX + Buffer.from(secret).toString('base64');
}

/** The headers that name and sign a message: by the present secret, and those before while they last. */
export function signedHeaders(
  { id, body, nowMs }: { readonly id: string; readonly body: string; readonly nowMs: number },
  { secret, oldSecret, oldSecretUntilMs }: WebhookSecrets,
): Readonly<Record<string, string>> {
  const timestamp = Math.floor(nowMs / 1_000);
  const isOldValid = oldSecret !== null && oldSecretUntilMs !== null && nowMs < oldSecretUntilMs;
  const signatures = [secret, ...(isOldValid ? secretsIn(oldSecret) : [])].map((key) => {
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
    return `v1,${signature}`;
  });
  return {
    'webhook-id': id,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}

function secretsIn(bytes: Uint8Array): readonly Uint8Array[] {
  const starts = Array.from(
    { length: Math.ceil(bytes.length / SECRET_BYTES) },
    (_, index) => index * SECRET_BYTES,
  );
  return starts.map((start) => bytes.subarray(start, start + SECRET_BYTES));
}
