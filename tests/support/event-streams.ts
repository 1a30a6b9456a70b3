/**
 * Streams of tips through both doors, read event by event as they arrive: no client in between that connects again,
 * sorts, or hides a heartbeat.
 */
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import { cents } from '#shared/money.ts';
import type { Door } from './both-doors.ts';
import type { TestApp } from './test-app.ts';

export const STREAM_PATHS = {
  REST: '/api/transactions/stream',
  tRPC: '/trpc/transactions.onTip',
} as const satisfies Record<Door, string>;

/** One event as it was sent; a comment is one under the name `comment`. */
export interface ServerEvent {
  readonly name: string;
  readonly id: string | null;
  readonly data: string;
}

/** A tip as a stream told it, the same for both doors. */
export interface StreamedTip {
  /** The id of the event, to resume after. */
  readonly eventId: string | null;
  readonly id: string;
  readonly giverId: string;
  readonly receiverId: string;
  readonly amountCents: number;
}

/** What a stream said first, the same for both doors. */
export interface StreamStart {
  /** The id of the event, to resume after. */
  readonly eventId: string | null;
  readonly reset: string | null;
}

export interface TipStream {
  readonly response: Response;
  /** Where the stream begins; to be asked before anything else. */
  start(): Promise<StreamStart>;
  /** The next event of any kind; null when the stream has come to its end. */
  next(): Promise<ServerEvent | null>;
  /** The next tip, past heartbeats and greetings; null when the stream has come to its end. */
  nextTip(): Promise<StreamedTip | null>;
  /** So many tips; fewer when the stream ends before. */
  take(count: number): Promise<StreamedTip[]>;
  /** Hangs up. What is being waited for then is null. */
  close(): Promise<void>;
}

export interface StreamOptions {
  readonly token?: string | undefined;
  readonly lastEventId?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** The address, when it is not that of the door. */
  readonly path?: string;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

const restTip = z.object({
  id: z.string(),
  giver_id: z.string(),
  receiver_id: z.string(),
  amount: z.number(),
});
const trpcTip = z.object({
  id: z.string(),
  giverId: z.string(),
  receiverId: z.string(),
  amountCents: z.number(),
});
const restReset = z.strictObject({ reason: z.string() });
const trpcStart = z.strictObject({ reset: z.string().nullable() });
const refusalEvent = z.object({
  message: z.string().min(1),
  data: z.object({ errorCode: z.string(), httpStatus: z.int(), retryAfterSeconds: z.int().nullable() }),
});

/** Asks for a stream. Whether it was granted is for `refusalOf` or the first event to say. */
export async function openStream(
  send: Send,
  door: Door,
  { token, lastEventId, headers, path = STREAM_PATHS[door] }: StreamOptions = {},
): Promise<TipStream> {
  const hangUp = new AbortController();
  const response = await send(path, {
    signal: hangUp.signal,
    headers: {
      Accept: 'text/event-stream',
      ...(token !== undefined && { Authorization: `Bearer ${token}` }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      ...headers,
    },
  });
  return readStream(response, hangUp);
}

/** Reads an answer as a stream; `hangUp` is what aborts its request. */
export function readStream(response: Response, hangUp: AbortController): TipStream {
  const reader = response.body?.getReader();
  const events = eventsIn(reader);
  let isClosed = false;

  async function next(): Promise<ServerEvent | null> {
    try {
      const { value, done } = await events.next();
      return done || isClosed ? null : value;
    } catch (error) {
      if (isClosed) return null;
      throw error;
    }
  }

  async function nextTip(): Promise<StreamedTip | null> {
    for (let event = await next(); event !== null; event = await next()) {
      if (event.name === 'serialized-error') throw new Error(`the stream was refused: ${event.data}`);
      if (event.name === 'tip') {
        const { id, giver_id, receiver_id, amount } = restTip.parse(JSON.parse(event.data));
        const amountCents = cents(Math.round(amount * 100));
        return { eventId: event.id, id, giverId: giver_id, receiverId: receiver_id, amountCents };
      }
      if (event.name === 'message') {
        const content: unknown = JSON.parse(event.data);
        if (!trpcStart.safeParse(content).success) return { eventId: event.id, ...trpcTip.parse(content) };
      }
    }
    return null;
  }

  async function start(): Promise<StreamStart> {
    for (let event = await next(); event !== null; event = await next()) {
      const { id, name, data } = event;
      if (name === 'connected' && id !== null) return { eventId: id, reset: null };
      if (name === 'reset') return { eventId: id, reset: restReset.parse(JSON.parse(data)).reason };
      if (name === 'message') return { eventId: id, ...trpcStart.parse(JSON.parse(data)) };
      if (name !== 'connected') throw new Error(`the stream began with ${name}: ${data}`);
    }
    throw new Error('the stream ended before it began');
  }

  return {
    response,
    next,
    start,
    nextTip,
    async take(count) {
      const tips: StreamedTip[] = [];
      while (tips.length < count) {
        const tip = await nextTip();
        if (tip === null) break;
        tips.push(tip);
      }
      return tips;
    },
    async close() {
      isClosed = true;
      hangUp.abort();
      await reader?.cancel().catch(() => {});
    },
  };
}

export interface StreamRefusal {
  readonly status: number;
  readonly code: ErrorCode;
  readonly message: string;
  readonly retryAfterSeconds: number | null;
}

/**
 * Whether an app of this process granted the stream that it answered with. One that it granted is closed.
 * tRPC refuses under status 200, by an event, because its clients read refusals there.
 * @param openBefore how many streams the app had open before it was asked.
 * @returns null when it was granted.
 */
export async function refusalOf(
  t: TestApp,
  stream: TipStream,
  openBefore: number,
): Promise<StreamRefusal | null> {
  const { response } = stream;
  if (!isEventStream(response)) {
    const { code, detail } = z.object({ code: z.string(), detail: z.string() }).parse(await bodyOf(stream));
    const wait = response.headers.get('Retry-After');
    return {
      status: response.status,
      code: code as ErrorCode,
      message: detail,
      retryAfterSeconds: wait === null ? null : Number(wait),
    };
  }
  if (t.app.streams() > openBefore) {
    await stream.close();
    return null;
  }
  return refusalIn(stream);
}

/** The refusal that a stream of tRPC brings before it ends. */
export async function refusalIn(stream: TipStream): Promise<StreamRefusal> {
  for (let event = await stream.next(); event !== null; event = await stream.next()) {
    if (event.name !== 'serialized-error') continue;
    const { message, data } = refusalEvent.parse(JSON.parse(event.data));
    if ((await stream.next()) !== null) throw new Error('the stream went on after its refusal');
    return {
      status: data.httpStatus,
      code: data.errorCode as ErrorCode,
      message,
      retryAfterSeconds: data.retryAfterSeconds,
    };
  }
  throw new Error('the stream ended without a refusal');
}

export function isEventStream({ headers }: Response): boolean {
  return headers.get('Content-Type')?.startsWith('text/event-stream') ?? false;
}

/** The events of a text that is whole. */
export async function eventsOf(text: string): Promise<ServerEvent[]> {
  const events: ServerEvent[] = [];
  for await (const event of eventsIn(new Response(text).body?.getReader())) events.push(event);
  return events;
}

async function bodyOf(stream: TipStream): Promise<unknown> {
  let text = '';
  for (let event = await stream.next(); event !== null; event = await stream.next()) text += event.data;
  return JSON.parse(text);
}

/** As the standard says (WHATWG HTML, section 9.2.6): what has no blank line after it has not happened. */
async function* eventsIn(reader: ReadableStreamDefaultReader<Uint8Array> | undefined) {
  if (!reader) return;
  const decoder = new TextDecoder();
  let unread = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) break;
    unread += decoder.decode(value, { stream: true });
    const blocks = unread.split('\n\n');
    unread = blocks.pop() ?? '';
    for (const block of blocks) {
      if (block.trim() !== '') yield eventFrom(block);
    }
  }
  // A refusal in JSON is no event and has no blank line.
  if (unread.startsWith('{')) yield { name: 'json', id: null, data: unread };
}

function eventFrom(block: string): ServerEvent {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    const [name, value] =
      colon === 0 ? ['comment', line.slice(1)] : [line.slice(0, colon), line.slice(colon + 1)];
    if (line !== '') fields.set(name, value.replace(/^ /, ''));
  }
  const data = fields.get('data');
  if (data === undefined && fields.has('comment')) {
    return { name: 'comment', id: null, data: fields.get('comment') ?? '' };
  }
  return { name: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data: data ?? '' };
}
