/**
 * The link of subscriptions, which the server answers by a stream of events (HTML Standard, "Server-sent events"). A
 * stream that breaks off is asked for again, from its last event on. tRPC's own link needs an EventSource, and that of
 * browsers sends no headers: with a package in its place it is five times the script.
 */
import { TRPCClientError, type TRPCLink } from '@trpc/client';
import { observable } from '@trpc/server/observable';
import { CLIENT_PATIENCE_MS } from '#shared/patience.ts';
import type { AppRouter } from '../api-client/api.ts';

const ASK_AGAIN_MS = 3_000;
/** JSON-RPC's code of the server's own errors: the stream ends, and another one may not. */
const INTERNAL_ERROR = -32_603;

type Send = (
  address: string,
  init: { readonly headers: Record<string, string>; readonly signal: AbortSignal },
) => Promise<Response>;

/** @param send asks for a stream in the name of the session; when it rejects, it is called again after a while. */
export function streamLink(url: string, send: Send): TRPCLink<AppRouter> {
  return () =>
    ({ op: { path, input } }) =>
      observable((observer) => {
        const query = input === undefined ? '' : `?input=${encodeURIComponent(JSON.stringify(input))}`;
        let connection = new AbortController();
        let isOver = false;
        let lastEventId: string | null = null;
        /** Told by the server, which sends heartbeats; null until then. */
        let longestSilenceMs: number | null = null;
        let silence: ReturnType<typeof setTimeout> | undefined;

        async function follow(): Promise<void> {
          while (!isOver) {
            connection = new AbortController();
            const loss = await listen(connection);
            if (isOver) return;
            const wasSilent = connection.signal.aborted;
            letGo();
            tellLoss(loss);
            // A connection that has fallen silent may have been dead for long, unless the server was never heard.
            if (!wasSilent || longestSilenceMs === null)
              await new Promise((ask) => setTimeout(ask, ASK_AGAIN_MS));
          }
        }

        /** @returns why the stream has broken off. */
        async function listen({ signal }: AbortController): Promise<Error> {
          try {
            hear();
            const headers = {
              Accept: 'text/event-stream',
              ...(lastEventId && { 'Last-Event-ID': lastEventId }),
            };
            const answer = await send(`${url}/${path}${query}`, { headers, signal });
            const isStream = answer.headers.get('Content-Type')?.startsWith('text/event-stream');
            if (!answer.ok || !isStream || !answer.body)
              refuse(TRPCClientError.from(new Error(`The answer is no stream: ${answer.status}`)));
            else
              for await (const event of eventsOf(answer.body)) {
                hear();
                take(event);
              }
            return new Error('The stream has ended.');
          } catch (error) {
            return error instanceof Error ? error : new Error(String(error));
          }
        }

        function hear(): void {
          clearTimeout(silence);
          silence = setTimeout(() => connection.abort(), longestSilenceMs ?? CLIENT_PATIENCE_MS);
        }

        function take({ name, id, data }: StreamEvent): void {
          if (name === 'connected') {
            const told: { readonly reconnectAfterInactivityMs?: number } = JSON.parse(data);
            longestSilenceMs = told.reconnectAfterInactivityMs ?? null;
            observer.next({ result: { type: 'started' } });
          } else if (name === 'serialized-error') {
            const error = TRPCClientError.from<AppRouter>({ error: JSON.parse(data) });
            if (error.shape?.code === INTERNAL_ERROR) tellLoss(error);
            else refuse(error);
          } else if (name === 'return') {
            leave();
            observer.complete();
          } else if (name === 'message') {
            const value: unknown = JSON.parse(data);
            if (id !== undefined) lastEventId = id;
            observer.next({ result: id === undefined ? { data: value } : { id, data: { id, data: value } } });
          }
        }

        function tellLoss(loss: Error): void {
          observer.next({
            result: { type: 'state', state: 'connecting', error: TRPCClientError.from(loss) },
          });
        }

        function refuse(error: TRPCClientError<AppRouter>): void {
          leave();
          observer.error(error);
        }

        function leave(): void {
          isOver = true;
          letGo();
        }

        function letGo(): void {
          clearTimeout(silence);
          connection.abort();
        }

        void follow();
        return leave;
      });
}

interface StreamEvent {
  readonly name: string;
  readonly id: string | undefined;
  readonly data: string;
}

/** An event whose empty line at the end has not come is none. */
async function* eventsOf(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<StreamEvent> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = '';
  while (true) {
    const { done, value } = await reader.read();
    if (done) return;
    const texts = (rest + value).split('\n\n');
    rest = texts.pop() ?? '';
    for (const text of texts) if (text.trim()) yield eventIn(text);
  }
}

/** The server ends its lines by a line feed, and writes each value in one line. */
function eventIn(text: string): StreamEvent {
  const fields = new Map(
    text.split('\n').map((line) => {
      const [field = ''] = line.split(':', 1);
      return [field, line.slice(field.length + 1).trimStart()];
    }),
  );
  return { name: fields.get('event') ?? 'message', id: fields.get('id'), data: fields.get('data') ?? '' };
}
