/** Reads what browsers answer, as the JSON of WebAuthn Level 3, before the package that verifies it sees it. */
import { z } from 'zod';

const base64url = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[A-Za-z0-9_-]+$/);

/** An id has 1,023 bytes at most (WebAuthn Level 3, section 6.5.1). */
const credential = {
  id: base64url(1_364),
  rawId: base64url(1_364),
  type: z.literal('public-key'),
  clientExtensionResults: z.unknown().transform(() => ({})),
};

const assertion = z.object({
  ...credential,
  response: z
    .object({
      clientDataJSON: base64url(4_096),
      authenticatorData: base64url(4_096),
      signature: base64url(8_192),
      userHandle: base64url(128).nullish(),
    })
    .transform(({ userHandle, ...signed }) => ({ ...signed, ...(userHandle && { userHandle }) })),
});

const TRANSPORTS = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb'];

const attestation = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: base64url(4_096),
    attestationObject: base64url(12_288),
    transports: z
      .array(z.string())
      .max(16)
      .catch([])
      .transform((told) => TRANSPORTS.filter((transport) => told.includes(transport))),
  }),
});

/** Null for a text that is no answer to `navigator.credentials.get`. */
export function passkeyAssertion(text: string) {
  return assertion.safeParse(parsed(text)).data ?? null;
}

/**
 * Null for a text that is no answer to `navigator.credentials.create`, and for one with certificates: to check these,
 * addresses that they name would be called.
 */
export async function passkeyAttestation(text: string) {
  const { data } = attestation.safeParse(parsed(text));
  if (!data) return null;
  const { decodeAttestationObject } = await import('@simplewebauthn/server/helpers');
  try {
    const bytes = new Uint8Array(Buffer.from(data.response.attestationObject, 'base64url'));
    const decoded = decodeAttestationObject(bytes);
    const isPlain = decoded.get('fmt') === 'none';
    const isSelfSigned = decoded.get('fmt') === 'packed' && !decoded.get('attStmt').get('x5c');
    return isPlain || isSelfSigned ? data : null;
  } catch {
    return null;
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
