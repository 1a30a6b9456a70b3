/**
 * What a reader of the API description wants to know and no schema can say: words and examples, for each route and
 * each field of the wire.
 */
import { brand } from '#shared/brand.ts';
import { MAX_TIME_ZONE_LENGTH } from '#shared/calendar.ts';
import { idPattern } from '#shared/ids.ts';
import { serviceCategory, typedQrCodeId } from '#shared/qr-codes.ts';
import { MAX_PAGE_SIZE } from '#shared/tips.ts';
import { wireSchema } from './wire.ts';

interface RouteNotes {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly unknown[];
  /** An example of the body sent, and of the one answered. */
  readonly request?: unknown;
  readonly response?: unknown;
}

export const EXAMPLE_REQUEST_ID = '0f5b2f0e-3c7e-4a53-9d1c-5a3f5e0f7a11';

const USER = {
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

const LOGIN = {
  access_token: 'kX0pXv3m2bq4nT8sYw1zR6uE5hJ7cL9dA0fG2iK4oQs',
  token_type: 'bearer',
  expires_at: '2024-07-01T20:15:30.000Z',
  user: USER,
};

const QR_CODE = {
  id: '7K3MX9Q2AB',
  service_category: 'bartender',
  user_id: USER.id,
};

const QR_CODE_WITH_PICTURE = {
  ...QR_CODE,
  url: `https://tips.example.com/tip/${QR_CODE.id}`,
  image_base64: 'iVBORw0KGgo=',
};

const SESSION = {
  id: 'ses_2m5q8t1w4z7c0f3j6n9r2v5y8b',
  device: 'Chrome on Android',
  created_at: '2024-06-01T20:15:30.000Z',
  expires_at: '2024-07-01T20:15:30.000Z',
  is_current: true,
};

const TRANSACTION = {
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
  created_at: '2024-06-01T20:15:30.000Z',
};

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
  RetryAfter: {
    description: 'How many seconds to wait before trying again, when that is known.',
    schema: { type: 'integer', minimum: 0 },
    example: 2,
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

/** The notes of each route, by its procedure. */
export const ROUTE_NOTES: Readonly<Record<string, RouteNotes>> = {
  'auth.register': {
    summary: 'Create an account',
    description:
      'Answers the user, without a token: log in next. A service provider names at least one category; for a customer `service_categories` is ignored.',
    request: {
      email: 'pat@example.com',
      username: 'pat',
      full_name: 'Pat Doe',
      password: 'correct horse battery',
      phone: null,
      is_service_provider: true,
      service_categories: ['bartender'],
    },
    response: { ...USER, total_tips_received: 0 },
  },
  'auth.login': {
    summary: 'Log in',
    description:
      'Answers a bearer token. It ends at `expires_at` unless it is used before, or by logging out.',
    request: { email: 'pat@example.com', password: 'correct horse battery' },
    response: LOGIN,
  },
  'auth.logout': {
    summary: 'Log out',
    description:
      'Ends the session of the token that was sent. After a 503 it has ended as well, but a restart of the server may bring it back until it could be saved.',
  },
  'auth.me': {
    summary: 'Who am I',
    description: 'The user whose token was sent, with present totals.',
    response: USER,
  },
  'auth.changePassword': {
    summary: 'Change your password',
    description:
      'Ends all of your other sessions, and answers a new token for the one that asks: the old one is worthless from then on. Wrong guesses count for this session alone. The new password has to be another one than the present one.',
    request: { current_password: 'correct horse battery', new_password: 'a better horse battery' },
    response: LOGIN,
  },
  'auth.sessions': {
    summary: 'Where you are logged in',
    description: 'Your live sessions, the newest first.',
    response: [SESSION],
  },
  'auth.endOtherSessions': {
    summary: 'Log out everywhere else',
    description: 'Ends all of your sessions but the one that asks, and their event streams.',
  },
  'auth.endSession': {
    summary: 'End a session',
    description: 'Ends one of your sessions, and its event streams.',
    parameters: [
      {
        name: 'sessionId',
        in: 'path',
        required: true,
        description: 'As the list of your sessions names it.',
        schema: { type: 'string', pattern: idPattern('ses').source },
        example: SESSION.id,
      },
    ],
  },
  'qrCodes.list': {
    summary: 'List your QR codes',
    description: 'Oldest first, each with its picture. Customers have none.',
    response: [QR_CODE_WITH_PICTURE],
  },
  'qrCodes.create': {
    summary: 'Create a QR code',
    description: 'One for each category that you provide. The picture is a PNG that leads to your tip page.',
    request: { service_category: 'bartender' },
    response: QR_CODE_WITH_PICTURE,
  },
  'qrCodes.lookup': {
    summary: 'Look a QR code up',
    description: 'Whom a code tips. Case, spaces and hyphens do not matter; I and L read as 1, O as 0.',
    parameters: [
      {
        name: 'qrId',
        in: 'path',
        required: true,
        description: 'The code, as scanned or typed.',
        schema: wireSchema(typedQrCodeId, 'input'),
        example: '7K3MX-9Q2AB',
      },
    ],
    response: {
      qr_code: QR_CODE,
      service_provider: { username: 'pat', full_name: 'Pat Doe', service_category: 'bartender' },
    },
  },
  'transactions.list': {
    summary: 'List your transactions',
    description:
      'Sent and received, newest first: all of them, or with `limit` one page. A long list that cannot be finished ends with the connection, not with its closing bracket.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        description: 'How many to answer; all without it.',
        schema: { type: 'integer', minimum: 1, maximum: MAX_PAGE_SIZE },
        example: 50,
      },
      {
        name: 'cursor',
        in: 'query',
        description: 'Where the next page begins, as the `Link` header of the page before says.',
        schema: { type: 'string', pattern: idPattern('txn').source },
      },
    ],
    response: [TRANSACTION],
  },
  'transactions.summary': {
    summary: 'Sum your tips up',
    description:
      'What you received and gave in all, and what you received on the present day of a time zone: how many tips, and what reached you of them.',
    parameters: [
      {
        name: 'time_zone',
        in: 'query',
        required: true,
        description: 'An IANA name, which decides when the day began.',
        schema: { type: 'string', maxLength: MAX_TIME_ZONE_LENGTH },
        example: 'Europe/Vienna',
      },
      {
        name: 'service_category',
        in: 'query',
        description: "Counts only the day's tips of this service. The totals are always of all services.",
        schema: wireSchema(serviceCategory, 'input'),
        example: 'bartender',
      },
      {
        name: 'day_start_hour',
        in: 'query',
        description:
          'The hour of the clock at which the day begins, for nights that end after midnight; 0 without it.',
        schema: { type: 'integer', minimum: 0, maximum: 23 },
        example: 5,
      },
    ],
    response: {
      total_tips_received: 1304.22,
      total_tips_given: 10.5,
      received_today_count: 3,
      received_today: 72.75,
    },
  },
  'transactions.get': {
    summary: 'Read a transaction',
    description: 'One that you sent or received. Those of other people answer as if there were none.',
    parameters: [
      {
        name: 'transactionId',
        in: 'path',
        required: true,
        description: 'As it was answered when the tip was given, or in the list.',
        schema: { type: 'string', pattern: idPattern('txn').source },
        example: TRANSACTION.id,
      },
    ],
    response: TRANSACTION,
  },
  'transactions.onTip': {
    summary: 'Hear of tips as they happen',
    description:
      'Server-sent events: each tip that you give or receive, once, in the order of the ledger, for as long as your session lives. The first event says where the stream begins, under an id to resume after: `connected`, or `reset` when it begins now instead of after the event that you named; `reason` is then `unknown_event` (it is none of yours, or not any more) or `too_many_missed` (more than 1,000 tips came since), and you load your list of transactions again. Each tip is a `tip`. Send the id of the last event that you saw as `Last-Event-ID` to get first what you missed; `EventSource` does that by itself. A comment comes every 15 seconds; when the connection breaks, connect again. An account may have 20 streams open, and open 120 a minute. The token goes into the Authorization header here as well.',
    parameters: [
      {
        name: 'Last-Event-ID',
        in: 'header',
        description:
          'The id of the last event that you saw: that of a transaction, or `beginning`, which stands before your first one. Without it you get only new tips.',
        schema: { type: 'string' },
        example: TRANSACTION.id,
      },
    ],
    response: [
      'id: beginning\nevent: connected\ndata: {}\n\n',
      `id: ${TRANSACTION.id}\nevent: tip\ndata: ${JSON.stringify(TRANSACTION)}\n\n`,
    ].join(''),
  },
  'transactions.create': {
    summary: 'Give a tip',
    description:
      'The payment is simulated and completes at once. You are charged the amount and 5 % on top; 97 % of the amount reaches the provider. Send an `Idempotency-Key` to retry safely: the same key and body give the same transaction, however often they are sent. Repeats count against the limit of tips as well: 30 a minute.',
    parameters: [
      {
        name: 'Idempotency-Key',
        in: 'header',
        description: '1 to 255 visible ASCII characters that you make up, one for each attempt to pay.',
        schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[\\x21-\\x7e]+$' },
        example: '5e0f7a11-3c7e-4a53-9d1c-0f5b2f0e5a3f',
      },
    ],
    request: { receiver_qr_id: QR_CODE.id, amount: 12.34, service_category: 'bartender' },
    response: TRANSACTION,
  },
};

/** What each field means, by its name on the wire; `Schema.field` where schemas differ. */
export const FIELD_NOTES: Readonly<Record<string, string>> = {
  access_token: 'Opaque; send it as `Authorization: Bearer ...`.',
  amount: 'The tip in US dollars, from 10 to 10,000, with at most two decimals.',
  created_at: 'ISO 8601 in UTC.',
  'Credentials.password': 'The password, as it was chosen.',
  current_password: 'The present password.',
  device: 'What the session was begun with; null when the client did not say.',
  email: 'Unique, whatever its case.',
  expires_at: 'When the session ends unless it is used before, ISO 8601 in UTC.',
  full_name:
    '1 to 60 characters once they are composed (NFC): a letter, a digit or an emoji, and nothing that hides.',
  giver_fee: 'What the giver paid on top, in US dollars: 5 % of the amount.',
  giver_id:
    'Who tipped: to the giver their own id; to the receiver a pseudonym that stays the same for this giver and says nothing to anybody else.',
  id: 'Never changes and is never used again.',
  image_base64: 'The picture: a PNG in bare base64, without a `data:` prefix.',
  is_current: 'Whether it is the session that asks.',
  is_service_provider: 'Whether the user receives tips.',
  must_change_password:
    'Whether the operator made the present password: until it is changed, everything but that, `me` and logging out is refused with `password_change_required`.',
  net_amount: 'What reached the provider, in US dollars: 97 % of the amount.',
  new_password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not your email, not your username.',
  password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not the email, not the username.',
  phone: 'Optional; 7 to 20 digits with the usual punctuation.',
  qr_code: 'The code that was looked up.',
  qr_code_id: 'The code that was tipped.',
  receiver_id: 'Who was tipped.',
  receiver_name: 'The full name of whoever was tipped.',
  receiver_qr_id: 'The code of the provider, as scanned or typed.',
  receiver_username: 'The username of whoever was tipped.',
  service_categories: 'The services that a provider offers; at least one. Ignored for customers.',
  service_category: 'The service; for a tip it is that of the code.',
  service_provider: 'Whom the code tips.',
  status: 'What became of the payment.',
  token_type: 'Always `bearer`.',
  total_tips_given: 'The sum of the tips given, without fees, in US dollars.',
  received_today_count: 'How many tips were received on the present day.',
  received_today: 'What reached the receiver of them, in US dollars.',
  total_tips_received: 'The sum of the net amounts received, in US dollars.',
  url: 'The address that the picture carries: the tip page of the code.',
  user: 'The user who logged in.',
  user_id: 'Whose code it is.',
  username:
    '3 to 30 of a-z, 0-9, dot, hyphen and underscore; starts and ends with a letter or digit; none that would pass for the site itself; never changes hands.',
};
