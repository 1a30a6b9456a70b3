/**
 * What every answer must look like, whatever was asked: a refusal is a row of the closed table, through either door,
 * and says nothing but that row's sentence or that of the first wrong field.
 */
import { expect } from 'vitest';
import { z } from 'zod';
import { type ErrorCode, REFUSALS } from '#shared/errors.ts';

const errorCode = z.enum(Object.keys(REFUSALS) as [ErrorCode, ...ErrorCode[]]);
const fieldErrors = z.array(z.strictObject({ field: z.string(), message: z.string().min(1) }));
const REQUEST_ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const problem = z
  .strictObject({
    type: z.url(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    instance: z.templateLiteral(['urn:uuid:', z.uuid()]),
    code: errorCode,
    errors: fieldErrors.min(1).optional(),
  })
  .refine(({ code, title, status }) => REFUSALS[code].title === title && REFUSALS[code].status === status)
  .refine(({ code, detail, errors = [] }) => isSaying(detail, code, errors));

const trpcFailure = z
  .strictObject({
    message: z.string(),
    code: z.int().negative(),
    data: z.strictObject({
      code: z.string(),
      httpStatus: z.int(),
      path: z.string().nullable(),
      errorCode,
      fieldErrors,
      retryAfterSeconds: z.int().positive().nullable(),
      requestId: z.string().regex(REQUEST_ID).nullable(),
    }),
  })
  .refine(({ data }) => REFUSALS[data.errorCode].status === data.httpStatus)
  .refine(({ message, data }) => isSaying(message, data.errorCode, data.fieldErrors));

const trpcAnswer = z.union([
  z.strictObject({ error: trpcFailure }),
  z.strictObject({ result: z.strictObject({ data: z.unknown() }) }),
]);

export type Problem = z.infer<typeof problem>;

/** A tRPC answer: what it came to, or why not. */
export interface TrpcOutcome {
  readonly code: ErrorCode | null;
  readonly message: string | null;
  readonly data: unknown;
}

/**
 * Reads an answer of the REST door, or of an address outside both doors.
 * @returns the problem of a refusal, null of anything else.
 */
export async function readProblem(response: Response): Promise<Problem | null> {
  if (response.status < 400) return null;
  const { headers } = response;
  expect(headers.get('Content-Type')).toBe('application/problem+json');
  const read = problem.parse(await response.json());
  expect(read.status).toBe(response.status);
  expect(read.instance).toBe(`urn:uuid:${headers.get('X-Request-Id')}`);
  expectRefusalHeaders(response);
  return read;
}

/** Reads an answer of the tRPC door: one outcome for each call of a batch, one for a call on its own. */
export async function readTrpc(response: Response): Promise<readonly TrpcOutcome[]> {
  const body: unknown = await response.json();
  const answers = z.array(trpcAnswer).parse(Array.isArray(body) ? body : [body]);
  const outcomes = answers.map((answer) =>
    'error' in answer
      ? { code: answer.error.data.errorCode, message: answer.error.message, data: null }
      : { code: null, message: null, data: answer.result.data },
  );
  const statuses = new Set(outcomes.map(({ code }) => (code === null ? 200 : REFUSALS[code].status)));
  expect(statuses.size > 1 ? [207] : [...statuses]).toContain(response.status);
  if (statuses.size === 1) expectRefusalHeaders(response);
  return outcomes;
}

/** RFC 9110, sections 10.2.3, 11.6.1 and 15.5.6. */
function expectRefusalHeaders({ status, headers }: Response): void {
  if (status === 401) expect(headers.get('WWW-Authenticate')).toMatch(/^Bearer realm="/);
  if (status === 405) expect(headers.get('Allow')).toMatch(/^[A-Z]+(?:, [A-Z]+)*$/);
  if (status === 429 || status === 503) expect(headers.get('Retry-After')).toMatch(/^[1-9]\d*$/);
}

function isSaying(text: string, code: ErrorCode, errors: z.infer<typeof fieldErrors>): boolean {
  return text === (errors[0]?.message ?? REFUSALS[code].detail);
}
