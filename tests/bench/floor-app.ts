/**
 * What the floors of both engines share, written by hand in Fastify as its documentation shows: rules,
 * headers and answers of the two busiest requests, nothing cached, Fastify's own logging.
 */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import fastify from 'fastify';
import { SERVICE_CATEGORIES } from '#shared/categories.ts';
import { centsFromDecimal } from '#shared/decimals.ts';
import { newTransactionId, readQrCodeId } from '#shared/ids.ts';
import { feesFor, SPECIFIED_TERMS } from '#shared/money.ts';

const SESSION_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;

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

export interface CodeRow {
  readonly id: string;
  readonly user_id: string;
  readonly category: string;
  readonly username: string;
  readonly full_name: string;
  readonly status: string;
  readonly display_name: string | null;
  readonly greeting: string | null;
  /** 1 or 0 from SQLite. */
  readonly takes_words: boolean | number;
  readonly photo_name: string | null;
}
export interface TransactionRow {
  readonly id: string;
  readonly giver_id: string;
  readonly receiver_id: string;
  readonly qr_code_id: string;
  readonly service_category: string;
  readonly amount_cents: number;
  readonly giver_fee_cents: number;
  readonly receiver_fee_cents: number;
  readonly net_amount_cents: number;
  readonly status: string;
  readonly created_at_ms: number;
}

export interface SessionRow {
  readonly user_id: string;
  readonly expires_at_ms: number;
}

type Soon<Value> = Value | Promise<Value>;

export interface FloorLedger {
  findCode(id: string): Soon<CodeRow | undefined>;
  findSession(tokenHash: Buffer, nowMs: number): Soon<SessionRow | undefined>;
  extendSession(tokenHash: Buffer, expiresAtMs: number): Soon<unknown>;
  /** Records a tip in a transaction of its own. @throws Problem when a rule forbids it. */
  recordTip(tip: WantedTip): Soon<TransactionRow>;
  close(): Soon<void>;
}

class Problem extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export interface TipBody {
  readonly receiver_qr_id: string;
  readonly amount: number;
  readonly service_category: string;
}

export interface WantedTip {
  readonly giverId: string;
  readonly key: string | null;
  readonly codeId: string | null;
  readonly category: string;
  readonly amountCents: ReturnType<typeof centsFromDecimal> & number;
}

/** @throws Problem when the key was used for another tip. */
export function repeatTip(tip: WantedTip, earlier: TransactionRow): TransactionRow {
  const isSame =
    earlier.qr_code_id === tip.codeId &&
    earlier.amount_cents === tip.amountCents &&
    earlier.service_category === tip.category;
  if (isSame) return earlier;
  throw new Problem(422, 'idempotency_key_reused', 'This idempotency key was already used for another tip.');
}

/** @throws Problem when a rule forbids the tip. */
export function draftTip(tip: WantedTip, code: CodeRow | null | undefined): TransactionRow {
  if (!code) throw new Problem(404, 'qr_code_not_found', 'QR code not found');
  if (code.user_id === tip.giverId) throw new Problem(422, 'own_qr_code', 'You cannot tip your own QR code.');
  if (code.category !== tip.category)
    throw new Problem(422, 'category_mismatch', 'This QR code is for another service.');
  const { giverFeeCents, receiverFeeCents, netAmountCents } = feesFor(tip.amountCents);
  return {
    id: newTransactionId(randomBytes),
    giver_id: tip.giverId,
    receiver_id: code.user_id,
    qr_code_id: code.id,
    service_category: code.category,
    amount_cents: tip.amountCents,
    giver_fee_cents: giverFeeCents,
    receiver_fee_cents: receiverFeeCents,
    net_amount_cents: netAmountCents,
    status: 'completed',
    created_at_ms: Date.now(),
  };
}

/** Serves a ledger until a signal ends it. */
export async function serveFloor(port: number, ledger: FloorLedger): Promise<void> {
  const publicUrl = `http://127.0.0.1:${port}`;

  async function giverOf(authorization: string | undefined): Promise<string> {
    const token = /^Bearer +([^\s]+) *$/i.exec(authorization ?? '')?.[1];
    if (token === undefined) throw new Problem(401, 'login_to_tip', 'Please login to send tips');
    const tokenHash = createHash('sha256').update(token).digest();
    const now = Date.now();
    const session = await ledger.findSession(tokenHash, now);
    if (!session) throw new Problem(401, 'session_ended', 'Your session has ended. Please login again.');
    if (now + SESSION_MS - session.expires_at_ms >= DAY_MS)
      await ledger.extendSession(tokenHash, now + SESSION_MS);
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
          type: `${publicUrl}/api/docs#${code}`,
          status,
          detail: error instanceof Error ? error.message : '',
          instance: `urn:uuid:${request.id}`,
          code,
        }),
      );
  });

  const text = { type: 'string' } as const;
  const textOrNull = { type: ['string', 'null'] } as const;
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
                properties: {
                  id: text,
                  service_category: text,
                  user_id: text,
                  status: text,
                  is_payable: { type: 'boolean' },
                  takes_words: { type: 'boolean' },
                },
              },
              service_provider: {
                type: 'object',
                properties: {
                  username: text,
                  full_name: text,
                  service_category: text,
                  greeting: textOrNull,
                  photo_url: textOrNull,
                },
              },
            },
          },
        },
      },
    },
    async (request) => {
      const id = readQrCodeId(request.params.id);
      const code = id && (await ledger.findCode(id));
      if (!code) throw new Problem(404, 'qr_code_not_found', 'QR code not found');
      return {
        qr_code: {
          id: code.id,
          service_category: code.category,
          user_id: code.user_id,
          status: code.status,
          is_payable: true,
          takes_words: Boolean(code.takes_words),
        },
        service_provider: {
          username: code.username,
          full_name: code.display_name ?? code.full_name,
          service_category: code.category,
          greeting: code.greeting,
          photo_url: code.photo_name && `${publicUrl}/photos/${code.photo_name}`,
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
      const giverId = await giverOf(request.headers.authorization);
      const amountCents = centsFromDecimal(request.body.amount);
      if (
        amountCents === null ||
        amountCents < SPECIFIED_TERMS.minTipCents ||
        amountCents > SPECIFIED_TERMS.maxTipCents
      )
        throw new Problem(422, 'invalid_input', 'Tip amount must be between $10 and $10,000');
      const row = await ledger.recordTip({
        giverId,
        key: request.headers['idempotency-key'] ?? null,
        codeId: readQrCodeId(request.body.receiver_qr_id),
        category: request.body.service_category,
        amountCents,
      });
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
    void app.close().then(async () => {
      await ledger.close();
      process.exit(0);
    });
  });
  await app.listen({ host: '127.0.0.1', port });
  process.stderr.write('ready\n');
}
