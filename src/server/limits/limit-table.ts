/** How often an action may be tried, for which subjects, and where the attempts are counted. */
const MINUTE_MS = 60_000;
const QUARTER_MS = 15 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Unless a row says less, a network may do this many times as often as one address in it. */
const NETWORK = 8;

/** `marks`: all device marks of an account that count at a time, which a new password ends together. */
export type Subject = 'account' | 'address' | 'network' | 'device' | 'marks' | 'session' | 'key';

export interface Limit {
  readonly per: readonly Subject[];
  readonly maxCount: number;
  readonly windowMs: number;
  /** With the data, which outlives a restart; in memory; or with the data only where processes share that. */
  readonly counted: 'with_data' | 'in_memory' | 'with_shared_data';
}

const counting =
  (counted: Limit['counted']) =>
  (per: readonly Subject[], maxCount: number, windowMs: number): Limit => ({
    per,
    maxCount,
    windowMs,
    counted,
  });
const kept = counting('with_data');
const inMemory = counting('in_memory');
const keptIfShared = counting('with_shared_data');

export const LIMITS = {
  // Wrong passwords from a client without a mark of having logged in to the account.
  login_from_address_to_account: kept(['account', 'address'], 5, QUARTER_MS),
  login_from_address: kept(['address'], 30, QUARTER_MS),
  login_from_network: kept(['network'], 30 * NETWORK, QUARTER_MS),
  login_to_account: kept(['account'], 100, DAY_MS),
  // Wrong passwords from a device that has logged in to the account; no other client can use these up. Each login
  // without a mark makes another one, so that all marks of an account have a count together: twenty devices have room.
  // It ends with the marks that a new password ends; that of links does not, because it is a mailbox that they flood.
  login_from_device: kept(['account', 'device'], 5, QUARTER_MS),
  login_from_device_in_a_day: kept(['account', 'device'], 30, DAY_MS),
  login_from_devices_in_a_day: kept(['account', 'marks'], 200, DAY_MS),
  password_change_in_session: kept(['session'], 5, QUARTER_MS),
  password_change_in_session_in_a_day: kept(['session'], 30, DAY_MS),
  password_change_try: inMemory(['session'], 10, QUARTER_MS),
  // Right and wrong passwords alike, because verifying either takes the same work.
  login_try_from_address: inMemory(['address'], 300, QUARTER_MS),
  login_try_from_network: inMemory(['network'], 300 * NETWORK, QUARTER_MS),
  login_try_from_device: inMemory(['device'], 60, QUARTER_MS),
  // Requests of devices with a mark to begin a login by a passkey: each stores a challenge, of which there is a bound.
  passkey_try_from_address: inMemory(['address'], 1_200, QUARTER_MS),
  passkey_try_from_network: inMemory(['network'], 1_200 * NETWORK, QUARTER_MS),

  registration: kept(['address'], 20, HOUR_MS),
  registration_from_network: kept(['network'], 20 * NETWORK, HOUR_MS),
  registration_try_from_address: inMemory(['address'], 200, HOUR_MS),
  registration_try_from_network: inMemory(['network'], 200 * NETWORK, HOUR_MS),

  // Mails that somebody asks for, each with a link to choose a new password. Of those that one email gets, no address
  // can use up all, and devices that have logged in to its account have counts of their own.
  password_link_from_address_to_account: kept(['account', 'address'], 3, HOUR_MS),
  password_link_from_address_to_account_in_a_day: kept(['account', 'address'], 10, DAY_MS),
  password_link_from_network_to_account_in_a_day: kept(['account', 'network'], 15, DAY_MS),
  password_link_to_account: kept(['account'], 40, DAY_MS),
  password_link_from_device: kept(['account', 'device'], 3, HOUR_MS),
  password_link_from_device_in_a_day: kept(['account', 'device'], 10, DAY_MS),
  password_link_from_devices_in_a_day: kept(['account'], 40, DAY_MS),
  password_link_from_address: kept(['address'], 10, HOUR_MS),
  password_link_from_network: kept(['network'], 10 * NETWORK, HOUR_MS),
  // Links have 256 random bits, so that this bounds work and not guesses.
  link_use_from_address: inMemory(['address'], 60, QUARTER_MS),
  link_use_from_network: inMemory(['network'], 60 * NETWORK, QUARTER_MS),
  confirmation_mail: kept(['account'], 5, DAY_MS),
  // An email gets so many from all accounts, one after the other, that say that it is theirs.
  confirmation_mail_to_email: kept(['account'], 10, DAY_MS),
  // A new email is mailed the link as well. Whoever asked for links to a mistyped one can correct it all the same.
  email_change: kept(['account'], 5, DAY_MS),
  mail_settings: inMemory(['account'], 60, HOUR_MS),
  receipt_mail_of_tip: kept(['account'], 3, DAY_MS),
  receipt_mail_from_address_to_email: kept(['account', 'address'], 10, DAY_MS),
  receipt_mail_from_network_to_email: kept(['account', 'network'], 15, DAY_MS),
  receipt_mail_to_email: kept(['account'], 40, DAY_MS),
  receipt_mail_from_address: kept(['address'], 30, HOUR_MS),
  receipt_mail_from_network: kept(['network'], 30 * NETWORK, HOUR_MS),

  tip: keptIfShared(['account'], 30, MINUTE_MS),
  // Tips without an account, look-ups of their receipts, and what guests do to them; many givers may share an address.
  // Open pages look by themselves, and must not use up what taking a tip back or giving a payment up needs.
  guest_tip_from_address: keptIfShared(['address'], 30, MINUTE_MS),
  guest_tip_from_network: keptIfShared(['network'], 30 * NETWORK, MINUTE_MS),
  guest_look_from_address: inMemory(['address'], 300, MINUTE_MS),
  guest_look_from_network: inMemory(['network'], 300 * NETWORK, MINUTE_MS),
  guest_act_from_address: inMemory(['address'], 120, MINUTE_MS),
  guest_act_from_network: inMemory(['network'], 120 * NETWORK, MINUTE_MS),
  // A picture takes some ten milliseconds of the thread that draws; few accounts have many services.
  qr_code_creation: inMemory(['account'], 30, HOUR_MS),
  // A code stays in its table for good, even when it was replaced.
  qr_code_creation_in_a_day: kept(['account'], 60, DAY_MS),
  // A former username is never free again. Any 30 days have three changes at most, each with its own count.
  username_change: kept(['account'], 1, 30 * DAY_MS),
  profile_change: inMemory(['account'], 60, HOUR_MS),
  tip_page_change: inMemory(['account'], 240, HOUR_MS),
  refund: inMemory(['account'], 60, MINUTE_MS),
  // Tips that their giver takes back: each has rung at a bar, and may have cost the operator a fee.
  take_back: kept(['account'], 10, HOUR_MS),
  take_back_in_a_day: kept(['account'], 30, DAY_MS),
  take_back_from_address: kept(['address'], 30, HOUR_MS),
  take_back_from_network: kept(['network'], 30 * NETWORK, HOUR_MS),
  // A photo is decoded and encoded anew: some ten milliseconds of another thread.
  photo: inMemory(['account'], 30, HOUR_MS),
  // Prints are made one after the other, in a thread of their own.
  print: inMemory(['account'], 120, HOUR_MS),
  payout_link: inMemory(['account'], 30, HOUR_MS),
  // Thank-yous, hidden messages and reports are durable writes.
  words: inMemory(['account'], 120, MINUTE_MS),
  // A browser registers its device each time that the app is opened, which is a durable write.
  notice_device: inMemory(['account'], 120, HOUR_MS),
  notice_test: inMemory(['account'], 10, HOUR_MS),
  // Proofs of thanks from notifications; the staff of a bar may share an address.
  notice_thanks_from_address: inMemory(['address'], 30, MINUTE_MS),
  notice_thanks_from_network: inMemory(['network'], 30 * NETWORK, MINUTE_MS),
  // Each reads for up to some milliseconds. While tips come, an open dashboard asks again and again.
  sums: inMemory(['account'], 600, MINUTE_MS),
  // A page of a hundred tips takes a millisecond or two; a list that is streamed as one answer counts once.
  lists: inMemory(['account'], 600, MINUTE_MS),
  insights: inMemory(['account'], 120, MINUTE_MS),
  export: inMemory(['account'], 10, HOUR_MS),
  // A few tabs that lost their connection reconnect every three seconds.
  stream_opening: inMemory(['account'], 120, MINUTE_MS),

  // All requests of an API key. What it does is counted apart from what its owner does, by the limits above.
  key_request: inMemory(['key'], 600, MINUTE_MS),
  // Codes by all keys of an account, because each code stays in its table for good.
  key_qr_code_creation: inMemory(['account'], 30, HOUR_MS),
  key_qr_code_creation_in_a_day: kept(['account'], 60, DAY_MS),
  // Wrong keys, of which each is a look-up. A right key from the same address is not held up by them.
  wrong_key_from_address: inMemory(['address'], 30, QUARTER_MS),
  wrong_key_from_network: inMemory(['network'], 30 * NETWORK, QUARTER_MS),
  api_key_creation: inMemory(['account'], 20, HOUR_MS),
  factor_change: inMemory(['account'], 60, HOUR_MS),
  // Changes of webhooks are durable writes; a test or a repetition calls somebody else's server.
  webhook_change: inMemory(['account'], 120, HOUR_MS),
  webhook_call: inMemory(['account'], 60, HOUR_MS),

  operator_login_from_address_to_account: kept(['account', 'address'], 5, QUARTER_MS),
  operator_login_from_address: kept(['address'], 30, QUARTER_MS),
  operator_login_from_network: kept(['network'], 30 * NETWORK, QUARTER_MS),
  // Wrong codes beside a right password.
  operator_login_to_account: kept(['account'], 100, DAY_MS),
  // Wrong codes in a session that somebody may have left open.
  operator_code_in_session: kept(['session'], 5, QUARTER_MS),
  operator_code_to_account: kept(['account'], 30, DAY_MS),
  // All requests of an operator to the console; a page of it asks for several things at once.
  console_request: inMemory(['account'], 600, MINUTE_MS),
} as const satisfies Readonly<Record<string, Limit>>;
export type LimitName = keyof typeof LIMITS;
