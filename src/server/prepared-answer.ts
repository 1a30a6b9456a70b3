/**
 * Content that is answered as it is: in the encoding that was asked for, and not at all to whoever has it already.
 */
import { createHash } from 'node:crypto';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Context } from 'hono';

const ENCODINGS = ['br', 'gzip'] as const;
export type Encoding = (typeof ENCODINGS)[number];

/** How hard to pack: `quick` takes less than a millisecond for a page, `best` fifty times that for a sixth less. */
type Effort = 'quick' | 'best';
const BROTLI_QUALITIES = { quick: 5, best: constants.BROTLI_MAX_QUALITY } as const;
const GZIP_LEVELS = { quick: 6, best: 9 } as const;

export interface Prepared {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  /** Strong, of the plain content. */
  readonly etag: string;
  /** The content packed; null where that is of no use. */
  readonly packed: (encoding: Encoding) => Buffer | null;
}

/** Prepares content for answering. Without `packed` it is packed when an encoding is first asked for. */
export function prepare(content: {
  readonly type: string;
  readonly cacheControl: string;
  readonly plain: Buffer;
  readonly packed?: (encoding: Encoding) => Buffer | null;
}): Prepared {
  const etag = createHash('sha256').update(content.plain).digest('base64url').slice(0, 27);
  const made = new Map<Encoding, Buffer>();
  const packOnce = (encoding: Encoding) => {
    const packed = made.get(encoding) ?? pack(content.plain, encoding, 'quick');
    made.set(encoding, packed);
    return packed;
  };
  return { etag, packed: packOnce, ...content };
}

/**
 * Answers with `status`, or with 304 (RFC 9110, section 13.1.2). Each encoding has a tag of its own, because a strong one
 * stands for the very bytes (section 8.8.3.3).
 */
export function answer(c: Context, prepared: Prepared, status: 200 | 404 | 503 = 200): Response {
  const { type, cacheControl, plain, packed } = prepared;
  const encoding = ENCODINGS.find((name) => isAccepted(c.req.header('Accept-Encoding') ?? '', name));
  const content = encoding ? packed(encoding) : null;
  // A 304 names the type too: its headers take the place of the stored ones (RFC 9111, section 3.2), and the policy that
  // every answer gets goes by the type.
  const headers: Record<string, string> = {
    'Cache-Control': cacheControl,
    'Content-Type': type,
    Vary: 'Accept-Encoding',
  };
  if (status === 200) {
    headers['ETag'] = `"${prepared.etag}${encoding && content ? `-${encoding}` : ''}"`;
    if (isKnown(c.req.header('If-None-Match'), headers['ETag'])) return c.body(null, 304, headers);
  }
  if (encoding && content) headers['Content-Encoding'] = encoding;
  return c.body(new Uint8Array(content ?? plain), status, headers);
}

export function pack(plain: Buffer, encoding: Encoding, effort: Effort): Buffer {
  if (encoding === 'gzip') return gzipSync(plain, { level: GZIP_LEVELS[effort] });
  return brotliCompressSync(plain, {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITIES[effort],
      [constants.BROTLI_PARAM_SIZE_HINT]: plain.length,
    },
  });
}

/** Whether an Accept-Encoding names the encoding, and not with a weight of 0 (RFC 9110, section 12.5.3). */
function isAccepted(accepted: string, encoding: Encoding): boolean {
  return accepted.split(',').some((item) => {
    const [name, ...parameters] = item.toLowerCase().split(';');
    return (
      name?.trim() === encoding && !parameters.some((parameter) => /^\s*q=0(?:\.0*)?\s*$/.test(parameter))
    );
  });
}

/** Compared weakly, as If-None-Match is. */
function isKnown(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch.split(',').some((item) => ['*', etag].includes(item.trim().replace(/^W\//, '')));
}
