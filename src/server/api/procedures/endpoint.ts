/**
 * The description of an endpoint, of which REST and the API description are made, stands beside its procedure, which
 * says itself who may call it.
 */
import type { z } from 'zod';
import type { ApiScope } from '#shared/api-scopes.ts';
import type { ErrorCode } from '#shared/errors.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';
import type { JsonSchema } from '../wire.ts';
import type { Guarantees } from './trpc.ts';

/** A text of the API description; lines are joined by spaces. */
export type Text = string | readonly string[];

/** A part of the request that becomes a member of the procedure's input, a number where the schema is `integer`. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  /** The member of the input; by default the name in camelCase. */
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

interface Description {
  /** Method and path below /api, in Hono's notation. The method is GET for whatever changes nothing. */
  readonly rest: `${Method} /${string}`;
  /** The scope that an API key needs; without one no key may call it. */
  readonly scope?: ApiScope;
  readonly status: 200 | 201 | 204;
  readonly summary: string;
  readonly description: Text;
  /** Unknown and repeated parameters of the query are refused. */
  readonly parameters?: readonly Parameter[];
  /** The JSON body of the request; without it no body is read. */
  readonly takes?: Named;
  /** Without a body the request is as with an object that has no members. */
  readonly isBodyOptional?: true;
  /** The body is a picture as raw bytes; `tooLarge` refuses more than `maxBytes`. */
  readonly picture?: {
    readonly field: string;
    readonly maxBytes: number;
    readonly tooLarge: ErrorCode;
  };
  /** It moves money, or decides where it goes: where no body is taken, members of one are refused, not ignored. */
  readonly movesMoney?: true;
  /** The JSON of the answer, or the data of each event; a list of it with `isList`. */
  readonly answers?: Named;
  readonly isList?: true;
  readonly adds?: Readonly<Record<string, string>>;
  /**
   * The procedure answers a page: `nextCursor`, and the items as `of`. Without a `limit`, an endpoint with `wholeBy`
   * answers the whole list, read in pages of that size.
   */
  readonly pages?: {
    readonly of: string;
    readonly wholeBy?: number;
    /** The parameter of the cursor, by default `cursor`. With it the body is a whole page with `hasMore`. */
    readonly cursorAs?: string;
  };
  /** `lasting`: an object that never changes, and is the same one each time. `download`: made while it is sent. */
  readonly form?: 'lasting' | 'file' | 'download' | 'events';
  readonly fileTypes?: readonly string[];
  /** The refusals of this endpoint, beside those of any. */
  readonly refusals?: readonly ErrorCode[];
  readonly refusalsByRegistration?: Readonly<Partial<Record<RegistrationMode, readonly ErrorCode[]>>>;
  readonly request?: unknown;
  readonly response?: unknown;
  /** An example of the answer as CSV, which the endpoint has then beside JSON. */
  readonly csv?: string;
}

export interface Endpoint extends Omit<Description, 'rest'>, Required<Pick<Guarantees, 'callers'>> {
  readonly method: Method;
  readonly path: string;
  /** `chapter.procedure` */
  readonly procedure: string;
  readonly type: 'query' | 'mutation' | 'subscription';
  readonly isForSuspended: boolean;
  readonly refusals: readonly ErrorCode[];
}

export const CODE_REFUSALS = ['qr_code_not_found', 'qr_code_replaced', 'qr_code_retired'] as const;

const descriptionOf = new WeakMap<object, Description>();

interface Guaranteed {
  readonly meta: Guarantees;
}

export function endpoint<Procedure extends Guaranteed>(
  description: Description,
  procedure: Procedure,
): Procedure {
  descriptionOf.set(procedure, description);
  return procedure;
}

/** @throws for a procedure without a description. */
export function endpointsOf(
  chapters: Readonly<Record<string, Readonly<Record<string, Guaranteed>>>>,
): readonly Endpoint[] {
  return Object.entries(chapters).flatMap(([chapter, procedures]) =>
    Object.entries(procedures).map(([name, procedure]) => {
      const described = descriptionOf.get(procedure);
      const [word, path] = described?.rest.split(' ') ?? [];
      const method = METHODS.find((each) => each === word);
      const { callers, isForSuspended = false } = procedure.meta;
      if (!described || !method || path === undefined || !callers)
        throw new Error(`${chapter}.${name} is no endpoint`);
      const { rest: _, refusals = [], ...others } = described;
      const goesOn = described.form === 'events' || described.form === 'download';
      const type = goesOn ? 'subscription' : method === 'GET' ? 'query' : 'mutation';
      const guarantees = { callers, isForSuspended };
      return { ...others, ...guarantees, refusals, method, path, type, procedure: `${chapter}.${name}` };
    }),
  );
}
