/** Makes and uses passkeys. The package that speaks with the browser is fetched by the first call. */

/** Whether this browser has passkeys; on some addresses it offers none. */
export const hasPasskeys = () => typeof window.PublicKeyCredential === 'function';

/** @returns the answer as JSON; null when the person gave up, or has no passkey for this site here. */
export async function signWithPasskey(options: string): Promise<string | null> {
  const { startAuthentication } = await import('@simplewebauthn/browser');
  return answerOf(startAuthentication({ optionsJSON: JSON.parse(options) }));
}

/** @returns null when the person gave up, or has a passkey for this account here already. */
export async function createPasskey(options: string): Promise<string | null> {
  const { startRegistration } = await import('@simplewebauthn/browser');
  return answerOf(startRegistration({ optionsJSON: JSON.parse(options) }));
}

/** Browsers do not tell apart why there is no answer, so that sites learn nothing of what somebody has. */
async function answerOf(asked: Promise<object>): Promise<string | null> {
  try {
    return JSON.stringify(await asked);
  } catch {
    return null;
  }
}
