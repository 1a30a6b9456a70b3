/**
 * The REST table, described: an OpenAPI 3.1 document made from the very rows and schemas that are served.
 */
import { brand } from '#shared/brand.ts';
import { AppError, type ErrorCode, REFUSALS } from '#shared/errors.ts';
import { EXAMPLE_REQUEST_ID, FIELD_NOTES, ROUTE_NOTES } from './openapi-notes.ts';
import { problemOf } from './rest.ts';
import { REST_ROUTES, type RestRoute } from './rest-routes.ts';
import { type JsonSchema, wireSchema } from './wire.ts';

/** What any route may answer. */
const COMMON_REFUSALS: readonly ErrorCode[] = ['internal', 'busy', 'storage_unavailable', 'shutting_down'];
const POST_REFUSALS: readonly ErrorCode[] = ['body_too_large', 'not_json', 'malformed_json'];
const SESSION_REFUSALS: readonly ErrorCode[] = ['not_logged_in', 'session_ended'];
const PASSWORD_REFUSALS: readonly ErrorCode[] = ['password_change_required'];

/** The document for an instance at `publicUrl` (no trailing slash). */
export function describeApi(publicUrl: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of REST_ROUTES) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, publicUrl) };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand.name} API`,
      version: '1.0.0',
      summary: brand.tagline,
      description: [
        `The REST door of ${brand.name}. Amounts are US dollars as JSON numbers with at most two decimals; times are ISO 8601 in UTC.`,
        'Log in, then send the token as `Authorization: Bearer ...`.',
        'Errors are problem details (RFC 9457): `detail` is a sentence for people, `code` one for programs, `instance` names the request in the log. What cannot be read as a request at all is refused in the same form, with 400, 408, 413 or 431.',
      ].join('\n\n'),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/api` }],
    tags: [{ name: 'auth' }, { name: 'qr-codes' }, { name: 'transactions' }],
    paths,
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      schemas: { Problem: PROBLEM_SCHEMA },
    },
  };
}

function operationOf(route: RestRoute, publicUrl: string): JsonSchema {
  const notes = ROUTE_NOTES[route.procedure];
  if (!notes) throw new Error(`${route.procedure} is not described`);
  return {
    operationId: route.procedure.replace('.', '_'),
    tags: [route.path.split('/')[1]],
    summary: notes.summary,
    description: notes.description,
    ...(!route.isPublic && { security: [{ bearer: [] }] }),
    ...(notes.parameters && { parameters: notes.parameters }),
    ...(route.input && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: annotated(wireSchema(route.input, 'input')), example: notes.request },
        },
      },
    }),
    responses: { [route.status]: successOf(route, notes.response), ...problemsOf(route, publicUrl) },
  };
}

function successOf(route: RestRoute, example: unknown): JsonSchema {
  if (!route.output) return { description: 'Done.' };
  if (route.isStream) {
    return {
      description:
        'Server-sent events named `tip`, each with a transaction as its data and its id to resume after.',
      content: { 'text/event-stream': { schema: { type: 'string' }, example } },
    };
  }
  const item = annotated(wireSchema(route.output, 'output'));
  return {
    description: route.status === 201 ? 'Created.' : 'OK.',
    ...(route.isPaged && {
      headers: {
        Link: {
          description: 'With `limit`: the next page as `rel="next"`, while there is one.',
          schema: { type: 'string' },
        },
      },
    }),
    content: {
      'application/json': { schema: route.isList ? { type: 'array', items: item } : item, example },
    },
  };
}

function problemsOf(route: RestRoute, publicUrl: string): Record<string, JsonSchema> {
  const codes = [
    ...(route.isPublic ? [] : SESSION_REFUSALS),
    ...(route.isPublic || route.isForAnyPassword ? [] : PASSWORD_REFUSALS),
    ...(route.method === 'POST' ? POST_REFUSALS : []),
    ...route.refusals,
    ...COMMON_REFUSALS,
  ].filter((code) => !(code === 'not_logged_in' && route.refusals.includes('login_to_tip')));
  const statuses = new Set(codes.map((code) => REFUSALS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codesOfStatus = codes.filter((code) => REFUSALS[code].status === status);
      const answer = {
        description: codesOfStatus.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
        content: {
          'application/problem+json': {
            schema: { $ref: '#/components/schemas/Problem' },
            examples: Object.fromEntries(
              codesOfStatus.map((code) => [
                code,
                { value: problemOf(new AppError(code), EXAMPLE_REQUEST_ID, publicUrl) },
              ]),
            ),
          },
        },
      };
      return [status, answer];
    }),
  );
}

/** The schema with each property explained. */
function annotated(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => {
      if (keyword === 'properties' && isObject(content)) {
        return [
          keyword,
          Object.fromEntries(
            Object.entries(content).map(([field, property]) => [
              field,
              { description: FIELD_NOTES[field], ...(isObject(property) ? annotated(property) : {}) },
            ]),
          ),
        ];
      }
      if (Array.isArray(content))
        return [keyword, content.map((item) => (isObject(item) ? annotated(item) : item))];
      return [keyword, isObject(content) ? annotated(content) : content];
    }),
  );
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const PROBLEM_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Problem details, RFC 9457.',
  required: ['type', 'title', 'status', 'detail', 'instance', 'code'],
  properties: {
    type: {
      type: 'string',
      format: 'uri',
      description: 'Names the kind of problem and leads to its description.',
    },
    title: { type: 'string', description: 'The kind of problem in a few words.' },
    status: { type: 'integer', description: 'The HTTP status.' },
    detail: { type: 'string', description: 'A sentence to show to people.' },
    instance: {
      type: 'string',
      format: 'uri',
      description: 'The id of the request, as in its X-Request-Id header.',
    },
    code: { type: 'string', enum: Object.keys(REFUSALS), description: 'The kind of problem, for programs.' },
    errors: {
      type: 'array',
      description: 'For `invalid_input`: what is wrong, field by field.',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: {
          field: { type: 'string', description: 'The field, as it is named in the request.' },
          message: { type: 'string', description: 'What is wrong with it, for people.' },
        },
      },
    },
  },
};
