/**
 * Converts between the names of the procedures and those of REST: `camelCase` becomes `snake_case`, and a field in
 * cents (`amountCents`) a decimal number (`amount`), in answers beside the whole number (`amount_minor`). The outermost
 * object that has an amount says the currency. Values, names of wrong fields and JSON Schemas all go through it.
 */
import { z } from 'zod';
import { centsFromDecimal } from '#shared/decimals.ts';
import { AppError } from '#shared/errors.ts';
import { cents, decimalFromCents, terms } from '#shared/money.ts';
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

/** The map needs no bound, because it has names of procedures' fields only, never those that a client sent. */
const wireNames = new Map<string, string>();

function rememberedName(field: string): string {
  const known = wireNames.get(field);
  if (known !== undefined) return known;
  const name = wireName(field);
  wireNames.set(field, name);
  return name;
}

export function toWire(value: unknown): unknown {
  return respelled(value, false);
}

/** @param isCurrencySaid whether an object around the value says the currency. */
function respelled(value: unknown, isCurrencySaid: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => respelled(item, isCurrencySaid));
  if (!isRecord(value)) return value;
  const names = Object.keys(value);
  const isSaid = isCurrencySaid || names.includes('currency');
  const addsCurrency = !isSaid && names.some(inCents);
  const entries: [string, unknown][] = [];
  for (const field of names) {
    const content = value[field];
    const name = rememberedName(field);
    if (inCents(field)) entries.push([name, asDecimals(content)], [minorName(name), content]);
    else entries.push([name, respelled(content, isSaid || addsCurrency)]);
  }
  if (addsCurrency) entries.push(['currency', terms().currency]);
  return Object.fromEntries(entries);
}

/** The name of an amount as a whole number of minor units (ISO 4217). */
const minorName = (name: string) => `${name}_minor`;

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
 * Wrong values stay wrong, for the procedure to refuse; unknown fields are dropped.
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

/** @throws AppError `invalid_input` for members of a body that are not known. */
export function requireKnown(body: unknown, known: readonly string[]): void {
  const unknown = isRecord(body) ? Object.keys(body).filter((name) => !known.includes(name)) : [];
  if (unknown.length > 0)
    throw new AppError('invalid_input', { fieldErrors: unknownNames('field', unknown, known) });
}

export function wireSchema(schema: z.ZodType, direction: 'input' | 'output'): JsonSchema {
  return respell(jsonSchemaOf(schema, direction), direction);
}

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

function respell(
  schema: JsonSchema,
  direction: 'input' | 'output',
  isCurrencySaid = direction === 'input',
): JsonSchema {
  if (schema['isOpen'] === true) return { type: 'string', examples: schema['enum'] };
  const names = Object.keys(asRecord(schema['properties']));
  const isSaid = isCurrencySaid || names.includes('currency');
  const addsCurrency = !isSaid && names.some(inCents);
  const within = (inner: JsonSchema) => respell(inner, direction, isSaid || addsCurrency);
  // Answers get new members, which a validator that a client made of the description must let through.
  const entries = Object.entries(schema).filter(
    ([keyword, content]) =>
      !(direction === 'output' && keyword === 'additionalProperties' && content === false),
  );
  return Object.fromEntries(
    entries.map(([keyword, content]) => {
      if (keyword === 'properties') {
        const properties = Object.entries(asRecord(content)).flatMap(
          ([field, property]): readonly Property[] =>
            inCents(field)
              ? amountSchemas(wireName(field), asRecord(property), direction)
              : [[wireName(field), within(asRecord(property))]],
        );
        return [keyword, Object.fromEntries([...properties, ...(addsCurrency ? [CURRENCY] : [])])];
      }
      if (keyword === 'required') {
        const required = asList(content).flatMap((field) => requiredNames(String(field), direction));
        return [keyword, [...required, ...(addsCurrency ? ['currency'] : [])]];
      }
      if (Array.isArray(content))
        return [keyword, content.map((item) => (isRecord(item) ? within(item) : item))];
      return [keyword, isRecord(content) ? within(content) : content];
    }),
  );
}

type Property = readonly [string, JsonSchema];

const CURRENCY: Property = ['currency', { type: 'string' }];

function requiredNames(field: string, direction: 'input' | 'output'): readonly string[] {
  const name = wireName(field);
  return direction === 'output' && inCents(field) ? [name, minorName(name)] : [name];
}

function amountSchemas(name: string, schema: JsonSchema, direction: 'input' | 'output'): readonly Property[] {
  const decimal: Property = [name, inDecimals(schema, direction)];
  return direction === 'input' ? [decimal] : [decimal, [minorName(name), inMinorUnits(schema)]];
}

function inMinorUnits({ type, items, minimum, maximum }: JsonSchema): JsonSchema {
  if (type === 'array') return { type, items: inMinorUnits(asRecord(items)) };
  const bounds = Object.entries({ minimum, maximum }).filter(([, limit]) => isBound(limit));
  return { type: 'integer', ...Object.fromEntries(bounds) };
}

/** Schemas of integers have the largest safe one as a bound, which says nothing. */
function isBound(limit: unknown): limit is number {
  return typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}

/** No amount is said to be a multiple of 0.01: most validators divide, and would refuse 10.02 as none. */
function inDecimals(schema: JsonSchema, direction: 'input' | 'output'): JsonSchema {
  const { type, items, minimum, maximum } = schema;
  if (type === 'array') return { type, items: inDecimals(asRecord(items), direction) };
  const bound = (name: string, limit: unknown) =>
    isBound(limit) ? { [name]: decimalFromCents(cents(limit)) } : {};
  const smallestUnit = decimalFromCents(cents(1));
  return {
    type: 'number',
    ...bound('minimum', minimum),
    ...bound('maximum', maximum),
    ...(direction === 'input' && smallestUnit >= 1 && { multipleOf: smallestUnit }),
  };
}

/**
 * A value that is no amount becomes NaN, and an absent one stays absent. More decimals than the currency has become a
 * fraction of a cent near by, so that the refusal names what is wrong.
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
