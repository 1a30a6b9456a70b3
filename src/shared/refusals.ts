/** Every refusal in one closed table. Chapters throw `AppError` (errors.ts); nothing else of an error is told. */
import { brand } from './brand.ts';
import { CONSOLE_REFUSALS } from './console/refusals.ts';

export interface Refusal {
  readonly status: 400 | 401 | 403 | 404 | 405 | 408 | 409 | 410 | 413 | 415 | 422 | 429 | 431 | 500 | 503;
  /** The kind of problem, the same at every occurrence (RFC 9457, section 3.1.3). */
  readonly title: string;
  readonly detail: string;
}

export const REFUSALS = {
  ...CONSOLE_REFUSALS,
  malformed_json: { status: 400, title: 'Malformed JSON', detail: 'The request body is not valid JSON.' },
  malformed_request: {
    status: 400,
    title: 'Malformed request',
    detail: 'The request could not be understood.',
  },
  request_timeout: { status: 408, title: 'Request timeout', detail: 'The request took too long to arrive.' },
  headers_too_large: {
    status: 431,
    title: 'Headers too large',
    detail: 'The address and the headers of the request are too long.',
  },
  not_logged_in: { status: 401, title: 'Not logged in', detail: 'Please login to continue.' },
  login_to_tip: { status: 401, title: 'Not logged in', detail: 'Please login to send tips' },
  session_ended: {
    status: 401,
    title: 'Session ended',
    detail: 'Your session has ended. Please login again.',
  },
  wrong_credentials: { status: 401, title: 'Wrong credentials', detail: 'Incorrect email or password.' },
  wrong_password: { status: 422, title: 'Wrong password', detail: 'The current password is not right.' },
  session_not_found: { status: 404, title: 'Session not found', detail: 'This session has already ended.' },
  password_change_required: {
    status: 403,
    title: 'Password change required',
    detail: 'Please choose a password of your own first.',
  },
  second_factor_required: {
    status: 403,
    title: 'Second factor required',
    detail: 'Please add a passkey or an authenticator app first.',
  },
  password_needed: { status: 401, title: 'Password needed', detail: 'Enter your password to go on.' },
  account_suspended: {
    status: 403,
    title: 'Account suspended',
    detail: 'Your account is suspended. Your dashboard says why.',
  },
  providers_only: {
    status: 403,
    title: 'Service providers only',
    detail: 'Only service providers can create QR codes.',
  },
  category_not_offered: {
    status: 403,
    title: 'Service not offered',
    detail: 'You can only create QR codes for services that you provide.',
  },
  not_found: { status: 404, title: 'Not found', detail: 'There is nothing at this address.' },
  webhook_not_found: { status: 404, title: 'Webhook not found', detail: 'This webhook is gone.' },
  qr_code_not_found: { status: 404, title: 'QR code not found', detail: 'QR code not found' },
  provider_not_found: { status: 404, title: 'Provider not found', detail: 'Nobody shows codes here.' },
  qr_code_paused: {
    status: 409,
    title: 'QR code paused',
    detail: 'This QR code is not taking tips right now.',
  },
  public_url_is_local: {
    status: 409,
    title: 'Address is local',
    detail: 'PUBLIC_URL leads to this machine alone, so nobody else could open a printed code.',
  },
  qr_code_replaced: {
    status: 410,
    title: 'QR code replaced',
    detail: 'This QR code was replaced. Please scan the new one.',
  },
  qr_code_retired: { status: 410, title: 'QR code retired', detail: 'This QR code is no longer in use.' },
  not_a_photo: { status: 415, title: 'Not a photo', detail: 'Send a JPEG, PNG or WebP picture.' },
  photo_too_large: { status: 413, title: 'Photo too large', detail: 'The photo is larger than 256 KiB.' },
  photo_unreadable: {
    status: 422,
    title: 'Photo unreadable',
    detail: 'The photo is broken, or larger than 2048 x 2048 pixels.',
  },
  transaction_not_found: { status: 404, title: 'Transaction not found', detail: 'Transaction not found' },
  provider_not_payable: {
    status: 409,
    title: 'Provider not payable',
    detail: 'Tips cannot be taken here yet.',
  },
  payment_unavailable: {
    status: 503,
    title: 'Payment unavailable',
    detail: 'The payment service does not answer at the moment. Please try again.',
  },
  payout_account_refused: { status: 422, title: 'Payout account refused', detail: 'No account was opened.' },
  invalid_notice: {
    status: 400,
    title: 'Invalid webhook event',
    detail: 'The signature of the webhook event is not valid, or what was signed is no event.',
  },
  words_not_taken: {
    status: 409,
    title: 'Words not taken',
    detail: 'No messages or names are taken here. The tip can be given without.',
  },
  terms_changed: {
    status: 409,
    title: 'Terms changed',
    detail: 'The fees or the limits of tips have changed. Nothing was charged. Look at the new total first.',
  },
  no_words: { status: 409, title: 'No words', detail: 'This tip has no message and no name.' },
  thanked_already: {
    status: 409,
    title: 'Thanked already',
    detail: 'You have already said thank you for this tip.',
  },
  giver_unknown: {
    status: 409,
    title: 'Giver unknown',
    detail: 'This tip was given without an account, so there is nobody to block.',
  },
  mail_off: { status: 409, title: 'No email', detail: 'This site sends no email.' },
  mail_busy: {
    status: 503,
    title: 'Too much email',
    detail: 'Too many emails are waiting to be sent. Please try again later.',
  },
  email_unconfirmed: {
    status: 409,
    title: 'Email not confirmed',
    detail: 'Confirm your email first. Look for the link we sent you, or get a new one in Profile.',
  },
  link_of_another: {
    status: 403,
    title: 'Link of another account',
    detail: 'This link is for the email of another account. Log in to that account first.',
  },
  link_ended: { status: 410, title: 'Link ended', detail: 'This link no longer works. Ask for a new one.' },
  no_receipt_yet: { status: 409, title: 'No receipt yet', detail: 'You get a receipt once the tip is paid.' },
  giver_not_found: { status: 404, title: 'Giver not found', detail: 'You have not blocked this giver.' },
  thanks_refused: {
    status: 403,
    title: 'Thanks refused',
    detail: `You can no longer say thank you from this notification. Please open ${brand.name} to do it.`,
  },
  device_not_found: {
    status: 404,
    title: 'Device not found',
    detail: 'Notifications are off for this device.',
  },
  push_endpoint_refused: {
    status: 422,
    title: 'Push service unknown',
    detail: 'Notifications do not work with the push service of this browser.',
  },
  push_unavailable: {
    status: 503,
    title: 'Push service unavailable',
    detail: 'The notification could not be delivered to this device. Please try again later.',
  },
  not_refundable: {
    status: 409,
    title: 'Not refundable',
    detail: 'This tip was refunded already, or the time to take it back is over.',
  },
  other_keys: {
    status: 409,
    title: 'Other keys',
    detail: 'This tip was paid with keys that this site no longer has. Whoever runs it can take it back.',
  },
  method_not_allowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'This address does not answer that method.',
  },
  email_taken: { status: 409, title: 'Email taken', detail: 'An account with this email already exists.' },
  username_taken: { status: 409, title: 'Username taken', detail: 'This username is already taken.' },
  qr_code_exists: {
    status: 409,
    title: 'QR code exists',
    detail: 'You already have a QR code for this service.',
  },
  body_too_large: { status: 413, title: 'Body too large', detail: 'The request body is larger than 64 KiB.' },
  not_json: { status: 415, title: 'Not JSON', detail: 'Send the request body as application/json.' },
  encoded_body: {
    status: 415,
    title: 'Body is encoded',
    detail: 'Send the request body as it is, without a Content-Encoding.',
  },
  invalid_input: { status: 422, title: 'Invalid input', detail: 'Some of the fields are not valid.' },
  own_qr_code: { status: 422, title: 'Own QR code', detail: 'You cannot tip your own QR code.' },
  category_mismatch: {
    status: 422,
    title: 'Service does not match',
    detail: 'This QR code is for another service.',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'Idempotency key reused',
    detail: 'This idempotency key was already used for another tip.',
  },
  attempts_differ: {
    status: 503,
    title: 'Attempts differ',
    detail: 'Your request was mixed up with another one on its way. Please try again.',
  },
  too_many_requests: {
    status: 429,
    title: 'Too many requests',
    detail: 'Too many attempts. Please try again later.',
  },
  username_changed_often: {
    status: 429,
    title: 'Username changed often',
    detail: 'A username can be changed three times in 30 days.',
  },
  registration_closed: {
    status: 403,
    title: 'Registration closed',
    detail: 'This site isn’t taking new accounts. Ask whoever runs it.',
  },
  invitation_required: {
    status: 403,
    title: 'Invitation required',
    detail: 'You need an invitation to sign up here. Ask whoever runs this site for one.',
  },
  invitation_invalid: {
    status: 410,
    title: 'Invitation invalid',
    detail: 'This invitation no longer works, or its link is incomplete. Ask for a new one.',
  },
  invitation_for_another: {
    status: 403,
    title: 'Invitation for another email',
    detail: 'Your invitation is for another email. Sign up with the one it was made for.',
  },
  invalid_api_key: {
    status: 401,
    title: 'Invalid API key',
    detail: 'This API key is mistyped or has ended, or it may not be used from this address.',
  },
  missing_scope: { status: 403, title: 'Missing scope', detail: 'This API key lacks a scope.' },
  not_for_api_keys: {
    status: 403,
    title: 'Not for API keys',
    detail: 'No API key can do this. Log in to do it.',
  },
  api_key_not_found: { status: 404, title: 'API key not found', detail: 'This API key has already ended.' },
  too_many_api_keys: {
    status: 409,
    title: 'Too many API keys',
    detail: 'You have as many API keys as an account can have. End one first.',
  },
  internal: {
    status: 500,
    title: 'Internal error',
    detail: 'Something went wrong on our side. Please try again.',
  },
  busy: { status: 503, title: 'Busy', detail: 'The server is busy right now. Please try again in a moment.' },
  storage_unavailable: {
    status: 503,
    title: 'Storage unavailable',
    detail: 'Nothing can be saved right now. Please try again in a moment.',
  },
  shutting_down: {
    status: 503,
    title: 'Shutting down',
    detail: 'The server is restarting. Please try again in a moment.',
  },
  maintenance: {
    status: 503,
    title: 'Maintenance',
    detail: 'Tips and refunds are paused for maintenance. Please try again later.',
  },
  second_factor_needed: {
    status: 401,
    title: 'Second factor needed',
    detail: 'Enter the code of your authenticator app, or a recovery code.',
  },
  wrong_code: {
    status: 422,
    title: 'Wrong code',
    detail: 'This code is not right, or it was used before.',
  },
  passkey_refused: {
    status: 422,
    title: 'Passkey refused',
    detail: 'This passkey didn’t work here. Try again, or choose another way.',
  },
  second_factor_not_found: {
    status: 404,
    title: 'Second factor not found',
    detail: 'This has already been removed.',
  },
  too_many_passkeys: {
    status: 409,
    title: 'Too many passkeys',
    detail: 'You have as many passkeys as an account can have. Remove one first.',
  },
} as const satisfies Readonly<Record<string, Refusal>>;
