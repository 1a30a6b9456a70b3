/** The descriptions of the fields in the API description. */

import { currencyName } from '#shared/amount-in-words.ts';
import { plainDecimal } from '#shared/decimals.ts';
import { PAGE_LANGUAGE } from '#shared/language.ts';
import { type Cents, cents, decimalFromCents, terms } from '#shared/money.ts';
import { decimalsInWords } from '#shared/tip-amount.ts';
import { PROGRAM_NOTES } from './program-fields.ts';

/** By the field's name on the wire; `Schema.field` where schemas differ. */
export type FieldNotes = Readonly<Record<string, string>>;

export function minorUnits(): string {
  return `1234 is ${plainDecimal(cents(1_234))} ${terms().currency}`;
}

export function fieldNotes(): FieldNotes {
  const { minTipCents, maxTipCents, giverFeeRate, receiverFeeRate } = terms();
  const plain = (amount: Cents) => decimalFromCents(amount).toLocaleString(PAGE_LANGUAGE);
  const percent = (rate: number) => `${rate / 100} %`;
  const ofMoney: FieldNotes = {
    amount: `The tip in US dollars, from ${plain(minTipCents)} to ${plain(maxTipCents)}, with ${decimalsInWords()} decimals.`,
    giver_fee: `What the giver paid on top, in US dollars: ${percent(giverFeeRate)} of the amount.`,
    receiver_fee: `What came off the amount before it reached the provider, in US dollars: ${percent(receiverFeeRate)} of the amount.`,
    net_amount: `What reached the provider, in US dollars: ${percent(10_000 - receiverFeeRate)} of the amount.`,
  };
  return Object.fromEntries(
    Object.entries({ ...NOTES, ...ofMoney }).map(([field, note]) => [
      field,
      note.replace('US dollars', currencyName()),
    ]),
  );
}

/** Written for dollars: `fieldNotes` puts the installation's currency in the place of "US dollars", once in a note. */
const NOTES: FieldNotes = {
  ...PROGRAM_NOTES,
  account: 'Your account at the payment service; null when you have none, and for simulated payments.',
  access_token: 'Opaque; send it as `Authorization: Bearer ...`.',
  charges_enabled: 'Whether tips can be paid to the account.',
  payouts_enabled: 'Whether what is on the account is paid out to your bank.',
  disabled_reason:
    'Why the payment service has restricted the account, in its own word; null when it has not.',
  'PayoutStatus.country': 'Of the account, ISO 3166-1 alpha-2; null when the payment service did not say.',
  'NewPayoutAccount.country':
    'Where you live or your business is registered, ISO 3166-1 alpha-2. Needed to open an account, and ignored when there is one.',
  lost_account:
    'Why an account that you had does not count: `gone` when the payment service does not know it any more, `other_platform` when it belongs to another account of the operator. Null in any other case.',
  owed: 'What was returned to givers and has not been taken back from your account yet, in US dollars; it is taken as soon as there is enough.',
  available:
    'What is ready for the next payout, in US dollars; below zero when more was taken back than there was.',
  pending: 'What givers have paid and is not ready for a payout yet, in US dollars.',
  next_payout: 'The next payout to your bank; null when none is on its way.',
  payout_weekday:
    'The day of the week on which you are paid out; null for another schedule, and when it is unknown.',
  'PayoutBalance.amount': 'What is paid out, in US dollars.',
  arrives_at: 'When it is expected at your bank, ISO 8601 in UTC.',
  has_other_currencies: 'Whether the account also holds other currencies, which these sums leave out.',
  closes_at: 'When the account is closed for good, ISO 8601 in UTC; a login before that keeps it open.',
  confirmation: 'The word `close`, in any case.',
  created_at: 'ISO 8601 in UTC.',
  'Credentials.password': 'The password, as it was chosen.',
  current_password: 'The present password.',
  endpoint:
    'The address at the push service that the browser gives: of a push service that is known, at most 1,000 characters.',
  excluded_categories: 'Those of your services for which no tips are paid through the payment service here.',
  'PasswordChange.current_password': 'The present password; needed but for one that the operator made.',
  'ProfileChange.current_password': 'The present password; needed where the email changes.',
  day_start_hour:
    'The hour of the clock at which your day ends and the next one begins, from 0 to 23: with 5, tips up to five in the morning belong to the day before. Null until you chose one: then it is midnight.',
  'Insights.day_start_hour': 'The hour of the clock at which the days of this answer begin.',
  'ProfileChange.is_service_provider': 'True makes a provider of a customer; there is no way back.',
  announcement: 'The text that everybody who is logged in is shown; null for none.',
  action: 'What the operator did.',
  'OperatorAct.text': 'The same in a sentence.',
  'OperatorAct.reason': 'Why, in the words of the operator; null where no reason was given.',
  'OperatorAct.at': 'When it was done.',
  maintenance: 'That tips and refunds are paused; null while they are not.',
  suspension:
    'Since when and why your account can give and receive no tips; null unless the operator has suspended it.',
  since: 'Since when, ISO 8601 in UTC.',
  'Announcements.reason': 'Why, in the words of the operator.',
  until: 'When it is expected to be over, ISO 8601 in UTC; null where that is not known.',
  'ProfileChange.service_categories': 'All the services that you provide from now on; at least one.',
  device: 'What the session was begun with; null when the client did not say.',
  display_name: 'Who receives the tips, as givers see it; null for the full name. Up to 60 characters.',
  'NoticeDevice.device': 'What its session was begun with; null when the client did not say.',
  'NoticeDevice.is_current': 'Whether it is logged in by the session that asks.',
  email: 'Unique, whatever its case.',
  confirmed_at:
    'When the password was last typed in this session, ISO 8601 in UTC; it was at the login. Null for a session from before this was kept, until it is typed again.',
  expires_at: 'When the session ends unless it is used before, ISO 8601 in UTC.',
  full_name:
    '1 to 60 characters once they are composed (NFC): a letter, a digit or an emoji, and nothing that hides.',
  giver_id:
    'Who tipped: to the giver their own id; to the receiver a pseudonym that stays the same for this giver and says nothing to anybody else; null for a giver without an account.',
  'BlockedGiver.service_category':
    'The service whose page takes no tips from the giver; no other page of yours that shows the same name takes any either.',
  blocked_at: 'When you blocked the giver, ISO 8601 in UTC.',
  'BlockedGiver.giver_id': 'The pseudonym under which you know the giver.',
  giver_name:
    'The name under which the tip was given, as its receiver alone is told; null without one, or when the receiver has hidden it.',
  greeting: 'A sentence for givers, of up to 140 characters; null without one.',
  id: 'Never changes and is never used again.',
  hidden: 'Whether you do not want to see the message and the name.',
  image_base64: 'The picture: a PNG in bare base64, without a `data:` prefix.',
  is_current: 'Whether it is the session that asks.',
  is_payable:
    'Whether tips can be paid to the provider: always where payments are simulated. False during maintenance.',
  is_service_provider: 'Whether the user receives tips.',
  message:
    'What the giver wrote, as the receiver alone is told: plain text of up to 140 characters; null without one, or when the receiver has hidden it.',
  'NewTip.message': 'A message for the receiver alone: up to 140 characters of plain text, without links.',
  missing: 'What the payment service still asks you for, in its own words.',
  mode: 'How tips are paid on this server: `simulated` (no money moves), `test` (what the payment service calls test money) or `live` (money).',
  must_add_second_factor:
    'Whether the operator asks providers for a second factor and the account has none: until it has one, everything but adding one, `me`, the password and logging out is refused with `second_factor_required`.',
  must_change_password:
    'Whether the operator made the present password: until it is changed, everything but that, `me`, the list of second factors and logging out is refused with `password_change_required`.',
  'MailSettings.confirmed_at':
    'When the email was confirmed, ISO 8601 in UTC; null for one that never was, which gets nothing but links.',
  'MailSettings.refusal': 'What the mail server said when it refused the email; null while it takes emails.',
  'MailSettings.time_zone':
    'The IANA name of the time zone of your monthly statements; UTC until you send one.',
  'MailSettingsChange.monthly_statement': 'Whether you want one.',
  'MailSettingsChange.time_zone':
    'An IANA name, which decides when a month begins; without it, the one that you sent before, at first UTC.',
  monthly_statement: 'Whether you get a statement each month.',
  'ReceiptRequest.email': 'Where a guest gets the receipt; not needed with an account.',
  'ReceiptRequest.time_zone': 'An IANA name, for the time on the receipt; UTC without it.',
  refused_at: 'When the mail server refused the email, ISO 8601 in UTC; null while it takes emails.',
  invitation: 'What stands behind `#invite=` in the link of your invitation, up to the next `&`.',
  token: 'What stands behind `#` in the link.',
  new_password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not your email, not your username.',
  p256dh: 'The key that the browser gives: a point of P-256, 65 bytes in base64 or base64url.',
  password:
    '8 to 256 characters once they are composed (NFKC); not a common one, not the email, not the username.',
  payment_mode:
    'How it is paid: `simulated` (no money moved), `test` (what the payment service calls test money) or `live` (money); later versions may have more.',
  payment_url:
    'The page on which its giver pays, as the giver is told while it is `pending`; null otherwise, and where it began with keys of the payment service that the operator has replaced.',
  phone: 'Optional; 7 to 20 digits with the usual punctuation.',
  photo_url: 'Where on this server the photo lies, in JPEG, for pages of any origin; null without one.',
  reported_at:
    'When the receiver reported the words to the operator, as the receiver is told, ISO 8601 in UTC; null otherwise.',
  'ProviderPage.codes': 'The codes that the provider lists, oldest first.',
  name: 'Whom the tip page names.',
  is_listed: 'Whether your public page leads to the code; false at first.',
  takes_words: 'Whether givers may add a message and their name to a tip.',
  text: 'What you say to the giver: up to 140 characters of plain text, without links.',
  texts: 'Up to three texts of up to 140 characters, in your order.',
  thank_you:
    'What the receiver says to the giver: their answer to this tip, or else what the tip page tells whoever has tipped; null for nothing.',
  'QrCode.thank_you':
    'What a giver is told as soon as they have tipped, in up to 140 characters; null for nothing.',
  'TipPageChange.thank_you':
    'What a giver is told as soon as they have tipped, in up to 140 characters; null for nothing.',
  thanked_at: 'When the receiver answered this tip, ISO 8601 in UTC; null when they did not.',
  tip: 'The tip by which you blocked the giver.',
  with_name: 'Whether the receiver is told your full name; false without it, and never true for a guest.',
  words_hidden:
    'Whether the receiver has hidden the message and the name, as the receiver is told; false otherwise.',
  public_key: 'A point of P-256: 65 bytes in base64url.',
  qr_code: 'The code that was looked up.',
  qr_code_id: 'The code that was tipped.',
  receipt_url:
    'The link to the receipt of a guest, as the guest is told: whoever has it has the right of the giver. Null otherwise.',
  receiver_id: 'Who was tipped.',
  receiver_name: 'The full name of whoever was tipped.',
  receiver_qr_id: 'The code of the provider, as scanned or typed.',
  receiver_username: 'The username of whoever was tipped.',
  reopened: 'Whether the account was being closed, and stays open because of this login.',
  service_categories: 'The services that a provider offers; at least one. Ignored for customers.',
  service_category: 'The service; for a tip it is that of the code.',
  service_provider: 'Whom the code tips.',
  status:
    'What became of the payment: `completed` or `refunded`; and with a payment service also `pending` until its money is taken, `failed`, `expired` when nobody can pay it any more, or `disputed` while the giver’s bank has all of it.',
  'QrCode.status':
    'Whether tips are taken: not by a paused code, and never again by one that was replaced or retired.',
  'QrCodeLookup.status': 'Whether tips are taken: not by a paused code.',
  'TipPageChange.status': '`paused` takes no tips until the code is `active` again.',
  token_type: 'Always `bearer`.',
  total_tips_given: 'The sum of the tips given, without fees, in US dollars.',
  received_today_count: 'How many tips were received on the present day.',
  received_today: 'What reached the receiver of them, in US dollars.',
  received_today_arriving:
    'What of `received_today` is held on cards and not taken yet, in US dollars; a giver may still take it back.',
  total_tips_received: 'The sum of the net amounts received, in US dollars.',
  total_tips_received_arriving:
    'What of `total_tips_received` is held on cards and not taken yet, in US dollars; a giver may still take it back.',
  'PaymentLink.url': 'A page of the payment service. It can be opened once.',
  url: 'The address that the picture carries: the tip page of the code.',
  user: 'The user who logged in.',
  user_id: 'Whose code it is.',
  username:
    '3 to 30 of a-z, 0-9, dot, hyphen and underscore; starts and ends with a letter or digit; none that would pass for the site itself; never changes hands.',
  refunded_at: 'When the tip was refunded, ISO 8601 in UTC; null when it was not.',
  refunded_by: 'Who had it refunded; null when it was not, by the operator and at the payment service.',
  captures_at:
    'When the money is taken that is held on the giver’s card, ISO 8601 in UTC: a `pending` tip that has it was given and is in the sums. It stays with a tip that was taken back before that, of which nothing was charged; null otherwise.',
  refund_asked_at: 'Since when a refund waits for the payment service; null where none does.',
  changes:
    'What happened to the money after it was paid, oldest first; empty for a simulated tip. A refund of all that is left is in `refunded_at` alone.',
  'TipChange.kind':
    'What happened: `refund` (a part went back), `dispute` (the giver’s bank took it back), `dispute_won` (it came back), `dispute_lost` (it stays gone, and no more moves), `refund_failed` (a refund did not reach the giver) or `debit` (the operator took from the receiver at the payment service).',
  'TipChange.at': 'When it happened, ISO 8601 in UTC.',
  'TipChange.is_over': 'Whether a `dispute` has ended, or the giver was paid what a `refund_failed` was.',
  'TipChange.amount':
    'What moved, in US dollars, negative where it went back: of what the giver paid with the fee for the giver, of the net amount for the receiver.',
  undo_until:
    'Until when its giver may take the tip back, ISO 8601 in UTC; null when that is over, and for the receiver, who may always refund it.',
  received_count: 'How many tips were received.',
  received: 'What reached the receiver of them, in US dollars.',
  sent_count: 'How many tips were sent.',
  sent: 'The sum of the tips sent, without fees, in US dollars.',
  paid: 'The sum of what was paid for them, with fees, in US dollars.',
  books:
    'The same period as in an account book, where a refund counts on the day on which it was made, and sums are negative where money went back. Tips as they were given and what changed add up to what moved.',
  received_tips: 'The tips received in the period as they were given, also those that were refunded.',
  received_changes: 'What changed in the period of tips received at any time: refunds, disputes.',
  received_since:
    'What changed of the tips of the period after its end: why they count otherwise today than when it closed.',
  sent_tips: 'The tips sent in the period as they were given, also those that were refunded.',
  sent_changes: 'What changed in the period of tips sent at any time: refunds, disputes.',
  sent_since: 'What changed of the tips sent in the period after its end.',
  'TipSums.count': 'How many.',
  'TipSums.amount': 'Their sum without fees, in US dollars; negative where it went back.',
  'TipSums.net': 'What reached the receiver of them, in US dollars; negative where it went back.',
  'Insights.tips': 'The tips of the period as they were given, also those that were refunded.',
  'Insights.changes':
    'What changed in the period of tips of any time, with negative sums where money went back.',
  'BookEntry.id': 'The transaction, and the number of the entry among those of your account.',
  'BookEntry.kind':
    '`tip`: as it was given. `reversal`: all that was left of it went back. `canceled`: it was given up before it was charged, so that no money moved; its sums take it off as a reversal does. `refund`: a part went back. `dispute`: the bank of the giver took it back; `dispute_won`: it came again; `dispute_lost`: it stays gone. `refund_failed`: a refund did not reach the giver, who is owed it; it moves nothing of the receiver. `debit`: taken from the receiver at the payment service.',
  'BookEntry.direction': 'Which way the tip went, as you see it.',
  'BookEntry.created_at': 'When the entry happened itself, ISO 8601 in UTC.',
  'BookEntry.amount': 'Of the tip, in US dollars; negative where it went back.',
  'BookEntry.giver_fee': 'Of what the giver paid on top, in US dollars; negative where it went back.',
  'BookEntry.receiver_fee': 'Of what came off the amount, in US dollars; negative where it was given back.',
  'BookEntry.net_amount': 'Of what reached the receiver, in US dollars; negative where it went back.',
  'BookEntry.source':
    'The id of the refund or dispute at the payment service; null without one, as for a debit.',
  'BookEntry.charge_id': 'The id of the payment at the payment service; null for simulated tips.',
  'BookEntry.transaction': 'The tip, as it counts today.',
  from: 'The first day.',
  'Announcements.from': 'Since when it is shown, ISO 8601 in UTC.',
  to: 'The last day, which is included.',
  count: 'How many tips were received.',
  gross: 'The sum of the tips, in US dollars.',
  fee: 'The sum of the fees that the provider bore, in US dollars.',
  net: 'The sum of what reached the provider, in US dollars.',
  auth: 'The secret that the browser gives: 16 bytes in base64 or base64url.',
  average_net: 'What reached the provider of a tip on average, in US dollars; 0 without tips.',
  largest_net: 'The most that reached the provider of one tip, in US dollars; 0 without tips.',
  best_day: 'The day that took the most, the first of those that took as much; null without tips.',
  bars: 'One for each day, week (from Monday) or month of the period, cut where the period begins and ends.',
  by_service: 'The same by service; none that took nothing.',
  by_hour: 'The same by hour of the week; none in which nothing was received.',
  before: 'The same of the period of the same length that ended the day before.',
  date: 'The day.',
  with_words:
    'Whether notifications say what a giver wrote, which may stand on a locked screen; false where it is left out at first.',
  weekday: 'The day to which the hour belongs: 1 for Monday to 7 for Sunday (ISO 8601).',
  hour: 'The hour of the clock, from 0.',
  proof: 'As the notification carried it (`tip.thanks.proof`).',
  choice: 'The place of the thank-you among those that the notification offered, from 0.',
  currency: 'The currency of all amounts here, and of every amount on this server: a code of ISO 4217.',
  exponent: 'How many digits an amount has after the point: 0, 2 or 3.',
  giver_fee_rate: 'What the giver pays on top of a tip, in hundredths of a percent.',
  receiver_fee_rate: 'What comes off a tip before it reaches the provider, in hundredths of a percent.',
  max_tip: 'The largest tip.',
  min_tip: 'The smallest tip.',
  quick_amounts: 'The amounts that a tip page offers, ascending.',
  terms_version: 'The version of the terms under which the tip was given; 0 before any change.',
  'NewTip.terms_version':
    'The `version` of the terms that its giver was shown; without it the present terms hold.',
  'Credentials.code':
    'A code of the authenticator app, or a recovery code; only for an account with a second factor.',
  'TotpConfirmation.code': 'What the app shows.',
  options: 'JSON text for the browser, with the names of WebAuthn.',
  response: 'What the browser answered, as JSON text, with the names of WebAuthn.',
  passkeys: 'Oldest first.',
  has_totp: 'Whether an authenticator app is set up.',
  recovery_codes_left: 'How many recovery codes were not used yet.',
  'SecondFactors.name': 'Your name for the passkey.',
  'NewPasskey.name': 'Your name for the passkey, of up to 60 characters.',
  works_here: 'False for a passkey that was made while this site had another address.',
  'SecondFactors.last_used_at': 'When the passkey was last used, ISO 8601 in UTC; null until it is used.',
  'FirstRecoveryCodes.recovery_codes':
    'Ten codes, each good for one login; null where you have some already.',
  'RecoveryCodes.recovery_codes': 'Ten codes, each good for one login.',
  'TotpSetup.secret': 'For typing into the app, in Base32.',
  uri: 'The same as `otpauth://totp/...`, which apps read.',
  qr: 'The same as a QR code.',
  path: 'The data of an SVG path, in modules of the code.',
  size: 'The width and the height in modules, with the quiet zone.',
  version: 'Grows by one with each change of the terms; 0 before any.',
};
