/**
 * Converts between the names of the procedures and those of REST by one rule: `camelCase` becomes
 * `snake_case`, and a field in cents (`amountCents`) becomes a decimal number (`amount`). Values, names of
 * wrong fields and JSON Schemas all go through it, so that they cannot disagree.
 */
import { z } from 'zod';
import { centsFromDecimal } from '#shared/decimals.ts';
import { AppError } from '#shared/errors.ts';
import { cents, decimalFromCents } from '#shared/money.ts';
import { unknownNames } from '#shared/unknown-names.ts';

/** JSON Schema 2020-12. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const inCents = (field: string) => field.endsWith('Cents');

/** A path such as `serviceCategories.0` keeps its dots. */
export function wireName(field: string): string {
  return field.replace(/Cents$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * The map needs no bound, because it has names of procedures' fields only, never those that a client sent.
 */
const wireNames = new Map<string, string>();

function rememberedName(field: string): string {
  const known = wireNames.get(field);
  if (known !== undefined) return known;
  const name = wireName(field);
  wireNames.set(field, name);
  return name;
}

export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, content]) => [
      rememberedName(field),
      inCents(field) ? asDecimals(content) : toWire(content),
    ]),
  );
}

/** @param content of a field in cents: an amount, a list of amounts, or none. */
function asDecimals(content: unknown): unknown {
  if (Array.isArray(content)) return content.map(asDecimals);
  return typeof content === 'number' ? decimalFromCents(cents(content)) : content;
}

export function wireText(value: unknown): string {
  return JSON.stringify(toWire(value));
}

const textsOfLastingAnswers = new WeakMap<object, string>();

/** Makes the JSON of an answer that never changes once, and keeps it for as long as the object lives. */
export function wireTextOnce(lasting: object): string {
  const known = textsOfLastingAnswers.get(lasting);
  if (known !== undefined) return known;
  const text = wireText(lasting);
  textsOfLastingAnswers.set(lasting, text);
  return text;
}

/**
 * Renames the members of a request body for the procedure with this input schema. Wrong values stay wrong,
 * for the procedure to refuse; unknown fields are dropped.
 * @throws AppError `invalid_input` for an unknown field where the procedure refuses it as well.
 */
export function fromWire(body: unknown, input: z.ZodType): unknown {
  if (!isRecord(body)) return body;
  const { fields, isClosed } = fieldsOf(input);
  if (isClosed) requireKnown(body, fields.map(rememberedName));
  return Object.fromEntries(
    fields
      .filter((field) => Object.hasOwn(body, rememberedName(field)))
      .map((field) => {
        const content = body[rememberedName(field)];
        return [field, inCents(field) ? centsFromAnything(content) : content];
      }),
  );
}

/**
 * @param known names on the wire.
 * @throws AppError `invalid_input` for members of a body that are not known.
 */
export function requireKnown(body: unknown, known: readonly string[]): void {
  const unknown = isRecord(body) ? Object.keys(body).filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0)
    throw new AppError('invalid_input', { fieldErrors: unknownNames('field', unknown, known) });
}

export function wireSchema(schema: z.ZodType, direction: 'input' | 'output'): JsonSchema {
  return respell(jsonSchemaOf(schema, direction), direction);
}

/** @param refer makes the reference by which one schema names another that it contains. */
export function wireSchemas(
  names: ReadonlyMap<z.ZodType, string>,
  direction: 'input' | 'output',
  refer: (name: string) => string,
): Readonly<Record<string, JsonSchema>> {
  const registry = z.registry<{ id: string }>();
  for (const [schema, id] of names) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io: direction, unrepresentable: 'any', uri: refer });
  return Object.fromEntries(
    Object.entries(schemas).map(([name, { $schema: _, $id: __, ...schema }]) => [
      name,
      respell(schema, direction),
    ]),
  );
}

function jsonSchemaOf(schema: z.ZodType, direction: 'input' | 'output'): JsonSchema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: direction, unrepresentable: 'any' });
  return rest;
}

interface Fields {
  readonly fields: readonly string[];
  /** True when other fields are refused. */
  readonly isClosed: boolean;
}

const fieldsBySchema = new WeakMap<z.ZodType, Fields>();

/** The fields of a schema, of all branches of a union together. */
function fieldsOf(input: z.ZodType): Fields {
  const known = fieldsBySchema.get(input);
  if (known) return known;
  const { properties, anyOf, oneOf, additionalProperties } = jsonSchemaOf(input, 'input');
  const branches = [{ properties }, ...asList(anyOf), ...asList(oneOf)].filter(isRecord);
  const names = branches.flatMap((branch) => Object.keys(asRecord(branch['properties'])));
  const fields = { fields: [...new Set(names)], isClosed: additionalProperties === false };
  fieldsBySchema.set(input, fields);
  return fields;
}

function respell(schema: JsonSchema, direction: 'input' | 'output'): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, content]) => {
      if (keyword === 'properties') {
        const properties = Object.entries(asRecord(content)).map(([field, property]) => [
          wireName(field),
          inCents(field) ? inDecimals(asRecord(property), direction) : respell(asRecord(property), direction),
        ]);
        return [keyword, Object.fromEntries(properties)];
      }
      if (keyword === 'required') return [keyword, asList(content).map((field) => wireName(String(field)))];
      if (Array.isArray(content))
        return [keyword, content.map((item) => (isRecord(item) ? respell(item, direction) : item))];
      return [keyword, isRecord(content) ? respell(content, direction) : content];
    }),
  );
}

/**
 * Only what is sent says that an amount is whole cents: many validators divide, and would refuse our own 9.7
 * as no multiple of 0.01.
 */
function inDecimals(schema: JsonSchema, direction: 'input' | 'output'): JsonSchema {
  const { type, items, minimum, maximum } = schema;
  if (type === 'array') return { type, items: inDecimals(asRecord(items), direction) };
  const bound = (name: string, limit: unknown) =>
    typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER
      ? { [name]: decimalFromCents(cents(limit)) }
      : {};
  return {
    type: 'number',
    ...bound('minimum', minimum),
    ...bound('maximum', maximum),
    ...(direction === 'input' && { multipleOf: decimalFromCents(cents(1)) }),
  };
}

/**
 * Converts a decimal number to cents. A value that is no amount becomes NaN, and an absent one stays absent;
 * more decimals than the currency has become a fraction of a cent near by, so that the refusal names what is
 * wrong.
 */
function centsFromAnything(content: unknown): unknown {
  if (content === undefined || content === null) return content;
  const amount = centsFromDecimal(content);
  if (amount !== null) return amount;
  const isTooFine = typeof content === 'number' && content > 0 && /^\d+\.\d+$|e-/.test(String(content));
  return isTooFine ? Math.floor(content / decimalFromCents(cents(1))) + 0.5 : Number.NaN;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function asRecord(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {};
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
