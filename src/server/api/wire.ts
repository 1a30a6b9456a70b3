/**
 * How the REST adapter spells what the procedures speak, by one rule in both directions: `camelCase` becomes
 * `snake_case`, and a field in cents (`amountCents`) becomes one in dollars (`amount`). Values, names of wrong fields
 * and JSON Schemas all go through it, so that they cannot disagree.
 */
import { z } from 'zod';
import { AppError } from '#shared/errors.ts';
import { cents, centsFromDollars, dollarsFromCents } from '#shared/money.ts';
import { unknownNames } from '#shared/unknown-names.ts';

/** JSON Schema 2020-12, as far as it is looked into here. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

const inCents = (field: string) => field.endsWith('Cents');

/** The name on the wire of a procedure's field; a path such as `serviceCategories.0` keeps its dots. */
export function wireName(field: string): string {
  return field.replace(/Cents$/, '').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** Only of fields that procedures have, never a name that a client sent, so that it needs no bound. */
const wireNames = new Map<string, string>();

function rememberedName(field: string): string {
  const known = wireNames.get(field);
  if (known !== undefined) return known;
  const name = wireName(field);
  wireNames.set(field, name);
  return name;
}

/** A procedure's answer as it is written to the wire. */
export function toWire(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toWire);
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([field, content]) => [
      rememberedName(field),
      inCents(field) && typeof content === 'number' ? dollarsFromCents(cents(content)) : toWire(content),
    ]),
  );
}

/** An answer as JSON in the spelling of the wire. */
export function wireText(value: unknown): string {
  return JSON.stringify(toWire(value));
}

const textsOfLastingAnswers = new WeakMap<object, string>();

/** The same for an answer that never changes: its text is made once and kept for as long as the object lives. */
export function wireTextOnce(lasting: object): string {
  const known = textsOfLastingAnswers.get(lasting);
  if (known !== undefined) return known;
  const text = wireText(lasting);
  textsOfLastingAnswers.set(lasting, text);
  return text;
}

/**
 * A request body as the procedure with the given input schema takes it. It only respells: whatever is wrong stays
 * wrong, for the procedure to refuse, and fields that the procedure does not know are dropped.
 * @throws AppError `invalid_input` for such a field where the procedure refuses it as well.
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
 * Refuses members of a body that are not known.
 * @param known as they are named on the wire.
 * @throws AppError `invalid_input`.
 */
export function requireKnown(body: unknown, known: readonly string[]): void {
  const unknown = isRecord(body) ? Object.keys(body).filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0)
    throw new AppError('invalid_input', { fieldErrors: unknownNames('field', unknown, known) });
}

/** The JSON Schema of what goes over the wire for a schema of the procedures. */
export function wireSchema(schema: z.ZodType, direction: 'input' | 'output'): JsonSchema {
  return respell(jsonSchemaOf(schema, direction), direction);
}

/**
 * The JSON Schemas of several schemas of the procedures, by their names.
 * @param refer makes the reference by which one of them names another that it contains.
 */
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

/** What an object takes. */
interface Fields {
  /** In the procedure's words. */
  readonly fields: readonly string[];
  /** Whether it refuses all others. */
  readonly isClosed: boolean;
}

const fieldsBySchema = new WeakMap<z.ZodType, Fields>();

/** A schema's own fields, those of all branches of a union together. */
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
          inCents(field) ? inDollars(asRecord(property), direction) : respell(asRecord(property), direction),
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
 * That an amount is whole cents is said of what is sent only: many validators divide, and would refuse our own 9.7 as no
 * multiple of 0.01.
 */
function inDollars({ minimum, maximum }: JsonSchema, direction: 'input' | 'output'): JsonSchema {
  const bound = (name: string, limit: unknown) =>
    typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? { [name]: limit / 100 } : {};
  return {
    type: 'number',
    ...bound('minimum', minimum),
    ...bound('maximum', maximum),
    ...(direction === 'input' && { multipleOf: 0.01 }),
  };
}

/**
 * Dollars as cents. What is no amount becomes something that no amount is, and stays absent when it was; dollars with more
 * than two decimals become a fraction of a cent near by, so that they are told what is wrong with them.
 */
function centsFromAnything(content: unknown): unknown {
  if (content === undefined || content === null) return content;
  const amount = centsFromDollars(content);
  if (amount !== null) return amount;
  const isTooFine = typeof content === 'number' && content > 0 && /^\d+\.\d{3,}$|e-/.test(String(content));
  return isTooFine ? Math.floor(content * 100) + 0.5 : Number.NaN;
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
