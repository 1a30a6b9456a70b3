/** The schemas of the API description that are made of no schema of the product: events, files and refusals. */
import { REFUSALS } from '#shared/refusals.ts';
import type { JsonSchema } from '../wire.ts';

export const schemaAt = (name: string) => `#/components/schemas/${name}`;

const EVENTS = ['ConnectedEvent', 'ResetEvent', 'TipEvent'];

/** A stream is a text, whose content JSON Schema describes by `contentSchema` (2020-12 Validation, section 8). */
export const STREAM_SCHEMA: JsonSchema = {
  type: 'string',
  contentMediaType: 'text/event-stream',
  contentSchema: { type: 'array', items: { oneOf: EVENTS.map((name) => ({ $ref: schemaAt(name) })) } },
};

/** The fields of one server-sent event (WHATWG HTML, section 9.2). */
function eventSchema(description: string, event: string, data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description,
    required: ['id', 'event', 'data'],
    properties: {
      id: { type: 'string', description: 'Send the last one as `Last-Event-ID` to resume after it.' },
      event: { const: event, description: 'The kind of event.' },
      data: {
        type: 'string',
        contentMediaType: 'application/json',
        contentSchema: data,
        description: 'JSON, in one line.',
      },
    },
  };
}

const STREAM_RESET_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'Why a stream begins now.',
  required: ['reason'],
  properties: {
    reason: {
      enum: ['unknown_event', 'too_many_missed'],
      description: 'The event that was named is not known, or more tips came since than are sent again.',
    },
  },
};

/** OpenAPI 3.1 names the type (section 4.8.14.3). By the format, that of 3.0, generated clients send and take bytes. */
export function bytesOf(types: readonly string[]): JsonSchema {
  return Object.fromEntries(
    types.map((type) => [type, { schema: { type: 'string', format: 'binary', contentMediaType: type } }]),
  );
}

const CSV_SCHEMA: JsonSchema = {
  type: 'string',
  contentMediaType: 'text/csv',
  description: 'A file to be saved: a header, and a record for each row.',
};

const FIELD_ERROR_SCHEMA: JsonSchema = {
  type: 'object',
  description: 'What is wrong with one field.',
  required: ['field', 'message'],
  properties: {
    field: { type: 'string', description: 'The field, as it is named in the request.' },
    message: { type: 'string', description: 'What is wrong with it, for people.' },
  },
};

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
    code: {
      type: 'string',
      examples: Object.keys(REFUSALS),
      description: 'The kind of problem, for programs; later versions have more.',
    },
    errors: {
      type: 'array',
      description: 'For `invalid_input`: what is wrong, field by field.',
      items: { $ref: schemaAt('FieldError') },
    },
  },
};

export const OTHER_SCHEMAS: Readonly<Record<string, JsonSchema>> = {
  ConnectedEvent: eventSchema('The stream begins where it was asked to.', 'connected', {
    type: 'object',
  }),
  ResetEvent: eventSchema(
    'The stream begins now, and not after the event that was named: load the list of transactions again.',
    'reset',
    { $ref: schemaAt('StreamReset') },
  ),
  StreamReset: STREAM_RESET_SCHEMA,
  TipEvent: eventSchema('A tip was given, charged, changed, reversed or answered.', 'tip', {
    $ref: schemaAt('Transaction'),
  }),
  Csv: CSV_SCHEMA,
  Problem: PROBLEM_SCHEMA,
  FieldError: FIELD_ERROR_SCHEMA,
};
