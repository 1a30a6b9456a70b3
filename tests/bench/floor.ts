/**
 * The floor that the product's speed is measured against: the two busiest requests, written by hand in Fastify and
 * better-sqlite3 as their documentation shows, on the same database. Same rules, headers, answers and durability; one
 * commit for each tip, nothing kept in memory, and Fastify's own logging.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import Database from 'better-sqlite3';
import fastify from 'fastify';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import {
  centsFromDollars,
  feesFor,
  GIVER_FEE_RATE,
  MAX_TIP_CENTS,
  MIN_TIP_CENTS,
  RECEIVER_FEE_RATE,
} from '#shared/money.ts';

const [path = '', port = ''] = process.argv.slice(2);
const PUBLIC_URL = `http://127.0.0.1:${port}`;
const SESSION_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;

/** What the product sends with every answer. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; font-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Origin-Agent-Cluster': '?1',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'X-DNS-Prefetch-Control': 'off',
  'X-Download-Options': 'noopen',
  'X-Frame-Options': 'DENY',
  'X-Permitted-Cross-Domain-Policies': 'none',
  'X-XSS-Protection': '0',
};

const database = new Database(path);
for (const pragma of [
  'journal_mode = WAL',
  'synchronous = FULL',
  'foreign_keys = ON',
  'recursive_triggers = ON',
  'trusted_schema = OFF',
  'cache_size = -32000',
  'temp_store = MEMORY',
]) {
  database.pragma(pragma);
}

interface CodeRow {
  readonly id: string;
  readonly user_id: string;
  readonly category: string;
  readonly username: string;
  readonly full_name: string;
}
interface TransactionRow {
  readonly id: string;
  readonly giver_id: string;
  readonly receiver_id: string;
  readonly qr_code_id: string;
  readonly service_category: string;
  readonly amount_cents: number;
  readonly giver_fee_cents: number;
  readonly net_amount_cents: number;
  readonly status: string;
  readonly created_at_ms: number;
}

const findCode = database.prepare<[string], CodeRow>(
  `SELECT qr_codes.id, user_id, category, username, full_name
   FROM qr_codes JOIN accounts ON accounts.id = user_id WHERE qr_codes.id = ?`,
);
const findSession = database.prepare<[Buffer, number], { user_id: string; expires_at_ms: number }>(
  'SELECT user_id, expires_at_ms FROM sessions WHERE token_hash = ? AND expires_at_ms > ?',
);
const extendSession = database.prepare('UPDATE sessions SET expires_at_ms = ? WHERE token_hash = ?');
const findByKey = database.prepare<[string, string], TransactionRow>(
  `SELECT *, 'completed' AS status FROM transactions WHERE giver_id = ? AND idempotency_key = ? AND idempotency_key IS NOT NULL`,
);
const insertTransaction = database.prepare(
  `INSERT INTO transactions (id, giver_id, receiver_id, qr_code_id, service_category, amount_cents, giver_fee_cents,
     receiver_fee_cents, net_amount_cents, giver_fee_rate, receiver_fee_rate, idempotency_key, created_at_ms,
     giver_position, receiver_position)
   VALUES (@id, @giver_id, @receiver_id, @qr_code_id, @service_category, @amount_cents, @giver_fee_cents,
     @receiver_fee_cents, @net_amount_cents, ${GIVER_FEE_RATE}, ${RECEIVER_FEE_RATE}, @key, @created_at_ms,
     @giver_position, @receiver_position)`,
);
interface Moved {
  readonly position: number;
  readonly balance: number;
}
const addToGiven = database.prepare<[number, string], Moved>(
  `UPDATE accounts SET total_tips_given_cents = total_tips_given_cents + ?, last_position = last_position + 1
   WHERE id = ? RETURNING last_position AS position, total_tips_given_cents AS balance`,
);
const addToReceived = database.prepare<[number, string], Moved>(
  `UPDATE accounts SET total_tips_received_cents = total_tips_received_cents + ?, last_position = last_position + 1
   WHERE id = ? RETURNING last_position AS position, total_tips_received_cents AS balance`,
);
const insertEntry = database.prepare(
  `INSERT INTO entries (account_id, position, kind, transaction_sequence, cents, balance_after_cents, created_at_ms)
   VALUES (?, ?, ?, ?, ?, ?, ?)`,
);
const addToBucket = database.prepare(
  `INSERT INTO tip_buckets (account_id, start_ms, service_category, count, cents) VALUES (?, ?, ?, 1, ?)
   ON CONFLICT DO UPDATE SET count = count + excluded.count, cents = cents + excluded.cents`,
);

/** A refusal, answered as problem details. */
class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

interface TipBody {
  readonly receiver_qr_id: string;
  readonly amount: number;
  readonly service_category: string;
}

const recordTip = database.transaction(
  (
    giverId: string,
    key: string | null,
    tip: TipBody,
    amountCents: ReturnType<typeof centsFromDollars> & number,
  ): TransactionRow => {
    const codeId = readQrCodeId(tip.receiver_qr_id);
    const earlier = key === null ? undefined : findByKey.get(giverId, key);
    if (earlier) {
      const isSame =
        earlier.qr_code_id === codeId &&
        earlier.amount_cents === amountCents &&
        earlier.service_category === tip.service_category;
      if (isSame) return earlier;
      throw new Problem(
        422,
        'idempotency_key_reused',
        'This idempotency key was already used for another tip.',
      );
    }
    const code = codeId && findCode.get(codeId);
    if (!code) throw new Problem(404, 'qr_code_not_found', 'QR code not found');
    if (code.user_id === giverId) throw new Problem(422, 'own_qr_code', 'You cannot tip your own QR code.');
    if (code.category !== tip.service_category)
      throw new Problem(422, 'category_mismatch', 'This QR code is for another service.');
    const { giverFeeCents, receiverFeeCents, netAmountCents } = feesFor(amountCents);
    const row = {
      id: newTransactionId(randomBytes),
      giver_id: giverId,
      receiver_id: code.user_id,
      qr_code_id: code.id,
      service_category: code.category,
      amount_cents: amountCents,
      giver_fee_cents: giverFeeCents,
      receiver_fee_cents: receiverFeeCents,
      net_amount_cents: netAmountCents,
      status: 'completed',
      created_at_ms: Date.now(),
    };
    const given = addToGiven.get(amountCents, giverId);
    const received = addToReceived.get(netAmountCents, code.user_id);
    if (!given || !received) throw new Error('an account has gone');
    const { lastInsertRowid: sequence } = insertTransaction.run({
      ...row,
      key,
      giver_position: given.position,
      receiver_position: received.position,
    });
    const at = row.created_at_ms;
    insertEntry.run(giverId, given.position, 'given', sequence, amountCents, given.balance, at);
    insertEntry.run(
      code.user_id,
      received.position,
      'received',
      sequence,
      netAmountCents,
      received.balance,
      at,
    );
    addToBucket.run(code.user_id, at - (at % 900_000), code.category, netAmountCents);
    return row;
  },
);

function giverOf(authorization: string | undefined): string {
  const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
  if (token === undefined) throw new Problem(401, 'login_to_tip', 'Please login to send tips');
  const tokenHash = createHash('sha256').update(token).digest();
  const now = Date.now();
  const session = findSession.get(tokenHash, now);
  if (!session) throw new Problem(401, 'session_ended', 'Your session has ended. Please login again.');
  if (now + SESSION_MS - session.expires_at_ms >= DAY_MS) extendSession.run(now + SESSION_MS, tokenHash);
  return session.user_id;
}

const app = fastify({ logger: true, bodyLimit: 64 * 1024, genReqId: () => randomUUID() });

app.addHook('onRequest', async (request, reply) => {
  reply.headers(HEADERS).header('X-Request-Id', request.id);
});

app.setErrorHandler((error, request, reply) => {
  const isProblem = error instanceof Problem;
  const status = isProblem ? error.status : 422;
  const code = isProblem ? error.code : 'invalid_input';
  return reply
    .status(status)
    .type('application/problem+json')
    .send(
      JSON.stringify({
        type: `${PUBLIC_URL}/api/docs#${code}`,
        status,
        detail: error instanceof Error ? error.message : '',
        instance: `urn:uuid:${request.id}`,
        code,
      }),
    );
});

const text = { type: 'string' } as const;
const number = { type: 'number' } as const;

app.get<{ Params: { id: string } }>(
  '/api/qr-codes/:id',
  {
    schema: {
      response: {
        200: {
          type: 'object',
          properties: {
            qr_code: {
              type: 'object',
              properties: { id: text, service_category: text, user_id: text },
            },
            service_provider: {
              type: 'object',
              properties: { username: text, full_name: text, service_category: text },
            },
          },
        },
      },
    },
  },
  async (request) => {
    const id = readQrCodeId(request.params.id);
    const code = id && findCode.get(id);
    if (!code) throw new Problem(404, 'qr_code_not_found', 'QR code not found');
    return {
      qr_code: { id: code.id, service_category: code.category, user_id: code.user_id },
      service_provider: {
        username: code.username,
        full_name: code.full_name,
        service_category: code.category,
      },
    };
  },
);

app.post<{ Body: TipBody; Headers: { 'idempotency-key'?: string } }>(
  '/api/transactions',
  {
    schema: {
      headers: {
        type: 'object',
        properties: { 'idempotency-key': { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' } },
      },
      body: {
        type: 'object',
        required: ['receiver_qr_id', 'amount', 'service_category'],
        properties: {
          receiver_qr_id: text,
          amount: number,
          service_category: { type: 'string', enum: [...SERVICE_CATEGORIES] },
        },
      },
      response: {
        201: {
          type: 'object',
          properties: {
            id: text,
            giver_id: text,
            receiver_id: text,
            amount: number,
            giver_fee: number,
            net_amount: number,
            service_category: text,
            status: text,
            created_at: text,
          },
        },
      },
    },
  },
  async (request, reply) => {
    const giverId = giverOf(request.headers.authorization);
    const amountCents = centsFromDollars(request.body.amount);
    if (amountCents === null || amountCents < MIN_TIP_CENTS || amountCents > MAX_TIP_CENTS)
      throw new Problem(422, 'invalid_input', 'Tip amount must be between $10 and $10,000');
    const row = recordTip.immediate(
      giverId,
      request.headers['idempotency-key'] ?? null,
      request.body,
      amountCents,
    );
    return reply.status(201).send({
      id: row.id,
      giver_id: row.giver_id,
      receiver_id: row.receiver_id,
      amount: row.amount_cents / 100,
      giver_fee: row.giver_fee_cents / 100,
      net_amount: row.net_amount_cents / 100,
      service_category: row.service_category,
      status: row.status,
      created_at: new Date(row.created_at_ms).toISOString(),
    });
  },
);

process.on('SIGTERM', () => {
  void app.close().then(() => {
    database.close();
    process.exit(0);
  });
});
await app.listen({ host: '127.0.0.1', port: Number(port) });
process.stderr.write('ready\n');
