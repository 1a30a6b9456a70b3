/**
 * The REST table, described: an OpenAPI 3.1 document made from the very rows and schemas that are served.
 */
import type { z } from 'zod';
import { VERSION } from '#server/version.ts';
import {
  closing,
  closingAnswer,
  confirmation,
  credentials,
  passwordChange,
  profileChange,
  registration,
  session,
  user,
} from '#shared/accounts.ts';
import { brand } from '#shared/brand.ts';
import { AppError, type ErrorCode, REFUSALS } from '#shared/errors.ts';
import { newDevice, notificationDevice, notificationDeviceChange, pushKey } from '#shared/notifications.ts';
import { paymentLink, payoutStatus } from '#shared/payments.ts';
import {
  endedQrCode,
  newQrCode,
  qrCode,
  qrCodeLookup,
  serviceCategory,
  tipPageChange,
} from '#shared/qr-codes.ts';
import { insights, tipSums } from '#shared/records.ts';
import { blockedGiver, readyThankYous, tipSummary, transaction } from '#shared/tips.ts';
import { problemOf } from '../http/problems.ts';
import type { RestRoute } from '../rest/rest-route.ts';
import { REST_ROUTES, restLogin } from '../rest/rest-routes.ts';
import { restTip } from '../rest/transaction-routes.ts';
import { restHiding, restThankYou } from '../rest/word-routes.ts';
import { type JsonSchema, wireSchemas } from '../wire.ts';
import { EXAMPLE_REQUEST_ID, HEADERS } from './examples.ts';
import { FIELD_NOTES } from './fields.ts';
import { ROUTE_NOTES } from './notes.ts';
import { bytesOf, OTHER_SCHEMAS, STREAM_SCHEMA, schemaAt } from './schemas.ts';
import type { RouteNotes } from './tip-notes.ts';

/** The refusals that any route may answer: that of a parameter which it does not take is the first. */
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
const PASSWORD_REFUSALS: readonly ErrorCode[] = ['password_change_required'];
const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp'];
/** What is refused before any route is found. */
const OTHER_REFUSALS: readonly ErrorCode[] = [
  'malformed_request',
  'method_not_allowed',
  'request_timeout',
  'headers_too_large',
];

/** The names under which generated clients find what is sent. */
const INPUT_NAMES: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [registration, 'Registration'],
  [credentials, 'Credentials'],
  [confirmation, 'Confirmation'],
  [passwordChange, 'PasswordChange'],
  [closing, 'Closing'],
  [newQrCode, 'NewQrCode'],
  [profileChange, 'ProfileChange'],
  [tipPageChange, 'TipPageChange'],
  [restTip, 'NewTip'],
  [restThankYou, 'NewThankYou'],
  [restHiding, 'Hiding'],
  [readyThankYous, 'ReadyThankYous'],
  [newDevice, 'NewDevice'],
  [notificationDeviceChange, 'NoticeDeviceChange'],
  [serviceCategory, 'ServiceCategory'],
]);

/** The names under which generated clients find what is answered. */
const OUTPUT_NAMES: ReadonlyMap<z.ZodType, string> = new Map<z.ZodType, string>([
  [user, 'User'],
  [restLogin, 'Login'],
  [session, 'Session'],
  [closingAnswer, 'ClosingAnswer'],
  [qrCode, 'QrCode'],
  [endedQrCode, 'EndedQrCode'],
  [qrCodeLookup, 'QrCodeLookup'],
  [transaction, 'Transaction'],
  [tipSummary, 'TipSummary'],
  [blockedGiver, 'BlockedGiver'],
  [readyThankYous, 'ReadyThankYous'],
  [tipSums, 'TipSums'],
  [insights, 'Insights'],
  [payoutStatus, 'PayoutStatus'],
  [paymentLink, 'PaymentLink'],
  [pushKey, 'NoticeKey'],
  [notificationDevice, 'NoticeDevice'],
  [serviceCategory, 'ServiceCategory'],
]);

const headerAt = (name: string) => ({ $ref: `#/components/headers/${name}` });

/** The headers that any answer of a route has, or may have. */
const COMMON_HEADERS = {
  'X-Request-Id': headerAt('RequestId'),
  'Cache-Control': headerAt('CacheControl'),
  Vary: headerAt('Vary'),
};

/** The document for an instance at `publicUrl` (no trailing slash). */
export function describeApi(publicUrl: string): JsonSchema {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const route of REST_ROUTES) {
    const path = route.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operationOf(route, publicUrl) };
  }
  const named = {
    ...wireSchemas(OUTPUT_NAMES, 'output', schemaAt),
    // What is sent and answered under one name is described as it is sent, because that may have more fields than are taken.
    ...wireSchemas(INPUT_NAMES, 'input', schemaAt),
  };
  return {
    openapi: '3.1.0',
    info: {
      title: `${brand.name} API`,
      version: VERSION,
      summary: brand.tagline,
      description: [
        `The REST door of ${brand.name}. Amounts are US dollars as JSON numbers with at most two decimals; times are ISO 8601 in UTC.`,
        'Log in, then send the token as `Authorization: Bearer ...`.',
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
    ],
    paths,
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'The `access_token` that a login answers.' },
      },
      headers: HEADERS,
      responses: { OtherProblem: problemFor(OTHER_REFUSALS, publicUrl) },
      schemas: {
        ...Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, annotated(schema, name)])),
        ...OTHER_SCHEMAS,
      },
    },
  };
}

function operationOf(route: RestRoute, publicUrl: string): JsonSchema {
  const notes = ROUTE_NOTES[route.procedure];
  if (!notes) throw new Error(`${route.procedure} is not described`);
  return {
    operationId: route.procedure.replace('.', '_'),
    // As the chapter of the procedure is called in addresses.
    tags: [route.procedure.replace(/\..*/, '').replace('qrCodes', 'qr-codes')],
    summary: notes.summary,
    description: notes.description,
    security: route.isPublic ? [] : [{ bearer: [] }, ...(route.isForGuests ? [{}] : [])],
    ...(notes.parameters && { parameters: notes.parameters }),
    ...(route.takesPicture && {
      requestBody: {
        required: true,
        content: bytesOf(PHOTO_TYPES),
      },
    }),
    ...(route.input && {
      requestBody: {
        required: true,
        content: {
          'application/json': { schema: referenceTo(INPUT_NAMES, route.input), example: notes.request },
        },
      },
    }),
    responses: {
      [route.status]: successOf(route, notes),
      ...problemsOf(route, publicUrl),
      default: { $ref: '#/components/responses/OtherProblem' },
    },
  };
}

function successOf(route: RestRoute, { response: example, csv }: RouteNotes): JsonSchema {
  const headers = { ...COMMON_HEADERS, ...quotaHeaders(route) };
  if (route.fileTypes) {
    return {
      description: 'The file, to be saved.',
      headers: { ...headers, 'Content-Disposition': headerAt('ContentDisposition') },
      content: bytesOf(route.fileTypes),
    };
  }
  if (!route.output) return { description: 'Done.', headers };
  if (route.isStream) {
    return {
      description:
        'Server-sent events: first `connected` or `reset`, which says where the stream begins, then each `tip`, with a transaction as its data.',
      headers,
      content: { 'text/event-stream': { schema: STREAM_SCHEMA, example } },
    };
  }
  const item = referenceTo(OUTPUT_NAMES, route.output);
  return {
    description: route.status === 201 ? 'Created.' : 'OK.',
    headers: {
      ...headers,
      ...(route.isPaged && { Link: headerAt('Link') }),
      ...(route.isCsvToo && { 'Content-Disposition': headerAt('ContentDisposition') }),
    },
    content: {
      'application/json': { schema: route.isList ? { type: 'array', items: item } : item, example },
      ...(route.isCsvToo && { 'text/csv': { schema: { $ref: schemaAt('Csv') }, example: csv } }),
    },
  };
}

function referenceTo(names: ReadonlyMap<z.ZodType, string>, schema: z.ZodType): JsonSchema {
  const name = names.get(schema);
  if (name === undefined) throw new Error('a schema of a route has no name');
  return { $ref: schemaAt(name) };
}

/** The headers of all answers of a route that a limit counts. */
const quotaHeaders = (route: RestRoute) =>
  route.refusals.includes('too_many_requests')
    ? { RateLimit: headerAt('RateLimit'), 'RateLimit-Policy': headerAt('RateLimitPolicy') }
    : {};

function problemsOf(route: RestRoute, publicUrl: string): Record<string, JsonSchema> {
  const codes = [
    ...(route.isPublic ? [] : SESSION_REFUSALS),
    ...(route.isPublic || route.isForAnyPassword ? [] : PASSWORD_REFUSALS),
    ...(route.method === 'GET' || route.method === 'DELETE' ? [] : BODY_REFUSALS),
    ...(route.method === 'POST' || route.method === 'PATCH' ? POST_REFUSALS : []),
    ...route.refusals,
    ...COMMON_REFUSALS,
  ].filter((code) => !(code === 'not_logged_in' && route.refusals.includes('login_to_tip')));
  const statuses = new Set(codes.map((code) => REFUSALS[code].status));
  return Object.fromEntries(
    [...statuses].map((status) => {
      const codesOfStatus = codes.filter((code) => REFUSALS[code].status === status);
      return [status, problemFor(codesOfStatus, publicUrl, quotaHeaders(route))];
    }),
  );
}

/** An answer that is one of these refusals, with the headers that go with any of them. */
function problemFor(codes: readonly ErrorCode[], publicUrl: string, more: object = {}): JsonSchema {
  const has = (...statuses: number[]) => codes.some((code) => statuses.includes(REFUSALS[code].status));
  return {
    description: codes.map((code) => `\`${code}\`: ${REFUSALS[code].title}.`).join(' '),
    headers: {
      ...COMMON_HEADERS,
      ...more,
      ...(has(401) && { 'WWW-Authenticate': headerAt('WwwAuthenticate') }),
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

/** The schema with each property explained; `name` is that under which it stands. */
function annotated(schema: JsonSchema, name: string): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => {
      if (keyword === 'properties' && isObject(content)) {
        return [
          keyword,
          Object.fromEntries(
            Object.entries(content).map(([field, property]) => [
              field,
              {
                description: FIELD_NOTES[`${name}.${field}`] ?? FIELD_NOTES[field],
                ...(isObject(property) ? annotated(property, name) : {}),
              },
            ]),
          ),
        ];
      }
      if (Array.isArray(content))
        return [keyword, content.map((item) => (isObject(item) ? annotated(item, name) : item))];
      return [keyword, isObject(content) ? annotated(content, name) : content];
    }),
  );
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
