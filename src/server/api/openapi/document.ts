/** Makes the OpenAPI 3.1 document from the endpoints and schemas that are served. */
import type { z } from 'zod';
import { currencyName } from '#shared/amount-in-words.ts';
import { brand } from '#shared/brand.ts';
import { AppError, type ErrorCode } from '#shared/errors.ts';
import { accountEvent } from '#shared/events.ts';
import { decimalFromCents, terms } from '#shared/money.ts';
import { serviceCategory } from '#shared/qr-codes.ts';
import { REFUSALS } from '#shared/refusals.ts';
import type { RegistrationMode } from '#shared/registration-mode.ts';
import { decimalsInWords } from '#shared/tip-amount.ts';
import { tipChange } from '#shared/tips.ts';
import { VERSION } from '../../version.ts';
import { problemOf } from '../http/problems.ts';
import type { Endpoint, Named, Text } from '../procedures/endpoint.ts';
import { ENDPOINTS } from '../procedures/router.ts';
import { type JsonSchema, wireSchemas } from '../wire.ts';
import { type FieldNotes, fieldNotes, minorUnits } from './fields.ts';
import { EXAMPLE_REQUEST_ID, HEADERS } from './headers.ts';
import { bytesOf, OTHER_SCHEMAS, STREAM_SCHEMA, schemaAt } from './schemas.ts';

/** Refusals of any endpoint. The first is that of an unknown parameter. */
const COMMON_REFUSALS: readonly ErrorCode[] = [
  'invalid_input',
  'internal',
  'busy',
  'storage_unavailable',
  'shutting_down',
];
const BODY_REFUSALS: readonly ErrorCode[] = ['encoded_body'];
const POST_REFUSALS: readonly ErrorCode[] = ['body_too_large', 'not_json', 'malformed_json'];
const SESSION_REFUSALS: readonly ErrorCode[] = ['not_logged_in', 'session_ended'];
/** The refusals of API keys: where none may call, and where a scope is needed. */
const KEY_REFUSALS: readonly ErrorCode[] = ['invalid_api_key', 'not_for_api_keys', 'too_many_requests'];
const SCOPE_REFUSALS: readonly ErrorCode[] = ['invalid_api_key', 'missing_scope', 'too_many_requests'];
/** Whether a suspended account is refused; some other endpoints name this refusal themselves. */
const isRefusedWhileSuspended = ({ callers, isForSuspended, scope, type }: Endpoint) =>
  callers !== 'everybody' &&
  (scope !== undefined || (type !== 'query' && callers !== 'guests' && !isForSuspended));
const PASSWORD_REFUSALS: readonly ErrorCode[] = ['password_change_required'];
const FACTOR_REFUSALS: readonly ErrorCode[] = ['second_factor_required'];
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'];
const OTHER_REFUSALS: readonly ErrorCode[] = [
  'malformed_request',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
];

/** Chapters that the document names otherwise, because generated clients know these names. */
const CHAPTER_NAMES: Readonly<Record<string, { readonly tag?: string; readonly operations?: string }>> = {
  qrCodes: { tag: 'qr-codes' },
  messages: { tag: 'words', operations: 'words' },
  notifications: { tag: 'notices', operations: 'notices' },
  apiKeys: { tag: 'api-keys' },
  secondFactors: { tag: 'second-factors' },
};

/** Schemas that others contain, and no endpoint takes or answers by itself. */
const CONTAINED: Named = { serviceCategory };
const CONTAINED_IN_ANSWERS: Named = { ...CONTAINED, event: accountEvent, tipChange };

function namesOf(schemas: readonly (Named | undefined)[]): ReadonlyMap<z.ZodType, string> {
  const named = schemas.flatMap((each) => Object.entries(each ?? {}));
  return new Map(named.map(([name, schema]) => [schema, componentName(name)]));
}

const componentName = (name: string) => name.replace(/^./, (first) => first.toUpperCase());

const headerAt = (name: string) => ({ $ref: `#/components/headers/${name}` });

const COMMON_HEADERS = {
  'X-Request-Id': headerAt('RequestId'),
  'Cache-Control': headerAt('CacheControl'),
  Vary: headerAt('Vary'),
};

/** @param publicUrl without a trailing slash. */
export function describeApi(publicUrl: string, registration: RegistrationMode = 'open'): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const { refusalsByRegistration, ...described } of ENDPOINTS) {
    const refusals = [...described.refusals, ...(refusalsByRegistration?.[registration] ?? [])];
    const endpoint = { ...described, refusals };
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operationOf(endpoint, publicUrl) };
  }
  const told = {
    notes: fieldNotes(),
    leftOut: registration === 'invite' ? [] : ['Registration.invitation'],
  };
  const named = {
    ...wireSchemas(
      namesOf([...ENDPOINTS.map(({ answers }) => answers), CONTAINED_IN_ANSWERS]),
      'output',
      schemaAt,
    ),
    // A schema that is both sent and answered is described as sent, which may have more fields than are taken.
    ...wireSchemas(namesOf([...ENDPOINTS.map(({ takes }) => takes), CONTAINED]), 'input', schemaAt),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand.name} API`,
      version: VERSION,
      summary: brand.tagline,
      description: [
        `The REST door of ${brand.name}. Amounts are ${currencyName()} as JSON numbers with ${decimalsInWords()} decimals; times are ISO 8601 in UTC.`,
        'Beside each amount of an answer stands the same in minor units, the smallest of the currency (ISO 4217), under its name with `_minor`. The outermost object that has an amount names the `currency`.',
        'Log in, then send the token as `Authorization: Bearer ...`. A program sends an API key in its place, which may call the operations of its scopes, and those that need no session.',
        'The schemas hold every bound that the server keeps and a schema can say. Spaces around an email, a username, a name or a phone number are dropped.',
        'A parameter that is not described is refused, and so is a field that is not described of what moves money; elsewhere such fields are dropped.',
        'Errors are problem details (RFC 9457): `detail` is a sentence for people, `code` one for programs, `instance` names the request in the log. What cannot be read as a request at all is refused in the same form, with 400, 408, 413 or 431.',
        'HEAD is answered wherever GET is, with the same headers and no body.',
      ].join('\n\n'),
      contact: { name: brand.name, url: publicUrl },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${publicUrl}/api` }],
    tags: [
      { name: 'auth', description: 'Accounts, and where they are logged in.' },
      { name: 'qr-codes', description: 'The printed codes of service providers.' },
      { name: 'transactions', description: 'Tips: giving them, and what was sent and received.' },
      { name: 'words', description: 'What givers write, what receivers answer, and whom they block.' },
      { name: 'payments', description: 'How providers are paid: their account at the payment service.' },
      { name: 'notices', description: 'The devices that tips reach with no page open.' },
      { name: 'webhooks', description: 'What happened: to be read, or told to an endpoint of yours.' },
      { name: 'api-keys', description: 'The keys by which programs act for an account.' },
      {
        name: 'second-factors',
        description: 'Passkeys, authenticator apps and recovery codes: what a login needs beside a password.',
      },
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The `access_token` that a login answers.' },
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description:
            'An API key, which its owner makes on the page of their profile or by `POST /api-keys`. Each operation names the scope that the key needs.',
        },
      },
      headers: HEADERS,
      responses: { OtherProblem: problemFor(OTHER_REFUSALS, publicUrl) },
      schemas: {
        ...Object.fromEntries(
          Object.entries(named).map(([name, schema]) => [
            name,
            annotated(name === 'NewTip' ? bounded(schema) : schema, name, told),
          ]),
        ),
        ...OTHER_SCHEMAS,
      },
    },
  };
}

function operationOf(endpoint: Endpoint, publicUrl: string): JsonSchema {
  const { procedure, parameters, picture, takes } = endpoint;
  const [chapter = '', name] = procedure.split('.');
  const { tag = chapter, operations = chapter } = CHAPTER_NAMES[chapter] ?? {};
  return {
    operationId: `${operations}_${name}`,
    tags: [tag],
    summary: endpoint.summary,
    description: textOf(endpoint.description),
    security: securityOf(endpoint),
    ...(parameters && {
      parameters: parameters.map(({ field: _, description, ...parameter }) => ({
        ...parameter,
        description: textOf(description),
      })),
    }),
    ...(picture && { requestBody: { required: true, content: bytesOf(PHOTO_TYPES) } }),
    ...(takes && {
      requestBody: {
        required: !endpoint.isBodyOptional,
        content: { 'application/json': { schema: referenceTo(takes), example: endpoint.request } },
      },
    }),
    responses: {
      [endpoint.status]: successOf(endpoint),
      ...problemsOf(endpoint, publicUrl),
      default: { $ref: '#/components/responses/OtherProblem' },
    },
  };
}

function securityOf({ callers, scope }: Endpoint): readonly JsonSchema[] {
  if (callers === 'everybody') return [];
  return [{ bearer: [] }, ...(scope ? [{ apiKey: [scope] }] : []), ...(callers === 'guests' ? [{}] : [])];
}

const textOf = (text: Text) => (typeof text === 'string' ? text : text.join(' '));

function successOf(endpoint: Endpoint): JsonSchema {
  const { answers, csv, fileTypes, refusals, scope, response: example } = endpoint;
  const isCounted = scope !== undefined || refusals.includes('too_many_requests');
  const headers = { ...COMMON_HEADERS, ...quotaHeaders(isCounted) };
  if (fileTypes) {
    return {
      description: 'The file, to be saved.',
      headers: { ...headers, 'Content-Disposition': headerAt('ContentDisposition') },
      content: bytesOf(fileTypes),
    };
  }
  if (!answers) return { description: 'Done.', headers };
  if (endpoint.form === 'events') {
    return {
      description:
        'Server-sent events: first `connected` or `reset`, which says where the stream begins, then each `tip`, with a transaction as its data.',
      headers,
      content: { 'text/event-stream': { schema: STREAM_SCHEMA, example } },
    };
  }
  const item = referenceTo(answers);
  return {
    description: endpoint.status === 201 ? 'Created.' : 'OK.',
    headers: {
      ...headers,
      ...(endpoint.pages && { Link: headerAt('Link') }),
      ...(csv !== undefined && { 'Content-Disposition': headerAt('ContentDisposition') }),
    },
    content: {
      'application/json': { schema: endpoint.isList ? { type: 'array', items: item } : item, example },
      ...(csv !== undefined && { 'text/csv': { schema: { $ref: schemaAt('Csv') }, example: csv } }),
    },
  };
}

function referenceTo(named: Named): JsonSchema {
  const [name = ''] = Object.keys(named);
  return { $ref: schemaAt(componentName(name)) };
}

const quotaHeaders = (isCounted: boolean) =>
  isCounted ? { RateLimit: headerAt('RateLimit'), 'RateLimit-Policy': headerAt('RateLimitPolicy') } : {};

function problemsOf(endpoint: Endpoint, publicUrl: string): Record<string, JsonSchema> {
  const all = new Set([
    ...refusalsOfCallers(endpoint),
    ...(isRefusedWhileSuspended(endpoint) ? (['account_suspended'] as const) : []),
    ...(endpoint.method === 'GET' || endpoint.method === 'DELETE' ? [] : BODY_REFUSALS),
    ...(endpoint.method === 'POST' || endpoint.method === 'PATCH' ? POST_REFUSALS : []),
    ...endpoint.refusals,
    ...COMMON_REFUSALS,
  ]);
  if (all.has('login_to_tip')) all.delete('not_logged_in');
  const codes = [...all];
  const statuses = new Set(codes.map((code) => REFUSALS[code].status));
  // Keys are counted before they are refused, and so also where none may call.
  const isCounted = codes.includes('too_many_requests');
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codesOfStatus = codes.filter((code) => REFUSALS[code].status === status);
      return [status, problemFor(codesOfStatus, publicUrl, quotaHeaders(isCounted))];
    }),
  );
}

function refusalsOfCallers({ callers, scope }: Endpoint): readonly ErrorCode[] {
  if (callers === 'everybody') return [];
  const ofSession = [...SESSION_REFUSALS, ...(scope ? SCOPE_REFUSALS : KEY_REFUSALS)];
  if (callers === 'any_password') return ofSession;
  const ofOwner = [...ofSession, ...PASSWORD_REFUSALS];
  return callers === 'without_factor' ? ofOwner : [...ofOwner, ...FACTOR_REFUSALS];
}

function problemFor(codes: readonly ErrorCode[], publicUrl: string, more: object = {}): JsonSchema {
  const has = (...statuses: number[]) => codes.some((code) => statuses.includes(REFUSALS[code].status));
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: {
      ...COMMON_HEADERS,
      ...more,
      ...((has(401) || codes.includes('missing_scope')) && {
        'WWW-Authenticate': headerAt('WwwAuthenticate'),
      }),
      ...(codes.includes('encoded_body') && { 'Accept-Encoding': headerAt('AcceptEncoding') }),
      ...(has(405) && { Allow: headerAt('Allow') }),
      ...(has(429, 503) && { 'Retry-After': headerAt('RetryAfter') }),
    },
    content: {
      'application/problem+json': {
        schema: { $ref: schemaAt('Problem') },
        examples: Object.fromEntries(
          codes.map((code) => [
            code,
            { value: problemOf(new AppError(code), EXAMPLE_REQUEST_ID, publicUrl) },
          ]),
        ),
      },
    },
  };
}

function bounded(schema: JsonSchema): JsonSchema {
  const { minTipCents, maxTipCents } = terms();
  const { amount, ...others } = isObject(schema['properties']) ? schema['properties'] : {};
  if (!isObject(amount)) return schema;
  const { type, ...rest } = amount;
  const bounds = { minimum: decimalFromCents(minTipCents), maximum: decimalFromCents(maxTipCents) };
  return { ...schema, properties: { amount: { type, ...bounds, ...rest }, ...others } };
}

function minorNote(field: string): string | undefined {
  const amount = /^(.*)_minor$/.exec(field)?.[1];
  return amount && `\`${amount}\` as a whole number of minor units: ${minorUnits()}.`;
}

function annotated(
  schema: JsonSchema,
  name: string,
  told: { readonly notes: FieldNotes; readonly leftOut: readonly string[] },
): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => {
      if (keyword === 'properties' && isObject(content)) {
        return [
          keyword,
          Object.fromEntries(
            Object.entries(content)
              .filter(([field]) => !told.leftOut.includes(`${name}.${field}`))
              .map(([field, property]) => [
                field,
                {
                  description: told.notes[`${name}.${field}`] ?? told.notes[field] ?? minorNote(field),
                  ...(isObject(property) ? annotated(property, name, told) : {}),
                },
              ]),
          ),
        ];
      }
      if (Array.isArray(content))
        return [keyword, content.map((item) => (isObject(item) ? annotated(item, name, told) : item))];
      return [keyword, isObject(content) ? annotated(content, name, told) : content];
    }),
  );
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
