/** Passkeys in the browser: answers the options of the server, and says in words what went wrong. */
import {
  browserSupportsWebAuthn,
  startAuthentication,
  startRegistration,
  WebAuthnError,
} from '@simplewebauthn/browser';

/** Its message is for people. */
export class PasskeyFailure extends Error {
  override readonly name = 'PasskeyFailure';
}

export const hasPasskeys = browserSupportsWebAuthn;

/** @param options of the server, as JSON. @returns the answer, as JSON. @throws PasskeyFailure. */
export const makePasskey = (options: string): Promise<string> =>
  answering(() => startRegistration({ optionsJSON: JSON.parse(options) }));

export const presentPasskey = (options: string): Promise<string> =>
  answering(() => startAuthentication({ optionsJSON: JSON.parse(options) }));

async function answering(ask: () => Promise<unknown>): Promise<string> {
  try {
    return JSON.stringify(await ask());
  } catch (cause) {
    throw new PasskeyFailure(sentenceOf(cause), { cause });
  }
}

function sentenceOf(error: unknown): string {
  const name = error instanceof Error ? error.name : '';
  const code = error instanceof WebAuthnError ? error.code : null;
  if (code === 'ERROR_AUTHENTICATOR_PREVIOUSLY_REGISTERED') return 'This device already has a passkey here.';
  if (code === 'ERROR_INVALID_DOMAIN' || code === 'ERROR_INVALID_RP_ID')
    return 'Passkeys work only at the address that PUBLIC_URL names, over https.';
  if (name === 'NotAllowedError' || name === 'AbortError')
    return 'That was canceled, or it took too long. Try again.';
  return 'The passkey did not work. Try again, or use another device.';
}
