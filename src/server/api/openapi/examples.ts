/** The examples of the API description, and the headers of its answers. */
import { brand } from '#shared/brand.ts';
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import { typedQrCodeId } from '#shared/qr-codes.ts';
import { TRANSACTION_COLUMNS } from '#shared/transaction-csv.ts';
import { wireSchema } from '../wire.ts';

export const EXAMPLE_REQUEST_ID = '0f5b2f0e-3c7e-4a53-9d1c-5a3f5e0f7a11';

export const USER = {
  id: 'usr_4gk2v0p8q3m7x1c9y5t6r0w2zb',
  email: 'pat@example.com',
  username: 'pat',
  full_name: 'Pat Doe',
  phone: null,
  is_service_provider: true,
  service_categories: ['bartender'],
  total_tips_received: 11.97,
  total_tips_given: 0,
  must_change_password: false,
};

export const LOGIN = {
  access_token: 'kX0pXv3m2bq4nT8sYw1zR6uE5hJ7cL9dA0fG2iK4oQs',
  token_type: 'bearer',
  expires_at: '2024-07-01T20:15:30.000Z',
  reopened: false,
  user: USER,
};

export const QR_CODE = {
  id: '7K3MX9Q2AB',
  service_category: 'bartender',
  user_id: USER.id,
};

export const TIP_PAGE = {
  greeting: 'Thank you for a lovely evening!',
  photo_url: '/photos/9h2k5m8p1r4t7v0x3z6b9d2f5h',
};

/** What a code says beside its page. */
const WORDS_OF_CODE = { thank_you: 'Thanks, see you soon!', takes_words: true };

export const QR_CODE_WITH_PICTURE = {
  ...QR_CODE,
  url: `https://tips.example.com/tip/${QR_CODE.id}`,
  image_base64: 'iVBORw0KGgo=',
  status: 'active',
  display_name: null,
  ...TIP_PAGE,
  ...WORDS_OF_CODE,
};

const { image_base64: _, photo_url: __, ...CODE_WITHOUT_PICTURE } = QR_CODE_WITH_PICTURE;
export const ENDED_QR_CODE = { ...CODE_WITHOUT_PICTURE, status: 'replaced' };

/** The code in a path, for whoever owns it. */
export const OWN_CODE = {
  name: 'qr_code_id',
  in: 'path',
  required: true,
  description: 'One of your codes. Those of other people answer as if there were none.',
  schema: wireSchema(typedQrCodeId, 'input'),
  example: QR_CODE.id,
};

export const SESSION = {
  id: 'ses_2m5q8t1w4z7c0f3j6n9r2v5y8b',
  device: 'Chrome on Android',
  created_at: '2024-06-01T20:15:30.000Z',
  expires_at: '2024-07-01T20:15:30.000Z',
  confirmed_at: '2024-06-01T20:15:30.000Z',
  is_current: true,
};

/** With the key of the example of RFC 8291, section 5. */
export const NEW_DEVICE = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/fv3jabydF5c:APA91bEc8gXeukGXEvq',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

export const NOTICE_DEVICE = {
  id: 'dev_3n6r9v2x5z8b1d4f7h0k3m6p9s',
  device: 'Chrome on Android',
  created_at: '2024-06-01T20:15:30.000Z',
  is_current: true,
  with_words: true,
};

export const TRANSACTION = {
  id: 'txn_9s3b7d1f5h2j8k4m6n0p1q3r5t',
  giver_id: 'usr_1a2b3c4d5e6f7g8h9j0k1m2n3p',
  receiver_id: USER.id,
  receiver_name: USER.full_name,
  receiver_username: USER.username,
  qr_code_id: QR_CODE.id,
  amount: 12.34,
  giver_fee: 0.62,
  net_amount: 11.97,
  service_category: 'bartender',
  status: 'completed',
  payment_mode: 'simulated',
  payment_url: null,
  receipt_url: null,
  created_at: '2024-06-01T20:15:30.000Z',
  refunded_at: null,
  refunded_by: null,
  undo_until: '2024-06-01T20:25:30.000Z',
  message: null,
  giver_name: null,
  words_hidden: false,
  reported_at: null,
  thank_you: WORDS_OF_CODE.thank_you,
  thanked_at: null,
};

/** The same to whoever received it. */
export const RECEIVED = {
  ...TRANSACTION,
  giver_id: 'gvr_3n5p7r9t1v3x5z7b9d1f3h5j7m',
  undo_until: null,
  message: 'Best Negroni in town',
  giver_name: 'Cam Doe',
};

export const CSV_OF_TIPS = `${CSV_BOM}${csvLine(TRANSACTION_COLUMNS)}2024-06-01,22:15:30,UTC+02:00,Sent,Bartender,Pat Doe,12.34,0.62,,12.96,,,Completed,simulated,USD,${TRANSACTION.id}\r\n`;

export const CSV_OF_TAKINGS = `${CSV_BOM}Date,Tips,Gross,Fees,Net,Currency,Payment\r\n2024-06-01,1,12.34,0.37,11.97,USD,simulated\r\n`;

/** The headers of answers, under the names of their components. */
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
    example: `Bearer realm="${brand.name}"`,
  },
  Allow: {
    description: 'With 405: the methods that the address has.',
    schema: { type: 'string' },
    example: 'GET, HEAD',
  },
} as const;
