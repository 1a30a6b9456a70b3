/** Turns what a procedure answered into the form in which REST sends it. */
import { isTrackedEnvelope } from '@trpc/server';
import { z } from 'zod';
import { printed } from '#shared/print.ts';
import type { TipStreamStart, Transaction } from '#shared/tips.ts';
import { pagesFrom } from '../procedures/account-statement.ts';
import type { Endpoint, Parameter } from '../procedures/endpoint.ts';
import type { Caller } from '../procedures/router.ts';
import { CSV_ANSWERS } from './csv.ts';

interface RestRequest {
  /** The procedure's input, or a function that reads it. */
  readonly input: unknown;
  readonly limit: string | undefined;
  readonly prefersCsv: boolean;
  ask(input: unknown): Promise<unknown>;
  /** Asks for a further page of a list that was counted when it began. */
  askFurther(input: unknown): Promise<unknown>;
  caller(): Caller;
  callerForMore(): Caller;
}

export interface RestEvent {
  readonly id: string;
  readonly name: string;
  /** With the field names of the procedures (camelCase). */
  readonly data: unknown;
}

type RestAnswer =
  | {
      readonly kind: 'body';
      readonly body: unknown;
      /** Path and query of the next page, if there is one. */
      readonly next?: string | undefined;
    }
  /** An answer that stays the same object, so that its text is made once. */
  | { readonly kind: 'lasting'; readonly body: object }
  /** A list that is too long for one procedure call. None of its pages is empty. */
  | { readonly kind: 'pages'; readonly pages: AsyncGenerator<readonly unknown[]> }
  | {
      readonly kind: 'file';
      readonly name: string;
      readonly type: string;
      /** Parts are made while they are sent, and none is empty. */
      readonly content: Uint8Array<ArrayBuffer> | AsyncGenerator<string | Uint8Array<ArrayBuffer>>;
      readonly next?: string | undefined;
    }
  | { readonly kind: 'events'; readonly events: AsyncGenerator<RestEvent> };

export async function answerTo(endpoint: Endpoint, request: RestRequest): Promise<RestAnswer> {
  const { form, pages, adds, fileTypes = [] } = endpoint;
  if (pages || request.prefersCsv) return pageOrCsv(endpoint, request);
  const answer = await request.ask(request.input);
  switch (form) {
    case 'lasting':
      if (!isObject(answer)) throw new Error(`${endpoint.procedure} answers nothing lasting`);
      return { kind: 'lasting', body: answer };
    case 'file': {
      const { fileName, type, base64 } = printed.parse(answer);
      return { kind: 'file', name: fileName, type, content: bytesOf(base64) };
    }
    case 'download': {
      const items = iterableOf(answer)[Symbol.asyncIterator]();
      const { fileName } = fileStart.parse((await items.next()).value);
      const [type = 'application/octet-stream'] = fileTypes;
      return { kind: 'file', name: fileName, type, content: restOf(items) };
    }
    case 'events':
      return { kind: 'events', events: eventsFrom(iterableOf(answer)) };
    default:
      return { kind: 'body', body: adds && isObject(answer) ? { ...adds, ...answer } : answer };
  }
}

const page = z.looseObject({ nextCursor: z.string().nullable(), hasMore: z.boolean().optional() });
type Page = z.output<typeof page>;

const fileStart = z.object({ fileName: z.string() });
const filePiece = z.object({ base64: z.string() });

async function pageOrCsv(
  endpoint: Endpoint,
  { input, limit, prefersCsv, ask, askFurther, caller, callerForMore }: RestRequest,
): Promise<RestAnswer> {
  const { procedure, pages } = endpoint;
  const isWhole = pages?.wholeBy !== undefined && limit === undefined;
  const asked = { ...Object(input), ...(isWhole && { limit: pages.wholeBy }) };
  if (prefersCsv) {
    const asCsv = CSV_ANSWERS[procedure];
    if (!asCsv) throw new Error(`${procedure} has no CSV`);
    const request = { input: asked, isWhole, caller: caller(), callerForMore: callerForMore() };
    const { file, nextCursor } = await asCsv(request);
    const next = nextPage(endpoint, asked, { nextCursor });
    return { kind: 'file', name: file.name, type: file.type, content: file.parts, next };
  }
  const answer = await ask(asked);
  if (!pages) return { kind: 'body', body: answer };
  const first = page.parse(answer);
  const next = isWhole ? undefined : nextPage(endpoint, asked, first);
  if (pages.cursorAs !== undefined) return { kind: 'body', body: answer, next };
  const items = (each: Page) => itemsOf(each, pages.of);
  if (first.nextCursor === null || !isWhole) return { kind: 'body', body: items(first), next };
  return {
    kind: 'pages',
    pages: pagesFrom(first, async (cursor) => page.parse(await askFurther({ ...asked, cursor })), items),
  };
}

function itemsOf(answer: Page, of: string): readonly unknown[] {
  const items = answer[of];
  if (!Array.isArray(items)) throw new Error(`a page has no ${of}`);
  return items;
}

/** Path and query of the page at the cursor, with the parameters as they were parsed. */
function nextPage(
  { path, pages, parameters = [] }: Endpoint,
  asked: Readonly<Record<string, unknown>>,
  { nextCursor, hasMore = true }: Page,
): string | undefined {
  if (nextCursor === null || !hasMore) return undefined;
  const cursorAs = pages?.cursorAs ?? 'cursor';
  const values = parameters
    .filter((each) => each.in === 'query')
    .map((each) => [each.name, each.name === cursorAs ? nextCursor : asked[fieldOf(each)]] as const)
    .filter(([, value]) => value !== undefined);
  return `/api${path}?${new URLSearchParams(values.map(([name, value]) => [name, String(value)]))}`;
}

export function fieldOf({ name, field }: Parameter): string {
  return field ?? name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isObject(answer: unknown): answer is object {
  return typeof answer === 'object' && answer !== null;
}

function iterableOf(answer: unknown): AsyncIterable<unknown> {
  if (!isIterable(answer)) throw new Error('what goes on is no iterable');
  return answer;
}

function isIterable(answer: unknown): answer is AsyncIterable<unknown> {
  return isObject(answer) && Symbol.asyncIterator in answer;
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(base64, 'base64'));
}

async function* restOf(items: AsyncIterator<unknown>): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  try {
    for (let item = await items.next(); !item.done; item = await items.next())
      yield bytesOf(filePiece.parse(item.value).base64);
  } finally {
    await items.return?.();
  }
}

async function* eventsFrom(items: AsyncIterable<unknown>): AsyncGenerator<RestEvent> {
  for await (const item of items) {
    if (!isTrackedEnvelope<Transaction | TipStreamStart>(item)) throw new Error('an event has no id');
    const [id, content] = item;
    if (!('reset' in content)) yield { id, name: 'tip', data: content };
    else if (content.reset === null) yield { id, name: 'connected', data: {} };
    else yield { id, name: 'reset', data: { reason: content.reset } };
  }
}
