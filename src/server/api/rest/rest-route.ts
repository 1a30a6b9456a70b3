/**
 * What a row of the table of REST routes may say: its method, path and status, the procedure that answers, and the forms that an
 * answer can take.
 */
import type { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import type { Statement } from '../procedures/account-statement.ts';
import { type Caller, inputOf, type ProcedureName } from '../procedures/router.ts';

/** What of a request a row of the table may use. */
export interface RestRequest {
  /** The body as the procedure takes it, still unchecked. */
  readonly body: unknown;
  parameter(name: string): string;
  query(name: string): string | undefined;
  header(name: string): string | undefined;
  /** Whether the client would rather have CSV than JSON. */
  prefersCsv(): boolean;
  /** Reads a body of bytes. @throws AppError `photo_too_large` as soon as there are more of them. */
  bytes(atMost: number): Promise<Uint8Array>;
  /**
   * Calls the procedure of the row, which checks its input itself.
   * @param input or what reads it, once the procedure knows who asks, and has counted it.
   */
  ask(input: unknown | (() => Promise<unknown>)): Promise<unknown>;
  /** Calls any procedure, by its types. */
  caller(): Caller;
  /** Calls procedures for what goes on with a list that was counted when it began. */
  callerForMore(): Caller;
}

export interface RestAnswer {
  readonly body: unknown;
  /** Path and query of the next page, if there is one. */
  readonly next?: string;
}

/** An object that never changes, and is the same one when it is asked for again. */
interface RestLastingAnswer {
  readonly lasting: object;
}

/** An answer that is to be saved as a file. */
export interface RestFile {
  readonly file: {
    /** In ASCII. */
    readonly name: string;
    readonly type: string;
    readonly bytes: Uint8Array<ArrayBuffer>;
  };
}

/** A file that is made while it is sent. */
export interface RestDownload {
  readonly download: {
    /** In ASCII. */
    readonly name: string;
    readonly type: string;
    /** None of them is empty. */
    readonly parts: AsyncGenerator<Uint8Array<ArrayBuffer>>;
  };
}

/** A list that is too long for one procedure call. */
export interface RestPages {
  /** None of them is empty. */
  readonly pages: AsyncGenerator<readonly unknown[]>;
}

/** A text that is made while it is sent, to be saved as a file. */
export interface RestText {
  readonly text: Statement;
  /** Path and query of the next page, if there is one. */
  readonly next?: string;
}

/** One server-sent event, under an id to resume after. */
export interface RestEvent {
  readonly id: string;
  readonly name: string;
  /** In the procedure's words. */
  readonly data: unknown;
}

/** An answer that goes on. */
export interface RestStream {
  readonly events: AsyncGenerator<RestEvent>;
}

/** What a row of the table may say beside its method, path and procedure. */
interface RestTerms {
  /** Whether it answers without a session. */
  readonly isPublic?: true;
  /** Whether guests may ask as well, where the operator takes tips of theirs. */
  readonly isForGuests?: true;
  /** Whether it answers also before a password was changed that the operator made. */
  readonly isForAnyPassword?: true;
  readonly status: 200 | 201 | 204;
  /** What the body of a POST or PATCH holds, in the procedure's words; without it, what the procedure takes. Null for no body. */
  readonly input?: z.ZodType | null;
  /** Whether it moves money, or leads to where it goes: without a body, members of one are refused instead of ignored. */
  readonly movesMoney?: true;
  /** The parameters that its query may have, each at most once; another one is refused. */
  readonly parameters?: readonly string[];
  /** Whether the body is a picture as it is. */
  readonly takesPicture?: true;
  /** The types of the file that is answered in place of JSON. */
  readonly fileTypes?: readonly string[];
  /** What the answer holds, in the procedure's words; a list of it when `isList`. */
  readonly output?: z.ZodType;
  readonly isList?: true;
  /** Whether it can be asked for page by page, each naming the next one in its `Link` header. */
  readonly isPaged?: true;
  /** Whether CSV is answered to whoever would rather have that than JSON. */
  readonly isCsvToo?: true;
  /** Whether `output` is the data of each server-sent event. */
  readonly isStream?: true;
  /** The refusals of its own, beside those that any route has. */
  readonly refusals?: readonly ErrorCode[];
  /** How the procedure is asked; without it, with the body. */
  readonly call?: (
    request: RestRequest,
  ) => Promise<RestAnswer | RestDownload | RestFile | RestLastingAnswer | RestPages | RestStream | RestText>;
}

/** A row of the table. */
export interface RestRoute extends RestTerms {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  /** Below /api, in Hono's notation. */
  readonly path: string;
  readonly procedure: ProcedureName;
  readonly refusals: NonNullable<RestTerms['refusals']>;
  readonly call: NonNullable<RestTerms['call']>;
}

/** A row; what it does not say follows from its procedure. */
export function route(
  method: RestRoute['method'],
  path: string,
  procedure: ProcedureName,
  terms: RestTerms,
): RestRoute {
  const input = method === 'POST' || method === 'PATCH' ? inputOf(procedure) : undefined;
  const call: RestRoute['call'] = async ({ ask, body }) => ({ body: await ask(body) });
  return { method, path, procedure, refusals: [], call, ...(input && { input }), ...terms };
}

/** A whole number as JSON Schema knows it, for which 5.0 is one. */
export function numberFrom(digits: string): number {
  return /^\d{1,9}(?:\.0{1,9})?$/.test(digits) ? Number(digits) : Number.NaN;
}
