/**
 * The description of the API as it is served, and how to find one's way in it.
 */
import type { ErrorObject, ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect } from 'vitest';
import { z } from 'zod';
import { ENDPOINTS } from '#server/api/procedures/router.ts';
import { createTestApp, type RestAnswer, type TestApp } from './test-app.ts';

export interface Schema {
  readonly [keyword: string]: unknown;
}
export interface MediaType {
  readonly schema: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}
export interface Answer {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string; readonly schema: Schema }>>;
  readonly content?: Readonly<Record<string, MediaType>>;
}
export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly description: string;
  readonly schema: Schema;
  readonly example?: unknown;
}
export interface Operation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly security?: readonly unknown[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, MediaType>> };
  readonly responses: Readonly<Record<string, Answer>>;
}
export interface Description {
  readonly [member: string]: unknown;
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

/** What is wrong with a value by the schema at a JSON pointer of the document. */
export type Validate = (pointer: string, value: unknown) => readonly ErrorObject[];

/** Headers that say something about one answer; the others are the same for all. */
const TELLING_HEADERS = [
  'Accept-Encoding',
  'Allow',
  'Cache-Control',
  'Content-Disposition',
  'ETag',
  'Link',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'Vary',
  'WWW-Authenticate',
  'X-Request-Id',
];

/**
 * The description with its validator, read once for all tests of a worker: its schemas take a second to
 * compile.
 */
let described: { readonly document: Description; readonly validate: Validate } | undefined;

export async function describedApp() {
  const t = await createTestApp();
  described ??= await describedBy(t);
  return { t, ...described };
}

async function describedBy({ rest }: TestApp) {
  const { status, body, headers } = await rest('GET', '/openapi.json');
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toMatch(/^application\/json/);
  const document: Description = resolved(body, body, /^#\/components\/(?:headers|responses)\//);
  const ajv = createValidator();
  const closedDocument = withClosedAnswers(document);
  ajv.addSchema(withNamedSchemas(ajv, closedDocument), 'api');
  // By the texts of schemas, because Ajv compiles what a pointer leads to anew for each place.
  const checks = new Map<string, ValidateFunction>();
  const checkAt = (pointer: string): ValidateFunction => {
    const schema = JSON.stringify(partAt(closedDocument, pointer));
    const check = checks.get(schema) ?? ajv.compile({ $ref: `api#${pointer}` });
    checks.set(schema, check);
    return check;
  };
  const places = new Map<string, ValidateFunction>();
  const validate: Validate = (pointer, value) => {
    const check = places.get(pointer) ?? checkAt(pointer);
    places.set(pointer, check);
    return check(value) ? [] : (check.errors ?? []);
  };
  return { document, validate };
}

/**
 * The document with names for the schemas that it refers to, under which Ajv gets each of them: it compiles a schema
 * that has a name once, and any other once for each reference to it.
 */
function withNamedSchemas(ajv: Ajv2020, document: Description): Description {
  const text = JSON.stringify(document).replaceAll('"#/components/schemas/', '"described:');
  const renamed: Description = JSON.parse(text);
  for (const [name, schema] of Object.entries(schemasOf(renamed))) ajv.addSchema(schema, `described:${name}`);
  return renamed;
}

/** What stands at a JSON pointer in a URI fragment (RFC 6901, section 6). */
function partAt(document: unknown, pointer: string): unknown {
  const names = pointer
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));
  return names.reduce((place: unknown, name) => (place as Schema)[name], document);
}

/** The document with answers that may have no members but those that are described, as clients may not expect. */
function withClosedAnswers(document: Description): Description {
  const { components } = z.looseObject({ components: z.looseObject({}) }).parse(document);
  const sent = ENDPOINTS.flatMap(({ takes }) => Object.keys(takes ?? {})).map((name) =>
    name.replace(/^./, (first) => first.toUpperCase()),
  );
  const schemas = Object.entries(schemasOf(document)).map(([name, schema]) => [
    name,
    sent.includes(name) ? schema : closed(schema),
  ]);
  return { ...document, components: { ...components, schemas: Object.fromEntries(schemas) } };
}

function schemasOf(document: Description): Readonly<Record<string, Schema>> {
  const schemas = z.record(z.string(), z.record(z.string(), z.unknown()));
  return z.looseObject({ components: z.looseObject({ schemas }) }).parse(document).components.schemas;
}

function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, content]) => [key, closed(content)]));
  return inner['type'] === 'object' && 'properties' in inner
    ? { additionalProperties: false, ...inner }
    : inner;
}

export function createValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  return ajv;
}

/** A part of the document with the references in it replaced by what they refer to. */
export function resolved<Part>(document: unknown, part: Part, which = /^#/): Part {
  const resolve = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(resolve);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref, ...others } = value as Schema;
    const rest = Object.fromEntries(Object.entries(others).map(([key, content]) => [key, resolve(content)]));
    if (typeof $ref !== 'string') return rest;
    if (!which.test($ref)) return { $ref, ...rest };
    return { ...(resolve(partAt(document, $ref.slice(1))) as Schema), ...rest };
  };
  return resolve(part) as Part;
}

/**
 * Holds an answer against its description: the status, the type, the body, the headers and the code of a
 * refusal.
 * @param route as `GET /qr-codes/{qr_code_id}`.
 */
export function expectDescribed(
  { document, validate }: { readonly document: Description; readonly validate: Validate },
  route: string,
  { status, body, headers }: RestAnswer,
): void {
  const [method = '', path = ''] = route.split(' ');
  const documented = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  const label = `${route} ${status} ${JSON.stringify(body)?.slice(0, 300)}`;
  if (!documented) throw new Error(`not documented: ${label}`);
  const place = `${pointerOf(path, method)}/responses/${status}`;
  const type = headers.get('Content-Type')?.split(';')[0];
  const problems: unknown[] = [];
  if (documented.content === undefined) {
    if (body !== null) problems.push('has a body');
  } else if (!Object.hasOwn(documented.content, String(type))) problems.push(`has the type ${type}`);
  else problems.push(...validate(`${place}/content/${escaped(String(type))}/schema`, body));
  if (status >= 400 && !Object.hasOwn(problemExamples(documented), body.code))
    problems.push(`has the code ${body.code}`);
  for (const name of TELLING_HEADERS) {
    const value = headers.get(name);
    if (value === null) continue;
    const read = /^\d+$/.test(value) ? Number(value) : value;
    if (!Object.hasOwn(documented.headers ?? {}, name)) problems.push(`has the header ${name}`);
    else problems.push(...validate(`${place}/headers/${name}/schema`, read));
  }
  // Once for all of it, because thousands of answers are looked at.
  if (problems.length > 0) expect(problems, label).toEqual([]);
}

export function rowName({ method, path }: { readonly method: string; readonly path: string }): string {
  return `${method} ${path.replace(/:(\w+)/g, '{$1}')}`;
}

export function operationsOf({ paths }: Description) {
  return Object.entries(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      place: pointerOf(path, method),
      operation,
    })),
  );
}

/** Every body that is sent or answered and is no file, and where it is described. */
export function mediaTypesOf(document: Description) {
  return operationsOf(document).flatMap(({ place, operation }) =>
    [
      { place: `${place}/requestBody`, content: operation.requestBody?.content },
      ...Object.entries(operation.responses).map(([status, { content }]) => ({
        place: `${place}/responses/${status}`,
        content,
      })),
    ].flatMap(({ place, content = {} }) =>
      Object.entries(content).flatMap(([type, media]) =>
        media.schema['format'] === 'binary' ? [] : [{ place: `${place}/content/${escaped(type)}`, media }],
      ),
    ),
  );
}

export function examplesOf({ example, examples = {} }: MediaType): unknown[] {
  return [...(example === undefined ? [] : [example]), ...Object.values(examples).map(({ value }) => value)];
}

export function problemExamples({ content }: Answer): Readonly<Record<string, { readonly value: unknown }>> {
  return content?.['application/problem+json']?.examples ?? {};
}

export function pointerOf(path: string, method: string): string {
  return `/paths/${escaped(path)}/${method.toLowerCase()}`;
}

/** A name as a part of a JSON pointer in a URI fragment (RFC 6901, section 6). */
function escaped(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));
}
