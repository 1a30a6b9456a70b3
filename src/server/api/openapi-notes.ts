/**
 * What a reader of the API description wants to know and no schema can say: words and examples, for each route. The
 * words for each field are in openapi-fields.ts.
 */
import { MAX_TIME_ZONE_LENGTH } from '#shared/calendar.ts';
import { idPattern } from '#shared/ids.ts';
import { printRequest } from '#shared/print.ts';
import { serviceCategory, typedQrCodeId } from '#shared/qr-codes.ts';
import { MAX_PAGE_SIZE } from '#shared/tips.ts';
import {
  LOGIN,
  OWN_CODE,
  QR_CODE,
  QR_CODE_WITH_PICTURE,
  SESSION,
  TIP_PAGE,
  TRANSACTION,
  USER,
} from './openapi-examples.ts';
import { wireSchema } from './wire.ts';

interface RouteNotes {
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly unknown[];
  /** An example of the body sent, and of the one answered. */
  readonly request?: unknown;
  readonly response?: unknown;
}

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
  'auth.updateProfile': {
    summary: 'Change your profile',
    description:
      'Changes what is sent, by the rules of the registration, and leaves the rest. A new email asks for `current_password`; wrong guesses count as those for a new password do. The username before stays yours: nobody else can ever take it. `service_categories` is the whole set: a service that is not in it is retired with its code, and the last one cannot be. A customer becomes a provider with `is_service_provider` and at least one category; a provider cannot become a customer.',
    request: { full_name: 'Pat Doe', service_categories: ['bartender', 'dj'] },
    response: { ...USER, service_categories: ['bartender', 'dj'] },
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
    description:
      'Oldest first, each with its picture, also those that were replaced or retired. Customers have none.',
    response: [QR_CODE_WITH_PICTURE],
  },
  'qrCodes.create': {
    summary: 'Create a QR code',
    description: 'One for each category that you provide. The picture is a PNG that leads to your tip page.',
    request: { service_category: 'bartender' },
    response: QR_CODE_WITH_PICTURE,
  },
  'qrCodes.update': {
    summary: 'Change a tip page, pause or resume its code',
    description:
      'Changes what is sent of the page that givers see, and leaves the rest. A display name of its own takes the place of your full name, your username and your id for everybody but you. A paused code shows its page and takes no tips.',
    parameters: [OWN_CODE],
    request: { display_name: 'DJ Pat', greeting: TIP_PAGE.greeting, status: 'active' },
    response: { ...QR_CODE_WITH_PICTURE, display_name: 'DJ Pat' },
  },
  'qrCodes.replace': {
    summary: 'Replace a QR code',
    description:
      'Gives the service another code, which takes over the tip page. The code before is never paid again, and says that it was replaced. The request has no body.',
    parameters: [OWN_CODE],
    response: QR_CODE_WITH_PICTURE,
  },
  'qrCodes.setPhoto': {
    summary: 'Put a photo on a tip page',
    description:
      'The body is the picture itself, of at most 256 KiB and 2048 x 2048 pixels; what it is, its bytes say and not its Content-Type. It is drawn anew in at most 512 x 512 pixels, and nothing else of what was sent is kept.',
    parameters: [OWN_CODE],
    response: QR_CODE_WITH_PICTURE,
  },
  'qrCodes.removePhoto': {
    summary: 'Take the photo off a tip page',
    description: 'The photo is gone from its address at once.',
    parameters: [OWN_CODE],
    response: { ...QR_CODE_WITH_PICTURE, photo_url: null },
  },
  'qrCodes.print': {
    summary: 'Print a QR code',
    description:
      'A sheet to print as it is, at 100 %, with what givers see on the tip page; or the bare code. It is drawn for you, and nothing of it is kept. A server whose address leads to its own machine alone prints nothing.',
    parameters: [
      OWN_CODE,
      {
        name: 'file',
        in: 'path',
        required: true,
        description: 'A sheet in PDF, or the code alone in SVG or PNG.',
        schema: wireSchema(printRequest.shape.file, 'input'),
        example: 'poster.pdf',
      },
      {
        name: 'paper',
        in: 'query',
        description: 'The paper that a sheet is for.',
        schema: wireSchema(printRequest.shape.paper, 'input'),
        example: 'letter',
      },
      {
        name: 'ink',
        in: 'query',
        description: '`saving` leaves every area of a sheet white.',
        schema: wireSchema(printRequest.shape.ink, 'input'),
        example: 'saving',
      },
      {
        name: 'size',
        in: 'query',
        description: 'How many pixels wide `code.png` is.',
        schema: wireSchema(printRequest.shape.size, 'input'),
        example: 2_048,
      },
    ],
  },
  'qrCodes.lookup': {
    summary: 'Look a QR code up',
    description:
      'Whom a code tips, as its tip page shows it. Case, spaces and hyphens do not matter; I and L read as 1, O as 0.',
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
      qr_code: { ...QR_CODE, status: 'active' },
      service_provider: {
        username: 'pat',
        full_name: 'Pat Doe',
        service_category: 'bartender',
        ...TIP_PAGE,
      },
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
