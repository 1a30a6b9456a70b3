/**
 * Streams of tips through both doors, read event by event as they arrive: no client in between that connects
 * again, sorts, or hides a heartbeat.
 */
import { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import { cents } from '#shared/money.ts';
import {
  answerOf,
  type CallOptions,
  type Door,
  doorOf,
  type Outcome,
  outcomesOf,
  type Refused,
  readTrpcError,
  refusedBy,
  requestThrough,
} from './both-doors.ts';

export const STREAM_PATHS = {
  REST: '/api/transactions/stream',
  tRPC: '/trpc/transactions.onTip',
} as const satisfies Record<Door, string>;

/** One event as it was sent; a comment is an event of the name `comment`. */
export interface ServerEvent {
  readonly name: string;
  readonly id: string | null;
  readonly data: string;
}

export interface StreamedTip {
  /** The id of the event, to resume after. */
  readonly eventId: string | null;
  readonly id: string;
  readonly giverId: string;
  readonly receiverId: string;
  readonly amountCents: number;
}

export interface StreamStart {
  readonly eventId: string | null;
  readonly reset: string | null;
}

export interface StreamOptions extends Pick<CallOptions, 'token' | 'headers'> {
  readonly lastEventId?: string | undefined;
  /** The address, when it is not that of the door. */
  readonly path?: string;
}

type Send = (path: string, init: RequestInit) => Promise<Response>;

const restTip = z
  .object({ id: z.string(), giver_id: z.string(), receiver_id: z.string(), amount: z.number() })
  .transform(({ id, giver_id, receiver_id, amount }) => ({
    id,
    giverId: giver_id,
    receiverId: receiver_id,
    amountCents: cents(Math.round(amount * 100)),
  }));
const trpcTip = z.object({
  id: z.string(),
  giverId: z.string(),
  receiverId: z.string(),
  amountCents: z.number(),
});
const restReset = z.strictObject({ reason: z.string() });
const trpcStart = z.strictObject({ reset: z.string().nullable() });

/** A stream through tRPC is refused by its first event, where one through REST has a status. */
export class StreamRefused extends Error {}

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

export type TipStream = ReturnType<typeof readStream>;

/** Reads an answer as a stream; `hangUp` is what aborts its request. */
export function readStream(response: Response, hangUp: AbortController) {
  // A refusal is no stream of events, and is read as a whole.
  const reader = isEventStream(response) ? response.body?.getReader() : undefined;
  const events = eventsIn(reader);
  let isClosed = false;

  /** The next event of any kind; null when the stream has come to its end. */
  async function next(): Promise<ServerEvent | null> {
    try {
      const { value, done } = await events.next();
      return done || isClosed ? null : value;
    } catch (error) {
      if (isClosed) return null;
      throw error;
    }
  }

  /** The next tip, past heartbeats and greetings; null when the stream has come to its end. */
  async function nextTip(): Promise<StreamedTip | null> {
    for (let event = await next(); event !== null; event = await next()) {
      const { id, name, data } = event;
      if (name === 'serialized-error') throw new StreamRefused(`the stream was refused: ${data}`);
      if (name === 'tip') return { eventId: id, ...restTip.parse(JSON.parse(data)) };
      if (name === 'message' && !trpcStart.safeParse(JSON.parse(data)).success)
        return { eventId: id, ...trpcTip.parse(JSON.parse(data)) };
    }
    return null;
  }

  /** Where the stream begins; to be asked before anything else. */
  async function start(): Promise<StreamStart> {
    for (let event = await next(); event !== null; event = await next()) {
      const { id, name, data } = event;
      if (name === 'connected' && id !== null) return { eventId: id, reset: null };
      if (name === 'reset') return { eventId: id, reset: restReset.parse(JSON.parse(data)).reason };
      if (name === 'message') return { eventId: id, ...trpcStart.parse(JSON.parse(data)) };
      if (name !== 'connected') throw new StreamRefused(`the stream began with ${name}: ${data}`);
    }
    throw new Error('the stream ended before it began');
  }

  async function take(count: number): Promise<StreamedTip[]> {
    const tips: StreamedTip[] = [];
    for (let tip = count > 0 ? await nextTip() : null; tip !== null; ) {
      tips.push(tip);
      tip = tips.length < count ? await nextTip() : null;
    }
    return tips;
  }

  async function close(): Promise<void> {
    isClosed = true;
    hangUp.abort();
    await reader?.cancel().catch(() => {});
  }

  return { response, next, start, nextTip, take, close };
}

interface StreamingApp {
  readonly app: { streams(): number };
  readonly send: (path: string, init: RequestInit, peer?: string) => Promise<Response>;
}

/**
 * Whether an app of this process granted the stream that it answered with. One that it granted is closed.
 * tRPC refuses under status 200, by an event, because its clients read refusals there.
 * @param openBefore how many streams the app had open before it was asked.
 * @returns null when it was granted.
 */
export async function refusalOf(
  { app }: StreamingApp,
  stream: TipStream,
  openBefore: number,
): Promise<Refused | null> {
  const { response } = stream;
  if (!isEventStream(response)) {
    const answer = await answerOf(response);
    return refusedBy(doorOf(answer), answer);
  }
  if (app.streams() === openBefore) return refusalIn(stream);
  await stream.close();
  return null;
}

/** The refusal that a stream of tRPC brings before it ends; null of one that brings anything else. */
async function refusalIn(stream: TipStream): Promise<Refused | null> {
  for (let event = await stream.next(); event !== null; event = await stream.next()) {
    if (event.name === 'message') return null;
    if (event.name !== 'serialized-error') continue;
    const refused = readTrpcError(JSON.parse(event.data));
    if ((await stream.next()) !== null) throw new Error('the stream went on after its refusal');
    return refused;
  }
  throw new Error('the stream ended without a refusal');
}

/**
 * Calls any procedure through a door, also the one that answers with a stream, which is closed.
 * @returns null when a text of the input cannot travel there.
 */
export async function outcomeThrough(
  door: Door,
  t: StreamingApp,
  procedure: string,
  input: unknown,
  { token, peer }: CallOptions = {},
): Promise<Outcome | null> {
  const request = requestThrough(door, procedure, input);
  if (!request) return null;
  if (token !== undefined) request.headers.set('Authorization', `Bearer ${token}`);
  const hangUp = new AbortController();
  const openBefore = t.app.streams();
  const response = await t.send(request.path, { ...request, signal: hangUp.signal }, peer);
  if (isEventStream(response)) {
    return { refused: await refusalOf(t, readStream(response, hangUp), openBefore), data: null };
  }
  const [outcome] = outcomesOf(door, await answerOf(response));
  if (!outcome) throw new Error('an empty answer');
  return outcome;
}

/** The code of the refusal that an answer is, a stream of tRPC's among them; null of what is no refusal. */
export async function codeOf(door: Door, response: Response): Promise<ErrorCode | null> {
  if (isEventStream(response))
    return (await refusalIn(readStream(response, new AbortController())))?.code ?? null;
  return outcomesOf(door, await answerOf(response))[0]?.refused?.code ?? null;
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

/** The events of a stream, each of which ends with a blank line (WHATWG HTML, section 9.2.6). */
async function* eventsIn(
  reader: ReadableStreamDefaultReader<Uint8Array> | undefined,
): AsyncGenerator<ServerEvent> {
  const decoder = new TextDecoder();
  let unread = '';
  for (let read = await reader?.read(); read?.value; read = await reader?.read()) {
    unread += decoder.decode(read.value, { stream: true });
    const blocks = unread.split('\n\n');
    unread = blocks.pop() ?? '';
    for (const block of blocks) if (block.trim() !== '') yield eventFrom(block);
  }
}

function eventFrom(block: string): ServerEvent {
  const fields = new Map(
    block.match(/.+/g)?.map((line) => {
      const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
      return [name, value];
    }),
  );
  const comment = fields.get('');
  const data = fields.get('data');
  if (data === undefined && comment !== undefined) return { name: 'comment', id: null, data: comment };
  return { name: fields.get('event') ?? 'message', id: fields.get('id') ?? null, data: data ?? '' };
}
