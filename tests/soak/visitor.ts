/**
 * Visitors of a server on loopback, each from an address of its own: on Linux all of 127.0.0.0/8 is this
 * machine, and the server counts them as different callers.
 */
import assert from 'node:assert/strict';
import { Agent, type IncomingHttpHeaders, request } from 'node:http';

const PATIENCE_MS = 30_000;
const PASSWORD = 'correct horse battery';

export interface Sending {
  readonly from: string;
  readonly method?: string;
  readonly token?: string | undefined;
  /** Sent as JSON; bytes are sent as they are. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

export interface Person {
  readonly email: string;
  readonly password: string;
  readonly token: string;
}

/** Keeps its cookies at every address. */
export interface Device {
  moveTo(address: string): void;
  send(path: string, sending?: Omit<Sending, 'from'>): Promise<Received>;
}

const agent = new Agent({ keepAlive: true });
let hasHungUp = false;

/** Closes all connections; waiting requests are rejected. */
export function hangUp(): void {
  hasHungUp = true;
  agent.destroy();
}

export function send(port: number, path: string, sending: Sending): Promise<Received> {
  const { from, method, token, body, headers } = sending;
  const isBytes = body instanceof Uint8Array;
  const text = body === undefined ? null : isBytes ? Buffer.from(body) : Buffer.from(JSON.stringify(body));
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port,
        path,
        agent,
        localAddress: from,
        method: method ?? (text === null ? 'GET' : 'POST'),
        headers: {
          ...(text !== null && {
            'Content-Type': isBytes ? 'image/png' : 'application/json',
            'Content-Length': text.length,
          }),
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...headers,
        },
      },
      (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            text: Buffer.concat(chunks).toString(),
          }),
        );
      },
    );
    sent.setTimeout(PATIENCE_MS, () => sent.destroy(new Error(`no answer in ${PATIENCE_MS / 1_000} s`)));
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // A server may close a kept connection while it is used again; browsers then open another.
      const wasClosed = sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
      if (wasClosed && !hasHungUp) resolve(send(port, path, sending));
      else reject(error);
    });
    sent.end(text ?? undefined);
  });
}

export function createDevice(port: number, address: string): Device {
  const cookies = new Map<string, string>();
  let from = address;
  return {
    moveTo(next) {
      from = next;
    },
    async send(path, sending = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const headers = { ...(cookie !== '' && { Cookie: cookie }), ...sending.headers };
      const answer = await send(port, path, { ...sending, from, headers });
      for (const line of answer.headers['set-cookie'] ?? []) {
        const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
        if (name !== undefined && value !== undefined) cookies.set(name, value);
      }
      return answer;
    },
  };
}

/** A valid registration of a customer; the email is `{username}@example.com`. */
export function registrationOf(username: string) {
  return {
    email: `${username}@example.com`,
    username,
    full_name: username,
    password: PASSWORD,
    phone: null,
    is_service_provider: false,
    service_categories: [],
  };
}

export async function enter(device: Device, username: string): Promise<Person> {
  const body = registrationOf(username);
  const registered = await device.send('/api/auth/register', { body });
  assert.equal(registered.status, 201, registered.text);
  const { email, password } = body;
  const login = await device.send('/api/auth/login', { body: { email, password } });
  assert.equal(login.status, 200, login.text);
  return { email, password, token: JSON.parse(login.text).access_token };
}
