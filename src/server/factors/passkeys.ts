/**
 * Passkeys by WebAuthn. They are discoverable, so that nobody types an email, and verify their user, so that a phone
 * left on the bar logs nobody in.
 */
import { hash } from 'node:crypto';
import type { Act } from '#server/storage/port/audit.ts';
import type {
  Challenge,
  FactorStorage,
  FirstFactor,
  Holder,
  HolderKind,
  PasskeyRecord,
} from '#server/storage/port/factors.ts';
import type { NewMail } from '#server/storage/port/mails.ts';
import { StorageUnavailable } from '#server/storage/port/storage.ts';
import { brand } from '#shared/brand.ts';
import type { Clock } from '#shared/calendar.ts';
import { AppError } from '#shared/errors.ts';
import { newPasskeyId, type RandomBytes } from '#shared/ids.ts';
import { passkeyAssertion, passkeyAttestation } from './passkey-responses.ts';

const CHALLENGE_BYTES = 32;
const CHALLENGE_MS = 300_000;
/** Anybody may begin a login; beyond this number the oldest go. */
const MAX_LOGIN_CHALLENGES = 10_000;
const MAX_OWN_CHALLENGES = 20;
const MAX_PASSKEYS = 10;

export interface PasskeyNames {
  readonly name: string;
  readonly displayName: string;
}

/** EdDSA, ES256 and RS256, by their numbers in COSE; every authenticator knows one of them. */
const ALGORITHMS = [-8, -7, -257];

const loadWebAuthn = () => import('@simplewebauthn/server');

export function createPasskeys(deps: {
  readonly storage: FactorStorage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
}) {
  const { storage, clock, random, publicUrl } = deps;
  const rpId = new URL(publicUrl).hostname;
  const { origin } = new URL(publicUrl);

  const challenges = createChallenges(storage, clock, random);
  const { requestOptions, verified } = createAssertions({ storage, clock, rpId, origin, challenges });

  return {
    /** Passkeys are made for this host. */
    rpId,

    async beginEnrolment(holder: Holder, names: PasskeyNames): Promise<string> {
      const { generateRegistrationOptions } = await loadWebAuthn();
      const { passkeys } = await storage.summary(holder);
      const options = await generateRegistrationOptions({
        rpName: brand.name,
        rpID: rpId,
        userID: new Uint8Array(handleOf(holder)),
        userName: names.name,
        userDisplayName: names.displayName,
        challenge: await challenges.make(boundTo(holder, 'enrol')),
        attestationType: 'none',
        supportedAlgorithmIDs: ALGORITHMS,
        timeout: CHALLENGE_MS,
        excludeCredentials: passkeys.map(descriptorOf),
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      return JSON.stringify(options);
    },

    async add(holder: Holder, text: string, name: string, first: FirstFactor, mail?: NewMail, act?: Act) {
      const response = await passkeyAttestation(text);
      if (!response) throw new AppError('passkey_refused');
      const { verifyRegistrationResponse } = await loadWebAuthn();
      const result = await refusing(
        verifyRegistrationResponse({
          response,
          expectedChallenge: challenges.spends(boundTo(holder, 'enrol')),
          expectedOrigin: origin,
          expectedRPID: rpId,
          requireUserVerification: true,
          supportedAlgorithmIDs: ALGORITHMS,
        }),
      );
      if (!result.verified) throw new AppError('passkey_refused');
      const { id: credentialId, publicKey, counter } = result.registrationInfo.credential;
      const passkey: PasskeyRecord = {
        id: newPasskeyId(random),
        holderKind: holder.kind,
        holderId: holder.id,
        credentialId,
        publicKey,
        counter,
        transports: response.response.transports,
        rpId,
        name,
        createdAtMs: clock(),
        lastUsedAtMs: null,
      };
      const outcome = await storage.addPasskey(passkey, MAX_PASSKEYS, first, mail, act);
      if (outcome === 'full') throw new AppError('too_many_passkeys');
      if (outcome === 'known') throw new AppError('passkey_refused');
      if (outcome === 'gone') throw new AppError('session_ended');
      return outcome;
    },

    beginLogin: (kind: HolderKind) => requestOptions(loginOf(kind), []),
    async finishLogin(kind: HolderKind, text: string) {
      const { holderId, id: passkey } = await verified(loginOf(kind), text);
      return { holderId, passkey };
    },

    async beginConfirmation(holder: Holder): Promise<string> {
      const { passkeys } = await storage.summary(holder);
      return requestOptions(boundTo(holder, 'confirm'), passkeys);
    },

    async finishConfirmation(holder: Holder, text: string): Promise<void> {
      const { holderId } = await verified(boundTo(holder, 'confirm'), text);
      if (holderId !== holder.id) throw new AppError('passkey_refused');
    },
  };
}

type Bound = Omit<Challenge, 'challenge'>;

const loginOf = (holderKind: HolderKind): Bound => ({ holderKind, holderId: null, purpose: 'login' });

const boundTo = ({ kind, id }: Holder, purpose: Challenge['purpose']): Bound => ({
  holderKind: kind,
  holderId: id,
  purpose,
});

/** Challenges are kept with the data, each until it was signed once. */
function createChallenges(storage: FactorStorage, clock: Clock, random: RandomBytes) {
  return {
    async make(bound: Bound): Promise<Uint8Array<ArrayBuffer>> {
      const bytes = new Uint8Array(random(CHALLENGE_BYTES));
      const now = clock();
      const challenge = Buffer.from(bytes).toString('base64url');
      const maxCount = bound.holderId === null ? MAX_LOGIN_CHALLENGES : MAX_OWN_CHALLENGES;
      await storage.addChallenge({ ...bound, challenge, expiresAtMs: now + CHALLENGE_MS }, now, maxCount);
      return bytes;
    },

    /** Spends the challenge that was signed, before the signature is looked at. */
    spends: (bound: Bound) => (challenge: string) => storage.takeChallenge({ ...bound, challenge }, clock()),
  };
}

/** What a login and a confirmation share: asking for a signature of a known passkey, and its verification. */
function createAssertions(deps: {
  readonly storage: FactorStorage;
  readonly clock: Clock;
  readonly rpId: string;
  readonly origin: string;
  readonly challenges: ReturnType<typeof createChallenges>;
}) {
  const { storage, clock, rpId, origin, challenges } = deps;

  async function requestOptions(bound: Bound, known: readonly PasskeyRecord[]): Promise<string> {
    const { generateAuthenticationOptions } = await loadWebAuthn();
    const options = await generateAuthenticationOptions({
      rpID: rpId,
      challenge: await challenges.make(bound),
      userVerification: 'required',
      timeout: CHALLENGE_MS,
      allowCredentials: known.map(descriptorOf),
    });
    return JSON.stringify(options);
  }

  /** @throws AppError `passkey_refused`. */
  async function verified(bound: Bound, text: string): Promise<PasskeyRecord> {
    const response = passkeyAssertion(text);
    const passkey = response && (await storage.findPasskey(bound.holderKind, response.id));
    if (!response || !passkey) throw new AppError('passkey_refused');
    const { userHandle } = response.response;
    const holder = { kind: passkey.holderKind, id: passkey.holderId };
    if (userHandle !== undefined && userHandle !== handleOf(holder).toString('base64url'))
      throw new AppError('passkey_refused');
    const { verifyAuthenticationResponse } = await loadWebAuthn();
    const { credentialId: id, counter } = passkey;
    const publicKey = new Uint8Array(passkey.publicKey);
    const result = await refusing(
      verifyAuthenticationResponse({
        response,
        expectedChallenge: challenges.spends(bound),
        expectedOrigin: origin,
        expectedRPID: rpId,
        requireUserVerification: true,
        credential: { id, publicKey, counter },
      }),
    );
    if (!result.verified) throw new AppError('passkey_refused');
    const { newCounter } = result.authenticationInfo;
    if (!(await storage.notePasskeyUse(passkey.id, newCounter, clock())))
      throw new AppError('passkey_refused');
    return passkey;
  }

  return { requestOptions, verified };
}

/** The user handle in a passkey, which tells nobody who the holder is. */
function handleOf({ kind, id }: Holder): Buffer {
  return hash('sha256', `${kind} ${id}`, 'buffer');
}

function descriptorOf({ credentialId, transports }: PasskeyRecord) {
  return { id: credentialId, transports: [...transports] };
}

/** Whatever is wrong with an answer throws; only the storage, which is asked for the challenge, fails otherwise. */
async function refusing<Result>(verifying: Promise<Result>): Promise<Result> {
  try {
    return await verifying;
  } catch (cause) {
    if (cause instanceof StorageUnavailable) throw cause;
    throw new AppError('passkey_refused', { cause });
  }
}
