/**
 * What a reader of the API description wants to know and no schema can say: words and examples, for each route. The
 * words for each field are in openapi-fields.ts.
 */
import { idPattern, QR_CODE_ID } from '#shared/ids.ts';
import { printRequest } from '#shared/print.ts';
import { endedQrCodesQuery, typedQrCodeId } from '#shared/qr-codes.ts';
import { wireSchema } from '../wire.ts';
import {
  ENDED_QR_CODE,
  LOGIN,
  NEW_DEVICE,
  NOTICE_DEVICE,
  OWN_CODE,
  QR_CODE,
  QR_CODE_WITH_PICTURE,
  SESSION,
  TIP_PAGE,
  USER,
} from './examples.ts';
import { type RouteNotes, TIME_ZONE, TIP_NOTES } from './tip-notes.ts';
import { WORD_NOTES } from './word-notes.ts';

const DEVICE = {
  name: 'device_id',
  in: 'path',
  required: true,
  description: 'As the list of your devices names it.',
  schema: { type: 'string', pattern: idPattern('dev').source },
  example: NOTICE_DEVICE.id,
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
  'auth.updateProfile': {
    summary: 'Change your profile',
    description:
      'Changes what is sent, by the rules of the registration, and leaves the rest. A new email asks for `current_password`, a new username or phone number for a password that was typed a short while ago (`POST /auth/confirm`); wrong guesses count as those for a new password do. The username before stays yours: nobody else can ever take it, and it can be changed three times in 30 days. `service_categories` is the whole set: a service that is not in it is retired with its code, and the last one cannot be. A customer becomes a provider with `is_service_provider` and at least one category; a provider cannot become a customer.',
    request: { full_name: 'Pat Doe', service_categories: ['bartender', 'dj'] },
    response: { ...USER, service_categories: ['bartender', 'dj'] },
  },
  'auth.confirm': {
    summary: 'Type your password again',
    description:
      'Some acts ask for a password that was typed within the last 15 minutes, by logging in or here: they change a username, a phone number, devices or how you are paid, end sessions, or export your account. Otherwise they answer `password_needed`; confirm, and send them again. Wrong guesses count as those for a new password do.',
    request: { password: 'correct horse battery' },
  },
  'auth.changePassword': {
    summary: 'Change your password',
    description:
      'Ends all of your other sessions, and answers a new token for the one that asks: the old one is worthless from then on. Wrong guesses count for this session alone. The new password has to be another one than the present one.',
    request: { current_password: 'correct horse battery', new_password: 'a better horse battery' },
    response: LOGIN,
  },
  'auth.close': {
    summary: 'Close your account',
    description:
      'Ends all of your sessions, and answers when the account is closed for good, in 7 days. Until then your codes take no tips, and logging in keeps the account open. After that your names, email, phone, tip pages and password are gone, your username goes to nobody, and the transactions of others tell of a closed account. `confirmation` is the word `close`. Wrong guesses count as those for a new password do.',
    request: { current_password: 'correct horse battery', confirmation: 'close' },
    response: { closes_at: '2026-05-22T12:00:00.000Z' },
  },
  'auth.export': {
    summary: 'Export everything about your account',
    description:
      'A ZIP file of everything that is stored about you: your profile, where you are logged in and your codes as JSON, all of your transactions as JSON and as CSV, the payments that you began, the pictures of your codes and the photos of your tip pages, and JSON Schemas of the JSON files. A file in it says what is what, and what is missing and why. It is made while you read it; one that cannot be finished ends with the connection. You may ask for 10 an hour.',
    parameters: [
      { ...TIME_ZONE, description: 'An IANA name, for the dates and times of the CSV file; UTC without it.' },
    ],
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
        name: 'session_id',
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
      'Those that are active or paused, oldest first, each with its picture. A service has one at most, and customers have none.',
    response: [QR_CODE_WITH_PICTURE],
  },
  'qrCodes.ended': {
    summary: 'List your old QR codes',
    description:
      'Those that were replaced or retired, the one made last first, page by page. They lead nowhere any more, and have no pictures.',
    parameters: [
      {
        name: 'limit',
        in: 'query',
        description: 'How many to answer.',
        schema: wireSchema(endedQrCodesQuery.shape.limit, 'input'),
        example: 50,
      },
      {
        name: 'cursor',
        in: 'query',
        description: 'Where the next page begins, as the `Link` header of the page before says.',
        schema: { type: 'string', pattern: QR_CODE_ID.source },
      },
    ],
    response: [ENDED_QR_CODE],
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
      'Changes what is sent of the page that givers see, and leaves the rest. A display name of its own takes the place of your full name, your username and your id for everybody but you. A paused code shows its page and takes no tips. `thank_you` is told to whoever has tipped; with `takes_words` false nobody can add a message or a name.',
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
        name: 'qr_code_id',
        in: 'path',
        required: true,
        description: 'The code, as scanned or typed.',
        schema: wireSchema(typedQrCodeId, 'input'),
        example: '7K3MX-9Q2AB',
      },
    ],
    response: {
      qr_code: { ...QR_CODE, status: 'active', is_payable: true, takes_words: true },
      service_provider: {
        username: 'pat',
        full_name: 'Pat Doe',
        service_category: 'bartender',
        ...TIP_PAGE,
      },
    },
  },
  'payments.payoutStatus': {
    summary: 'See whether you can be paid',
    description:
      'For providers: how tips are paid on this server, which of your services the payment service does not serve, and what it says of your account. While that cannot be paid, the payment service is asked again, every five seconds at most. Where payments are simulated there is no account, and nothing is missing.',
    response: {
      mode: 'live',
      excluded_categories: [],
      account: { charges_enabled: false, missing: ['external_account'] },
    },
  },
  'payments.onboard': {
    summary: 'Get paid',
    description:
      'Opens your account at the payment service, if you have none, and answers the address of the page of the payment service where you go on. It can be opened once; ask again for another. The request has no body. Refused with `provider_not_payable` where payments are simulated, and when the payment service serves none of your services. Links may be asked for 30 times an hour.',
    response: { url: 'https://connect.stripe.com/setup/e/acct_1Nv0FGQ9RKHgCVdK/Xa3kPq7Lm2' },
  },
  'payments.openDashboard': {
    summary: 'See your payouts',
    description:
      'The address of the pages of the payment service about your account and its payouts. It can be opened once; ask again for another. The request has no body. Links may be asked for 30 times an hour.',
    response: { url: 'https://connect.stripe.com/express/acct_1Nv0FGQ9RKHgCVdK/Yb4mRs8Nd3' },
  },
  'notices.key': {
    summary: 'Get the key for notices',
    description:
      'The key by which push services know this server. A browser takes it as `applicationServerKey` when it is asked for a registration (`PushManager.subscribe`).',
    response: { public_key: NEW_DEVICE.p256dh },
  },
  'notices.devices': {
    summary: 'List the devices that get notices',
    description: 'The newest first. Endpoints and keys are told to nobody.',
    response: [NOTICE_DEVICE],
  },
  'notices.register': {
    summary: 'Get notices of tips',
    description:
      'Takes what the browser answers to `PushManager.subscribe`. The device gets a notice of each tip that you receive from now on, also with no page open, until it is removed, its push service says that it is gone, or the session that asks ends. Many tips are one notice, which counts them. Registering the same device again is fine; of more than 20 the oldest goes. You may register and change devices 120 times an hour.',
    request: { ...NEW_DEVICE, with_words: true },
    response: NOTICE_DEVICE,
  },
  'notices.update': {
    summary: 'Change what notices say',
    description: 'Changes what is sent of a device, and leaves the rest.',
    parameters: [DEVICE],
    request: { with_words: false },
    response: { ...NOTICE_DEVICE, with_words: false },
  },
  'notices.remove': {
    summary: 'Get no more notices on a device',
    description: 'The endpoint and the keys of the device are forgotten.',
    parameters: [DEVICE],
  },
  'notices.test': {
    summary: 'Try a device out',
    description:
      'Sends a notice that says nothing of tips. The request has no body. It is answered when the push service has the notice; `device_not_found` also when the push service does not know the device any more. You may try 10 times an hour.',
    parameters: [DEVICE],
  },
  ...TIP_NOTES,
  ...WORD_NOTES,
};
