/**
 * A stand-in for somebody's server that receives webhooks, on loopback. Each path below `/to/` is an endpoint
 * of its own, whose requests it verifies by the package that receivers use. It can be told to be slow, to
 * fail, to lie, and to cut the line.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

/** How a request is answered that is not simply taken with 204. */
export type ReceiverFault =
  | {
      readonly is: 'status';
      readonly status: number;
      readonly headers?: Record<string, string>;
      readonly body?: string;
      /** It takes the event all the same. */
      readonly isLie?: true;
    }
  /** It is taken after a while. */
  | { readonly is: 'slow'; readonly ms: number }
  /** It is answered when the test says so. */
  | { readonly is: 'held'; readonly until: Promise<unknown> }
  | { readonly is: 'cut'; readonly when: 'before' | 'after' }
  /** It says that it takes it, and its body never ends. */
  | { readonly is: 'endless' };

export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Endpoint {
  /** Any of them verifies. */
  secrets: string[];
  readonly events: ReceivedEvent[];
  /** Requests that came, taken or not. */
  requests: number;
  readonly signatures: string[];
}

export async function startWebhookReceiver() {
  const endpoints = new Map<string, Endpoint>();
  const problems: string[] = [];
  const planned = new Map<string, ReceiverFault[]>();
  const lasting = new Map<string, ReceiverFault | (() => ReceiverFault | undefined)>();

  const server = createServer((request, response) => {
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
    const path = request.url ?? '';
    const endpoint = endpoints.get(path);
    if (!endpoint) {
      problems.push(`nobody is at ${path}`);
      response.writeHead(404).end();
      return;
    }
    endpoint.requests += 1;
    const always = lasting.get(path);
    const fault = planned.get(path)?.shift() ?? (typeof always === 'function' ? always() : always);
    if (fault?.is === 'cut' && fault.when === 'before') {
      request.socket.destroy();
      return;
    }
    const body = await text(request);
    if (fault?.is === 'status') {
      if (fault.isLie) take(endpoint, request, body);
      response.writeHead(fault.status, fault.headers).end(fault.body ?? 'no');
      return;
    }
    take(endpoint, request, body);
    if (fault?.is === 'slow') await sleep(fault.ms);
    if (fault?.is === 'held') await fault.until;
    if (fault?.is === 'cut') {
      request.socket.destroy();
      return;
    }
    if (fault?.is === 'endless') {
      response.writeHead(200);
      const more = setInterval(() => response.write('more '), 50);
      response.on('close', () => clearInterval(more));
      return;
    }
    response.writeHead(204).end();
  }

  function take(endpoint: Endpoint, { headers }: IncomingMessage, body: string): void {
    const verified = endpoint.secrets.map((secret) => {
      try {
        return new Webhook(secret).verify(body, headers as Record<string, string>);
      } catch {
        return null;
      }
    });
    const event = verified.find((each) => each !== null) as ReceivedEvent | undefined;
    if (!event) {
      problems.push(`a signature was wrong: ${body}`);
      return;
    }
    if (event.id !== headers['webhook-id']) problems.push(`another id than ${event.id} was signed`);
    endpoint.signatures.push(String(headers['webhook-signature']));
    endpoint.events.push(event);
  }

  return {
    origin,
    /** What was wrong with requests; empty unless the sender has a bug. */
    problems,
    /** The URL of an endpoint, which expects signatures by any of the secrets that it is told. */
    open(name: string): { readonly url: string; readonly endpoint: Endpoint } {
      const path = `/to/${name}`;
      const endpoint: Endpoint = { secrets: [], events: [], requests: 0, signatures: [] };
      endpoints.set(path, endpoint);
      return { url: origin + path, endpoint };
    },
    /** Answers the next requests to an endpoint so, each once. */
    plan(url: string, ...faults: readonly ReceiverFault[]): void {
      const { pathname } = new URL(url);
      planned.set(pathname, [...(planned.get(pathname) ?? []), ...faults]);
    },
    /** Answers all requests to an endpoint so that no plan is for; undefined takes them again. */
    keep(url: string, fault: ReceiverFault | (() => ReceiverFault | undefined) | undefined): void {
      if (fault === undefined) lasting.delete(new URL(url).pathname);
      else lasting.set(new URL(url).pathname, fault);
    },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
