/**
 * A stand-in for a push service (RFC 8030): an HTTP server on loopback that does for its devices what a push
 * service and a browser do together. It checks who sends (RFC 8292), decrypts what is sent (RFC 8291), and
 * keeps it. It can be told to be slow, to fail, to forget a device, and to cut the line.
 */
import {
  createDecipheriv,
  createECDH,
  createPublicKey,
  type ECDH,
  hkdfSync,
  randomBytes,
  randomUUID,
  verify,
} from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { decrypt } from 'http_ece';

const DAY_S = 86_400;
const CURVE = 'prime256v1';

/** How a request is answered that is not simply taken. */
export type PushFault =
  | {
      readonly is: 'status';
      readonly status: number;
      readonly retryAfter?: string;
      readonly location?: string;
    }
  /** It is taken after a while. */
  | { readonly is: 'slow'; readonly ms: number }
  /** It is taken at once, and answered when the test says so. */
  | { readonly is: 'held'; readonly until: Promise<unknown> }
  | { readonly is: 'cut'; readonly when: 'before' | 'after' };

export interface PushedNotice {
  readonly device: string;
  readonly payload: string;
  readonly ttl: number;
  readonly urgency: string | undefined;
  readonly topic: string | undefined;
  /** How the sender says that it can be reached. */
  readonly subject: unknown;
  readonly key: string;
  readonly token: string;
}

interface Device {
  readonly keys: ECDH;
  readonly auth: Buffer;
  isGone: boolean;
}

/** @param nowMs the clock of the push service. */
export async function startPushService({ nowMs = Date.now }: { readonly nowMs?: () => number } = {}) {
  const devices = new Map<string, Device>();
  const notices: PushedNotice[] = [];
  const problems: string[] = [];
  const planned: PushFault[] = [];
  const lasting = new Map<string, PushFault>();
  let requests = 0;

  const server = createServer((request, response) => {
    requests += 1;
    answer(request, response).catch((error: unknown) => {
      problems.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const name = request.url?.replace(/^\/push\//, '') ?? '';
    const device = devices.get(name);
    const fault = planned.shift() ?? lasting.get(name);
    if (fault?.is === 'cut' && fault.when === 'before') {
      request.socket.destroy();
      return;
    }
    const body = await buffer(request);
    if (fault?.is === 'status') {
      response.writeHead(fault.status, {
        ...(fault.retryAfter !== undefined && { 'Retry-After': fault.retryAfter }),
        ...(fault.location !== undefined && { Location: fault.location }),
      });
      response.end('no');
      return;
    }
    if (fault?.is === 'slow') await sleep(fault.ms);
    if (!device || device.isGone) {
      response.writeHead(device ? 410 : 404).end();
      return;
    }
    if (response.destroyed) return;
    notices.push({ device: name, ...take(request, body, device, origin, nowMs()) });
    if (fault?.is === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault?.is === 'held') await fault.until;
    response.writeHead(201, { Location: `${origin}/message/${randomUUID()}` }).end();
  }

  return {
    origin,
    port,
    notices,
    /** What was wrong with requests; empty unless the sender has a bug. */
    problems,
    requests: () => requests,
    payloadsOf: (endpoint: string) =>
      notices.filter(({ device }) => endpoint.endsWith(device)).map(({ payload }) => JSON.parse(payload)),

    register() {
      const name = randomBytes(24).toString('base64url');
      const keys = createECDH(CURVE);
      keys.generateKeys();
      const auth = randomBytes(16);
      devices.set(name, { keys, auth, isGone: false });
      return { endpoint: `${origin}/push/${name}`, p256dh: keys.getPublicKey(), auth };
    },
    forget(endpoint: string) {
      for (const [name, device] of devices) if (endpoint.endsWith(name)) device.isGone = true;
    },
    /** Says how the next requests are answered, one fault each. */
    plan(...faults: readonly PushFault[]) {
      planned.push(...faults);
    },
    /** Says how all requests for a device are answered from now on; null for well. */
    setFault(endpoint: string, fault: PushFault | null) {
      const name = endpoint.slice(`${origin}/push/`.length);
      if (fault) lasting.set(name, fault);
      else lasting.delete(name);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

/** @throws when the request is none that a push service would take. */
function take(request: IncomingMessage, body: Buffer, device: Device, origin: string, nowMs: number) {
  const { headers, method } = request;
  if (method !== 'POST') throw new Error(`the method is ${method}`);
  if (headers['content-encoding'] !== 'aes128gcm') throw new Error('the encoding is not aes128gcm');
  if (body.length > 4_096) throw new Error('the body is too long (RFC 8030, section 7.2)');
  const ttl = Number(headers.ttl);
  if (!Number.isSafeInteger(ttl) || ttl < 0) throw new Error(`the TTL is ${headers.ttl}`);
  const { token, key, subject } = checkSender(headers.authorization ?? '', origin, nowMs);
  const payload = decrypt(body, {
    version: 'aes128gcm',
    privateKey: device.keys,
    authSecret: device.auth.toString('base64url'),
  });
  if (!payload.equals(decryptByHand(body, device))) throw new Error('two ways of decrypting disagree');
  const { urgency, topic } = headers;
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) throw new Error(`the topic is ${topic}`);
  return {
    payload: payload.toString('utf8'),
    ttl,
    subject,
    key,
    token,
    urgency: typeof urgency === 'string' ? urgency : undefined,
    topic: typeof topic === 'string' ? topic : undefined,
  };
}

/** RFC 8292, sections 2 to 4, and what Apple asks for besides: a subject of https or mailto. */
function checkSender(authorization: string, origin: string, nowMs: number) {
  const [, token = '', key = ''] = /^vapid t=([\w.-]+), ?k=([\w-]+)$/.exec(authorization) ?? [];
  const [header = '', claims = '', signature = ''] = token.split('.');
  const point = Buffer.from(key, 'base64url');
  if (point.length !== 65 || point[0] !== 4) throw new Error('the key of the sender is no point');
  const publicKey = createPublicKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
    },
  });
  const isSigned = verify(
    'sha256',
    Buffer.from(`${header}.${claims}`),
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) throw new Error('the token is not signed by the key');
  const read = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  const { alg, typ } = read(header);
  if (alg !== 'ES256' || typ !== 'JWT') throw new Error(`the token is ${typ} ${alg}`);
  const { aud, exp, sub } = read(claims);
  if (aud !== origin) throw new Error(`the token is for ${aud}`);
  const leftS = exp - nowMs / 1_000;
  if (!(leftS > 0 && leftS <= DAY_S)) throw new Error(`the token ends in ${leftS} s`);
  if (!/^(?:https:\/\/|mailto:)./.test(sub)) throw new Error(`the subject is ${sub}`);
  return { token, key, subject: sub };
}

/** RFC 8291, section 3.4, with RFC 8188 for one record, by nothing but the primitives. */
function decryptByHand(body: Buffer, { keys, auth }: Device): Buffer {
  const salt = body.subarray(0, 16);
  const keyLength = body.readUInt8(20);
  const senderKey = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  const derive = (secret: Uint8Array, with_: Uint8Array, info: Uint8Array | string, length: number) =>
    Buffer.from(hkdfSync('sha256', secret, with_, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), keys.getPublicKey(), senderKey]);
  const input = derive(keys.computeSecret(senderKey), auth, info, 32);
  const contentKey = derive(input, salt, 'Content-Encoding: aes128gcm\0', 16);
  const nonce = derive(input, salt, 'Content-Encoding: nonce\0', 12);
  const decipher = createDecipheriv('aes-128-gcm', contentKey, nonce);
  decipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end < 0 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('the padding is wrong');
  return padded.subarray(0, end);
}
