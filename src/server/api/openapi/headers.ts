/** The headers of answers in the API description, and the request id of its examples. */
import { brand } from '#shared/brand.ts';
import { SOFTWARE } from '#shared/software.ts';
import { TRANSACTION } from '../procedures/examples.ts';

export const EXAMPLE_REQUEST_ID = '0f5b2f0e-3c7e-4a53-9d1c-5a3f5e0f7a11';

export const HEADERS = {
  RequestId: {
    description: 'Names the request in the log.',
    schema: { type: 'string', format: 'uuid' },
    example: EXAMPLE_REQUEST_ID,
  },
  CacheControl: {
    description: 'No answer of a route is to be kept.',
    schema: { const: 'no-store' },
    example: 'no-store',
  },
  Link: {
    description: 'With `limit`: the next page as `rel="next"`, while there is one (RFC 8288).',
    schema: { type: 'string', pattern: '^<[^>]+>; rel="next"$' },
    example: `</api/transactions?limit=50&cursor=${TRANSACTION.id}>; rel="next"`,
  },
  ContentDisposition: {
    description: 'The name of the file (RFC 6266).',
    schema: { type: 'string', pattern: '^attachment; filename="[^"]+"$' },
    example: `attachment; filename="${brand.linkScheme}-7K3MX-9Q2AB-poster.pdf"`,
  },
  Vary: {
    description:
      'The headers of the request that decide about the answer: `Accept` between JSON and CSV, and `Origin` where pages of other origins may call.',
    schema: { type: 'string', pattern: '^(?:Accept|Origin)(?:, (?:Accept|Origin))*$' },
    example: 'Accept, Origin',
  },
  RateLimit: {
    description:
      'How many requests are left (`r`) of the limit that is nearest to its end, and in how many seconds all are let through again (`t`), as draft-ietf-httpapi-ratelimit-headers-10 has it. It is missing where the count is not known.',
    schema: { type: 'string', pattern: '^"[a-z_]+";r=\\d+;t=\\d+$' },
    example: '"tip";r=29;t=58',
  },
  RateLimitPolicy: {
    description: 'That limit: how many requests (`q`) are let through in how many seconds (`w`).',
    schema: { type: 'string', pattern: '^"[a-z_]+";q=\\d+;w=\\d+$' },
    example: '"tip";q=30;w=60',
  },
  RetryAfter: {
    description: 'How many seconds to wait before trying again, when that is known.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
  },
  AcceptEncoding: {
    description: 'With `encoded_body`: how a body is taken (RFC 9110, section 15.5.16).',
    schema: { const: 'identity' },
    example: 'identity',
  },
  WwwAuthenticate: {
    description: 'How to authenticate (RFC 6750, section 3).',
    schema: { type: 'string', pattern: '^Bearer ' },
    example: `Bearer realm="${SOFTWARE}"`,
  },
  Allow: {
    description: 'With 405: the methods that the address has.',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
} as const;
