/** The examples that endpoints share. */
import { CSV_BOM, csvLine } from '#shared/csv.ts';
import { SPECIFIED_TERMS } from '#shared/money.ts';
import { TRANSACTION_COLUMNS } from '#shared/transaction-csv.ts';
import { toWire } from '../wire.ts';

/** Amounts as an answer has them, with their currency. */
const money = (inCents: Readonly<Record<string, number>>): object => Object(toWire(inCents));

export const USER = {
  id: 'usr_4gk2v0p8q3m7x1c9y5t6r0w2zb',
  email: 'pat@example.com',
  username: 'pat',
  full_name: 'Pat Doe',
  phone: null,
  is_service_provider: true,
  service_categories: ['bartender'],
  ...money({ totalTipsReceivedCents: 1_197, totalTipsGivenCents: 0 }),
  day_start_hour: 5,
  must_change_password: false,
  must_add_second_factor: false,
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

const MESSAGES_OF_CODE = { thank_you: 'Thanks, see you soon!', takes_words: true, is_listed: false };

export const QR_CODE_WITH_PICTURE = {
  ...QR_CODE,
  url: `https://tips.example.com/tip/${QR_CODE.id}`,
  image_base64: 'iVBORw0KGgo=',
  status: 'active',
  display_name: null,
  ...TIP_PAGE,
  ...MESSAGES_OF_CODE,
};

const { image_base64: _, photo_url: __, ...CODE_WITHOUT_PICTURE } = QR_CODE_WITH_PICTURE;
export const ENDED_QR_CODE = { ...CODE_WITHOUT_PICTURE, status: 'replaced' };

export const SESSION = {
  id: 'ses_2m5q8t1w4z7c0f3j6n9r2v5y8b',
  device: 'Chrome on Android',
  created_at: '2024-06-01T20:15:30.000Z',
  expires_at: '2024-07-01T20:15:30.000Z',
  confirmed_at: '2024-06-01T20:15:30.000Z',
  is_current: true,
};

export const MAIL_SETTINGS = {
  email: 'pat@example.com',
  confirmed_at: '2024-06-01T20:15:30.000Z',
  refusal: null,
  refused_at: null,
  monthly_statement: true,
  time_zone: 'Europe/Vienna',
};

/** With the key of the example of RFC 8291, section 5. */
export const NEW_DEVICE = {
  endpoint: 'https://fcm.googleapis.com/fcm/send/fv3jabydF5c:APA91bEc8gXeukGXEvq',
  p256dh: 'BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4',
  auth: 'BTBZMqHH6r4Tts7J_aSIgg',
};

export const DEVICE = {
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
  ...money({ amountCents: 1_234, giverFeeCents: 62, receiverFeeCents: 37, netAmountCents: 1_197 }),
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
  thank_you: MESSAGES_OF_CODE.thank_you,
  thanked_at: null,
  terms_version: 0,
  changes: [],
  captures_at: null,
  refund_asked_at: null,
};

export const BOOK_ENTRY = {
  id: `${TRANSACTION.id}.1`,
  kind: 'tip',
  direction: 'sent',
  created_at: TRANSACTION.created_at,
  ...money({ amountCents: 1_234, giverFeeCents: 62, receiverFeeCents: 37, netAmountCents: 1_197 }),
  source: null,
  charge_id: null,
  transaction: TRANSACTION,
};

export const RECEIVED = {
  ...TRANSACTION,
  giver_id: 'gvr_3n5p7r9t1v3x5z7b9d1f3h5j7m',
  undo_until: null,
  message: 'Best Negroni in town',
  giver_name: 'Cam Doe',
};

export const TERMS = toWire(SPECIFIED_TERMS);

/** The proof that a notification carries. */
export const PROOF = [
  DEVICE.id,
  'usr_3n5p7r9t1v3x5z7b9d1f3h5j7m',
  TRANSACTION.id,
  '1717359330',
  'u0J8cJ1oGQ2nH0a4eQ7wXw',
  'q1n7Qm9s0vY3b6T8xkZr2JcF5hLd4WgPaUeKoNiRyXM',
].join('.');

export const CSV_OF_TIPS = `${CSV_BOM}${csvLine(TRANSACTION_COLUMNS)}2024-06-01,22:15:30,UTC+02:00,Sent,Bartender,Pat Doe,12.34,0.62,,12.96,,,Completed,simulated,USD,${TRANSACTION.id},Tip,2024-06-01,,${QR_CODE.id},,,,2024-06-01\r\n`;

export const CSV_OF_EARNINGS = `${CSV_BOM}Date,Tips,Gross,Fees,Net,Currency,Payment,Tips given,Refunds made,Gross after refunds,Fees after refunds,Net after refunds\r\n2024-06-01,1,12.34,0.37,11.97,USD,simulated,1,0,12.34,0.37,11.97\r\n`;

export const API_KEY = {
  id: 'key_3n6q9t2w5z8c1f4j7m0r3v6y9b',
  name: 'Register',
  scopes: ['tips:read', 'tips:refund'],
  addresses: ['192.0.2.0/24'],
  ending: 'XtrB',
  created_at: '2024-06-01T20:15:30.000Z',
  expires_at: '2025-06-01T20:15:30.000Z',
  last_used_at: null,
};

export const PASSKEY = {
  id: 'psk_6b9e2h5k8n1r4t7w0z3c6f9j2m',
  name: 'My phone',
  created_at: '2024-06-01T20:15:30.000Z',
  last_used_at: '2024-06-02T18:00:12.000Z',
  works_here: true,
};

export const PASSKEY_REQUEST =
  '{"rpId":"tips.example.com","challenge":"b0aVb8x0","timeout":300000,"userVerification":"required"}';
export const PASSKEY_CREATION =
  '{"rp":{"id":"tips.example.com","name":"Tipwell"},"challenge":"b0aVb8x0","timeout":300000}';
export const PASSKEY_RESPONSE = '{"id":"kZ3x","rawId":"kZ3x","type":"public-key","response":{}}';

export const RECOVERY_CODES = ['7K2M-9QXA-4RTB-0WVE', 'C3HJ-5NPZ-8SYD-1FG6'];

export const TOTP_SETUP = {
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  uri: 'otpauth://totp/Tipwell:pat%40example.com?issuer=Tipwell&secret=JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP&algorithm=SHA1&digits=6&period=30',
  qr: { path: 'M4 4h7v1h-7z', size: 53 },
};
