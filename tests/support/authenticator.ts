/**
 * An authenticator in software (WebAuthn Level 3), which answers the options of a server as a browser would, and
 * does wrong what a test asks it to.
 */
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { z } from 'zod';

const creation = z.object({
  challenge: z.string(),
  rp: z.object({ id: z.string() }),
  user: z.object({ id: z.string(), name: z.string(), displayName: z.string() }),
  excludeCredentials: z.array(z.object({ id: z.string() })).default([]),
  authenticatorSelection: z.object({ residentKey: z.string(), userVerification: z.string() }),
});
const request = z.object({
  challenge: z.string(),
  rpId: z.string(),
  userVerification: z.string(),
  allowCredentials: z.array(z.object({ id: z.string() })).default([]),
});

interface Deviations {
  readonly origin?: string;
  readonly rpId?: string;
  readonly challenge?: string;
  readonly userHandle?: string;
  /** Whether it saw who uses it. */
  readonly isVerified?: boolean;
  /** The count of signatures; by default the next one. */
  readonly counter?: number;
  /** A certificate that nobody asked for. */
  readonly certificate?: Buffer;
}

const PRESENT = 0x01;
const VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export function createAuthenticator(origin: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const id = randomBytes(32);
  let counter = 0;
  let userHandle = '';

  function clientData(type: string, challenge: string, { origin: other = origin }: Deviations): Buffer {
    return Buffer.from(JSON.stringify({ type, challenge, origin: other, crossOrigin: false }));
  }

  function authenticatorData(
    rpId: string,
    flags: number,
    deviations: Deviations,
    credential = Buffer.alloc(0),
  ) {
    const { isVerified = true } = deviations;
    counter = deviations.counter ?? counter + 1;
    const count = Buffer.alloc(4);
    count.writeUInt32BE(counter);
    const all = flags | PRESENT | (isVerified ? VERIFIED : 0);
    return Buffer.concat([sha256(deviations.rpId ?? rpId), Buffer.of(all), count, credential]);
  }

  return {
    credentialId: id.toString('base64url'),

    /** Answers the options of an enrolment. */
    create(options: string, deviations: Deviations = {}): string {
      const { challenge, rp, user } = creation.parse(JSON.parse(options));
      userHandle = user.id;
      const { x = '', y = '' } = publicKey.export({ format: 'jwk' });
      const [xBytes, yBytes] = [Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')];
      // COSE: kty EC2, alg ES256, crv P-256, x, y.
      const key = Buffer.concat([
        Buffer.of(0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21, 0x58, 0x20),
        xBytes,
        Buffer.of(0x22, 0x58, 0x20),
        yBytes,
      ]);
      const length = Buffer.alloc(2);
      length.writeUInt16BE(id.length);
      const credential = Buffer.concat([Buffer.alloc(16), length, id, key]);
      const data = authenticatorData(rp.id, HAS_CREDENTIAL, deviations, credential);
      const { certificate } = deviations;
      const statement = certificate
        ? Buffer.concat([
            cborText('packed'),
            cborText('attStmt'),
            Buffer.of(0xa3),
            cborText('alg'),
            Buffer.of(0x26),
            cborText('sig'),
            cborBytes(randomBytes(70)),
            cborText('x5c'),
            Buffer.of(0x81),
            cborBytes(certificate),
          ])
        : Buffer.concat([cborText('none'), cborText('attStmt'), Buffer.of(0xa0)]);
      const attestation = Buffer.concat([
        Buffer.of(0xa3),
        cborText('fmt'),
        statement,
        cborText('authData'),
        cborBytes(data),
      ]);
      return answer({
        clientDataJSON: clientData('webauthn.create', deviations.challenge ?? challenge, deviations),
        attestationObject: attestation,
      });
    },

    /** Answers the options of a login or a confirmation. */
    get(options: string, deviations: Deviations = {}): string {
      const { challenge, rpId } = request.parse(JSON.parse(options));
      const data = authenticatorData(rpId, 0, deviations);
      const client = clientData('webauthn.get', deviations.challenge ?? challenge, deviations);
      return answer(
        {
          clientDataJSON: client,
          authenticatorData: data,
          signature: sign('sha256', Buffer.concat([data, sha256(client)]), privateKey),
        },
        { userHandle: deviations.userHandle ?? userHandle },
      );
    },
  };

  function answer(response: Readonly<Record<string, Buffer>>, others: object = {}): string {
    const texts = Object.entries(response).map(([name, bytes]) => [name, bytes.toString('base64url')]);
    const text = id.toString('base64url');
    return JSON.stringify({
      id: text,
      rawId: text,
      type: 'public-key',
      clientExtensionResults: {},
      response: Object.assign(Object.fromEntries(texts), others),
    });
  }
}

const sha256 = (data: string | Buffer): Buffer => createHash('sha256').update(data).digest();

function cborText(text: string): Buffer {
  return Buffer.concat([Buffer.of(0x60 + text.length), Buffer.from(text)]);
}

function cborBytes(bytes: Buffer): Buffer {
  const head = Buffer.alloc(3);
  head.writeUInt8(0x59);
  head.writeUInt16BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
