/**
 * What costs most for its size: native memory, turns of the threads, and pages and reads that take
 * milliseconds of the event loop. Where others wait for the same thing, somebody else asks for it meanwhile,
 * and how long they waited is told.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { type Attack, type Attacker, anyOf, attackAddress, batchOf, trickle } from './attack-tools.ts';
import { type Sending, send } from './visitor.ts';

/** An address outside of the attack. */
const NEIGHBOUR = '127.0.8.1';
const NEIGHBOUR_INTERVAL_MS = 200;
const FLAT_OUT = 500;
const SLOW_BODIES = 3_000;
const UNREAD_ANSWERS = 600;
const PHOTO_WIDTH = 2_048;

const ZONES = Intl.supportedValuesOf('timeZone');
const TEN_YEARS = { from: '2016-12-01', to: '2026-11-30', timeZone: 'Europe/Vienna' };

const prepared: { photo: Uint8Array; codes: readonly { readonly token: string; readonly id: string }[] } = {
  photo: new Uint8Array(),
  codes: [],
};

export const DEAR_ATTACKS: Readonly<Record<string, Attack>> = {
  'time-zones': {
    what: 'batches of ten summaries, each in another time zone and spelling',
    run: (attacker) =>
      attacker.flood({ atOnce: 4, perSecond: 200 }, (index) =>
        attacker.ask(
          batchOf(
            Array.from({ length: 10 }, (_, place) => ({
              name: 'transactions.summary',
              input: { timeZone: spelledAnew(anyOf(ZONES, 10 * index + place), index) },
            })),
          ),
          { token: anyOf(attacker.scene.tokens, index) },
        ),
      ),
  },
  insights: {
    what: 'batches of ten insights of ten years',
    run: (attacker) =>
      withNeighbour(attacker, 'insights of a year', insightsOf(attacker, '2026-01-01'), () =>
        attacker.flood({ atOnce: 4, perSecond: 200 }, (index) =>
          attacker.ask(
            batchOf(
              Array.from({ length: 10 }, () => ({
                name: 'transactions.insights',
                input: { ...TEN_YEARS, granularity: 'month' },
              })),
            ),
            { token: index % 2 === 0 ? attacker.scene.long.token : anyOf(attacker.scene.tokens, index) },
          ),
        ),
      ),
  },
  'code-lists': {
    what: 'lists of codes, current and old, after thirty replacements',
    async prepare(attacker) {
      const token = anyOf(attacker.scene.tokens, 0);
      for (let time = 0; time < 30; time += 1) {
        const [code] = await codesOf(attacker, token);
        await attacker.ask(`/api/qr-codes/${code}/replacement`, { method: 'POST', token });
      }
    },
    run: (attacker) =>
      attacker.flood({ atOnce: 4, perSecond: FLAT_OUT }, () =>
        attacker.ask(
          batchOf([
            ...Array.from({ length: 5 }, () => ({ name: 'qrCodes.list' })),
            ...Array.from({ length: 5 }, () => ({ name: 'qrCodes.ended', input: { limit: 100 } })),
          ]),
          { token: anyOf(attacker.scene.tokens, 0) },
        ),
      ),
  },
  photos: {
    what: `photos of ${PHOTO_WIDTH} x ${PHOTO_WIDTH} pixels by four accounts, 48 at once`,
    async prepare(attacker) {
      prepared.photo = await sharp({
        create: { width: PHOTO_WIDTH, height: PHOTO_WIDTH, channels: 3, background: '#3a7f5c' },
      })
        .png()
        .toBuffer();
      prepared.codes = await codesOfEach(attacker, 5);
    },
    async run(attacker) {
      const { photo, codes } = prepared;
      const { id: own, token } = anyOf(codes, 4);
      const sending = { path: `/api/qr-codes/${own}/photo`, token, method: 'PUT', body: photo };
      await withNeighbour(attacker, 'a photo', sending, () =>
        attacker.flood({ atOnce: 48, perSecond: FLAT_OUT }, (index) => {
          const { token, id } = anyOf(codes.slice(0, 4), index);
          return attacker.ask(`/api/qr-codes/${id}/photo`, { method: 'PUT', token, body: photo });
        }),
      );
    },
  },
  prints: {
    what: 'posters by eight accounts from one address, 48 at once',
    async prepare(attacker) {
      prepared.codes = await codesOfEach(attacker, 9);
    },
    async run(attacker) {
      const { codes } = prepared;
      const neighbours = anyOf(codes, 8);
      const print = { path: `/api/qr-codes/${neighbours.id}/print/badge.pdf`, token: neighbours.token };
      await withNeighbour(attacker, 'a print', print, () =>
        attacker.flood({ atOnce: 48, perSecond: FLAT_OUT }, (index) => {
          const { token, id } = anyOf(codes.slice(0, 8), index);
          return attacker.ask(`/api/qr-codes/${id}/print/poster.pdf`, { token });
        }),
      );
    },
  },
  'random-demos': {
    what: 'tip pages of demos that nobody has asked for, by userId and amount',
    run: (attacker) =>
      attacker.flood({ atOnce: 32, perSecond: FLAT_OUT }, (index) =>
        attacker.ask(`/tip/w${index}?userId=somebody${index}&service=dj&amount=${10 + (index % 90)}`),
      ),
  },
  'random-next': {
    what: '/auth with a next that nobody has asked for',
    run: (attacker) =>
      attacker.flood({ atOnce: 32, perSecond: FLAT_OUT }, (index) =>
        attacker.ask(`/auth?next=/tip/${String(index).padStart(10, '0')}`),
      ),
  },
  'unknown-look-ups': {
    what: 'look-ups of codes that nobody has',
    run: (attacker) =>
      attacker.flood({ atOnce: 32, perSecond: 2 * FLAT_OUT }, (index) =>
        attacker.ask(`/api/qr-codes/${String(index).padStart(10, '0')}`),
      ),
  },
  'unknown-photos': {
    what: 'photos that no page shows',
    run: (attacker) =>
      attacker.flood({ atOnce: 32, perSecond: 2 * FLAT_OUT }, (index) =>
        attacker.ask(`/photos/${String(index).padStart(26, '0')}.jpg`),
      ),
  },
  'unfinished-bodies': {
    what: 'chunked bodies that are refused before they end, on connections that stay',
    run: (attacker) =>
      attacker.flood({ atOnce: 32, perSecond: 200 }, async (index) => {
        const host = `Host: 127.0.0.1:${attacker.scene.port}`;
        const kind = 'Content-Type: application/json\r\nTransfer-Encoding: chunked';
        const { socket } = attacker.hold(
          `POST /api/nowhere HTTP/1.1\r\n${host}\r\n${kind}\r\n\r\n5\r\nhello\r\n`,
          attackAddress(index),
        );
        attacker.count('sent');
        await sleep(1_000);
        socket.destroy();
      }),
  },
  'slow-bodies': {
    what: `${SLOW_BODIES} sockets that send a body a few bytes at a time`,
    async run(attacker) {
      const host = `Host: 127.0.0.1:${attacker.scene.port}\r\n`;
      const type = 'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n';
      const body = `POST /api/auth/login HTTP/1.1\r\n${host}${type}{"email":"${'a'.repeat(50_000)}`;
      await Promise.all(
        Array.from({ length: SLOW_BODIES }, async (_, index) => {
          await sleep(index / 3);
          const { socket } = attacker.hold(body.slice(0, 200), attackAddress(index));
          attacker.count('sending');
          await trickle(socket, body.slice(200), 20, 500);
        }),
      );
    },
  },
  'unread-openapi': {
    what: `${UNREAD_ANSWERS} pipelined requests for /api/openapi.json that nobody reads, on ten sockets`,
    async run(attacker) {
      const one = `GET /api/openapi.json HTTP/1.1\r\nHost: 127.0.0.1:${attacker.scene.port}\r\n\r\n`;
      for (let index = 0; index < 10; index += 1) {
        attacker.hold(one.repeat(UNREAD_ANSWERS / 10), attackAddress(index)).socket.pause();
        attacker.count('asked', UNREAD_ANSWERS / 10);
      }
    },
  },
};

/** A name in a new spelling; names are case-insensitive. */
function spelledAnew(name: string, index: number): string {
  return [...name]
    .map((letter, place) => ((index >> (place % 16)) & 1 ? letter.toUpperCase() : letter.toLowerCase()))
    .join('');
}

interface Neighbour extends Omit<Sending, 'from'> {
  readonly path: string;
}

function insightsOf({ scene }: Attacker, from: string): Neighbour {
  const asked = new URLSearchParams({
    from,
    to: '2026-11-30',
    granularity: 'month',
    time_zone: 'Europe/Vienna',
  });
  return { path: `/api/transactions/insights?${asked}`, token: anyOf(scene.tokens, 9) };
}

/** Somebody elsewhere repeats a request during an attack. Refusals are counted and are no waits. */
async function withNeighbour(
  attacker: Attacker,
  what: string,
  { path, ...sending }: Neighbour,
  run: () => Promise<void>,
): Promise<void> {
  const asking = async () => {
    await sleep(500);
    while (!attacker.isOver()) {
      const sentAt = performance.now();
      const answer = await send(attacker.scene.port, path, { ...sending, from: NEIGHBOUR }).catch(() => null);
      if (attacker.isOver()) return;
      if (answer?.status === 200) attacker.noteWait(what, performance.now() - sentAt);
      else attacker.count(`${what} of somebody else refused with ${answer?.status}`);
      await sleep(NEIGHBOUR_INTERVAL_MS);
    }
  };
  await Promise.all([asking(), run()]);
}

async function codesOf({ scene: { port } }: Attacker, token: string): Promise<string[]> {
  const { text } = await send(port, '/api/qr-codes', { from: attackAddress(0), token });
  const codes: { readonly id: string }[] = JSON.parse(text);
  return codes.map(({ id }) => id);
}

function codesOfEach(attacker: Attacker, count: number) {
  return Promise.all(
    attacker.scene.tokens.slice(0, count).map(async (token) => {
      const [id = ''] = await codesOf(attacker, token);
      return { token, id };
    }),
  );
}
