/** The parameters that endpoints share. */
import { MAX_TIME_ZONE_LENGTH } from '#shared/calendar.ts';
import { idPattern } from '#shared/ids.ts';
import { serviceCategory, typedQrCodeId } from '#shared/qr-codes.ts';
import { RECEIPT_TOKEN } from '#shared/receipt-token.ts';
import { TIP_DIRECTIONS } from '#shared/records.ts';
import { wireSchema } from '../wire.ts';
import type { Parameter } from './endpoint.ts';
import { DEVICE, QR_CODE, TRANSACTION } from './examples.ts';

export const TIME_ZONE: Parameter = {
  name: 'time_zone',
  in: 'query',
  description: 'An IANA name, which decides when a day begins; UTC without it.',
  schema: { type: 'string', maxLength: MAX_TIME_ZONE_LENGTH },
  example: 'Europe/Vienna',
};

export const DAY_START_HOUR: Parameter = {
  name: 'day_start_hour',
  in: 'query',
  description:
    'The hour of the clock at which days begin, for nights that end after midnight: with 5, a tip at three in the morning is of the day before. Without it, what your profile says, and else midnight.',
  schema: { type: 'integer', minimum: 0, maximum: 23 },
  example: 5,
};

/** A day from 1971 to 8999. */
const DATE = {
  type: 'string',
  format: 'date',
  pattern: '^(?:197[1-9]|19[89]\\d|[2-8]\\d{3})-\\d\\d-\\d\\d$',
};

export const PERIOD: readonly Parameter[] = [
  {
    name: 'from',
    in: 'query',
    description: 'The first day.',
    schema: DATE,
    example: '2024-06-01',
  },
  {
    name: 'to',
    in: 'query',
    description: 'The last day, which is included.',
    schema: DATE,
    example: '2024-06-30',
  },
];

export const SERVICE: Parameter = {
  name: 'service_category',
  in: 'query',
  description: 'Leaves out the tips of other services.',
  schema: wireSchema(serviceCategory, 'input'),
  example: 'bartender',
};

export const FILTER: readonly Parameter[] = [
  {
    name: 'direction',
    in: 'query',
    description: 'Leaves out the tips that went the other way.',
    schema: { type: 'string', enum: TIP_DIRECTIONS },
    example: 'received',
  },
  SERVICE,
  ...PERIOD,
  TIME_ZONE,
  DAY_START_HOUR,
];

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  field: 'idempotencyKey',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
  example: '5e0f7a11-3c7e-4a53-9d1c-0f5b2f0e5a3f',
} as const satisfies Omit<Parameter, 'description'>;

export const TRANSACTION_ID: Parameter = {
  name: 'transaction_id',
  in: 'path',
  field: 'id',
  required: true,
  description:
    'As it was answered when the tip was given, or in the list; for a guest, who sends no session, the token at the end of `receipt_url`.',
  schema: {
    type: 'string',
    anyOf: [{ pattern: idPattern('txn').source }, { pattern: RECEIPT_TOKEN.source }],
  },
  example: TRANSACTION.id,
};

export const RECEIVED_ID: Parameter = {
  ...TRANSACTION_ID,
  description: 'A tip that you received. Those of other people answer as if there were none.',
  schema: { type: 'string', pattern: idPattern('txn').source },
};

export const OWN_CODE: Parameter = {
  name: 'qr_code_id',
  in: 'path',
  field: 'id',
  required: true,
  description: 'One of your codes. Those of other people answer as if there were none.',
  schema: wireSchema(typedQrCodeId, 'input'),
  example: QR_CODE.id,
};

/** The id, in the path, of one of the caller's own things. @param list the plural of what its list has. */
export const listedId = (
  name: string,
  prefix: Parameters<typeof idPattern>[0],
  list: string,
  example: string,
): Parameter => ({
  name,
  in: 'path',
  field: 'id',
  required: true,
  description: `As the list of your ${list} names it.`,
  schema: { type: 'string', pattern: idPattern(prefix).source },
  example,
});

export const DEVICE_ID = listedId('device_id', 'dev', 'devices', DEVICE.id);
