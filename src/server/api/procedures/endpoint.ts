/**
 * An endpoint has one home: beside its procedure stands everything that the REST door and the API description make of
 * it. The terms are kept in a table of our own, because what tRPC keeps in a procedure is private to it.
 */
import type { z } from 'zod';
import type { ErrorCode } from '#shared/errors.ts';
import type { JsonSchema } from '../wire.ts';

/** A text of the API description; lines are joined by spaces. */
export type Text = string | readonly string[];

/** What of a request becomes a member of the procedure's input. A number is read where the schema is of integers. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** The member of the input; without it, the name in camelCase. */
  readonly field?: string;
  readonly required?: true;
  readonly description: Text;
  readonly schema: JsonSchema;
  readonly example?: unknown;
}

/** A schema under the name of its component in the API description, which begins with a capital there. */
export type Named = Readonly<Record<string, z.ZodType>>;

export const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'] as const;
type Method = (typeof METHODS)[number];

interface Terms {
  /** Method and path below /api, in Hono's notation. The method is GET for whatever changes nothing. */
  readonly rest: `${Method} /${string}`;
  /** Answers without a session. */
  readonly isPublic?: true;
  /** Answers guests as well, where the operator takes tips of theirs. */
  readonly isForGuests?: true;
  /** Answers also before a password was changed that the operator made. */
  readonly isForAnyPassword?: true;
  readonly status: 200 | 201 | 204;
  readonly summary: string;
  readonly description: Text;
  /** A query that has others, or one of them twice, is refused. */
  readonly parameters?: readonly Parameter[];
  /** The JSON body of a request; no body is read without it. */
  readonly takes?: Named;
  /** The body is a picture as it is; `tooLarge` refuses one of more bytes. */
  readonly picture?: {
    readonly field: string;
    readonly maxBytes: number;
    readonly tooLarge: ErrorCode;
  };
  /** Moves money, or leads to where it goes: where no body is taken, members of one are refused instead of ignored. */
  readonly movesMoney?: true;
  /** The JSON of the answer, or the data of each event; a list of it with `isList`. */
  readonly answers?: Named;
  readonly isList?: true;
  /** Members of the answer that the procedure leaves to the door. */
  readonly adds?: Readonly<Record<string, string>>;
  /**
   * The procedure answers a page: `nextCursor`, and the items under the name of `of`. A page names the next one in its
   * `Link` header. Without a `limit`, whatever has `wholeBy` is answered whole, read by so many at once.
   */
  readonly pages?: { readonly of: string; readonly wholeBy?: number };
  /**
   * `lasting`: an object that never changes, and is the same one when it is asked for again. `file`: a file to save.
   * `download`: one that is made while it is sent. `events`: an answer that goes on.
   */
  readonly form?: 'lasting' | 'file' | 'download' | 'events';
  /** The types of the file that is answered in place of JSON. */
  readonly fileTypes?: readonly string[];
  /** The refusals of its own, beside those that any endpoint has. */
  readonly refusals?: readonly ErrorCode[];
  /** Examples of the body sent and of the one answered. */
  readonly request?: unknown;
  readonly response?: unknown;
  /** An example of the same answer as CSV, for whoever would rather have that than JSON. */
  readonly csv?: string;
}

export interface Endpoint extends Omit<Terms, 'rest'> {
  readonly method: Method;
  readonly path: string;
  /** `chapter.procedure` */
  readonly procedure: string;
  /** The kind of the procedure, in tRPC's word. */
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly refusals: readonly ErrorCode[];
}

/** Of whatever changes a code, or tips by it. */
export const CODE_REFUSALS = ['qr_code_not_found', 'qr_code_replaced', 'qr_code_retired'] as const;

const termsOf = new WeakMap<object, Terms>();

/** Gives a procedure its terms. */
export function endpoint<Procedure extends object>(terms: Terms, procedure: Procedure): Procedure {
  termsOf.set(procedure, terms);
  return procedure;
}

/** Every endpoint of the chapters. @throws for a procedure without terms. */
export function endpointsOf(
  chapters: Readonly<Record<string, Readonly<Record<string, object>>>>,
): readonly Endpoint[] {
  return Object.entries(chapters).flatMap(([chapter, procedures]) =>
    Object.entries(procedures).map(([name, procedure]) => {
      const terms = termsOf.get(procedure);
      const [word, path] = terms?.rest.split(' ') ?? [];
      const method = METHODS.find((each) => each === word);
      if (!terms || !method || path === undefined) throw new Error(`${chapter}.${name} is no endpoint`);
      const { rest: _, refusals = [], ...others } = terms;
      const goesOn = terms.form === 'events' || terms.form === 'download';
      const type = goesOn ? 'subscription' : method === 'GET' ? 'query' : 'mutation';
      return { ...others, refusals, method, path, type, procedure: `${chapter}.${name}` };
    }),
  );
}
