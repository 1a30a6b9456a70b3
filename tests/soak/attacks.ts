/**
 * Every known way in which one client might stop others, as a closed table. All stay on loopback, within the
 * limits of bodies and batches, and bounded in time and rate.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openStream } from '#tests/support/event-streams.ts';
import {
  type Attack,
  type Attacker,
  anyOf,
  attackAddress,
  batchOf,
  inTurns,
  LOST_STREAMS,
  pauseIf,
  trickle,
} from './attack-tools.ts';
import { DEAR_ATTACKS } from './dear-attacks.ts';
import { registrationOf, send } from './visitor.ts';
import { logIn, refusalOf } from './witnesses.ts';

/** Bodies have at most 64 KiB. Combining marks out of order cost normalising the most. */
const COMBINING = `a${'\u0301'.repeat(15_700)}${'\u0316'.repeat(15_700)}`;
const MANY_ACCOUNTS = 280;
const STREAMS_OF_AN_ACCOUNT = 20;
const PIPELINING_PATIENCE_MS = 2_000;
const WATCHED = 1_000;
/** Requests per second for cheap work; a faster flood only measures the two processors. */
const FLAT_OUT = 500;
const BUNDLE = '/api/docs/swagger-ui-bundle.js';
const VICTIMS_NEXT_PASSWORD = 'another horse battery';
const ZONES = ['Europe/Vienna', 'America/New_York', 'Asia/Kathmandu', 'Pacific/Chatham'] as const;

export const ATTACKS: Readonly<Record<string, Attack>> = {
  nothing: {
    what: 'nothing at all, to compare with',
    run: async () => {},
  },

  'texts-1': {
    what: 'texts of 63 KB combining marks in registrations and logins, one at a time',
    run: (attacker) => attacker.flood({ atOnce: 1, perSecond: FLAT_OUT }, sendLongTexts(attacker)),
  },
  'texts-8': {
    what: 'texts of 63 KB combining marks in registrations and logins, 8 at once',
    run: (attacker) => attacker.flood({ atOnce: 8, perSecond: FLAT_OUT }, sendLongTexts(attacker)),
  },

  'replay-rest-1': { what: 'a replay of 20,000 tips again and again, REST', run: replay(1, ['REST']) },
  'replay-trpc-1': { what: 'a replay of 20,000 tips again and again, tRPC', run: replay(1, ['tRPC']) },
  'replay-rest-20': { what: '20 such replays at once, REST', run: replay(20, ['REST']) },
  'replay-trpc-20': { what: '20 such replays at once, tRPC', run: replay(20, ['tRPC']) },
  'replay-unread': {
    what: '20 such replays that read nothing, both doors',
    run: replay(20, ['REST', 'tRPC'], false),
  },
  'replay-reopened': {
    what: '20 such replays left after their first piece and opened again, both doors',
    run: replay(20, ['REST', 'tRPC'], 'begun'),
  },

  pipelining: {
    what: `20 pipelined stream requests on one socket, then closed, for ${MANY_ACCOUNTS} accounts`,
    isBounded: true,
    async run(attacker) {
      const { tokens, port } = attacker.scene;
      const accounts = tokens.slice(0, MANY_ACCOUNTS);
      await inTurns(accounts, 8, async (token, index) => {
        const one = `GET /api/transactions/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nAuthorization: Bearer ${token}\r\n\r\n`;
        const { socket, whole } = attacker.hold(one.repeat(STREAMS_OF_AN_ACCOUNT), attackAddress(index));
        // A stream is open once it has answered.
        const answered = new Promise((resolve) => socket.once('data', resolve));
        await Promise.race([answered, sleep(PIPELINING_PATIENCE_MS)]);
        socket.destroy();
        const statuses = [...(await whole).matchAll(/HTTP\/1\.1 (\d{3})/g)];
        attacker.count(statuses[0]?.[1] ?? 'no answer');
      });
    },
    async afterwards({ port, tokens }) {
      await sleep(1_000);
      const [attacked = '', fresh = ''] = [tokens[0], tokens[MANY_ACCOUNTS]];
      return [
        told('a fresh account opens a stream', await refusalOfStreams(port, fresh, 1)),
        told(
          'an account that was attacked with opens 20 streams',
          await refusalOfStreams(port, attacked, STREAMS_OF_AN_ACCOUNT),
        ),
      ];
    },
  },

  'own-logins': {
    what: 'right logins of 6 own accounts in a flood, from one address, where others log in too',
    isFromAVenue: true,
    run: (attacker) => attacker.flood({ atOnce: 60, perSecond: FLAT_OUT }, logInToOwn(attacker, 1)),
  },
  'own-logins-spread': {
    what: 'right logins of 6 own accounts in a flood, from 40 addresses',
    run: (attacker) => attacker.flood({ atOnce: 120, perSecond: FLAT_OUT }, logInToOwn(attacker, 40)),
  },
  registrations: {
    what: 'registrations in a flood from 100 addresses',
    run: (attacker) =>
      attacker.flood({ atOnce: 120, perSecond: FLAT_OUT }, async (index) => {
        const body = registrationOf(`flood-${index}`);
        const from = attackAddress(index % 100);
        const answer = await attacker.ask('/api/auth/register', { body, from });
        await pauseIf(answer?.status !== 201);
      }),
  },

  guesses: {
    what: "100 guesses at a victim's password from 20 addresses",
    isBounded: true,
    async run(attacker) {
      const { email } = attacker.scene.victim;
      const guesses = Array.from({ length: 100 }, (_, index) => `not the password ${index}`);
      await inTurns(guesses, 20, (password, index) =>
        attacker.ask('/api/auth/login', { body: { email, password }, from: attackAddress(index % 20) }),
      );
    },
    async afterwards(_scene, victim) {
      const { device, person } = victim;
      const body = { current_password: person.password, new_password: VICTIMS_NEXT_PASSWORD };
      const changed = () => device.send('/api/auth/password', { body, token: person.token });
      return [
        told('the victim logs in on a known device', await logIn(victim)),
        told('the victim changes the password in a live session', await refusalOf(changed)),
        told(
          'the victim logs in with the new password',
          await logIn({ device, person: { ...person, password: VICTIMS_NEXT_PASSWORD } }),
        ),
      ];
    },
  },
  venue: {
    what: '20 junk registrations and 35 wrong logins from the address of a venue',
    isBounded: true,
    isFromAVenue: true,
    async run(attacker) {
      const junk = Array.from({ length: 20 }, (_, index) => ({
        ...registrationOf(`junk-${index}`),
        ...(index % 2 === 0
          ? { password: 'password123' }
          : { email: attacker.scene.own[0]?.email, password: 'another horse battery' }),
      }));
      await inTurns(junk, 5, (body) => attacker.ask('/api/auth/register', { body }));
      // More than the limit, in which right logins of others take part while they are under way.
      const wrong = Array.from({ length: 35 }, (_, index) => `nobody-${index}@example.com`);
      await inTurns(wrong, 5, (email) =>
        attacker.ask('/api/auth/login', { body: { email, password: 'not the password' } }),
      );
    },
    async afterwards({ port }, bystander) {
      bystander.device.moveTo(attackAddress(0));
      const body = registrationOf('neighbour');
      const registered = () => send(port, '/api/auth/register', { body, from: attackAddress(0) });
      return [
        told('a neighbour registers', await refusalOf(registered)),
        told('somebody logs in on a known device at the venue', await logIn(bystander)),
      ];
    },
  },

  'docs-paced': {
    what: `${BUNDLE}, gzip, 15 a second`,
    run: (attacker) => attacker.flood({ atOnce: 15, perSecond: 15 }, () => fetchBundle(attacker)),
  },
  'docs-flat-out': {
    what: `${BUNDLE}, gzip, up to 200 a second`,
    run: (attacker) => attacker.flood({ atOnce: 16, perSecond: 200 }, () => fetchBundle(attacker)),
  },
  'page-parameters': {
    what: '/auth?x=N and /tip/CODE?x=N',
    run: (attacker) =>
      attacker.flood({ atOnce: 16, perSecond: FLAT_OUT }, (index) => {
        const { id = '' } = attacker.scene.codes[index % attacker.scene.codes.length] ?? {};
        return attacker.ask(index % 2 === 0 ? `/auth?x=${index}` : `/tip/${id}?x=${index}`);
      }),
  },
  'unknown-codes': {
    what: '/tip/ with unknown codes and demo names without end',
    run: (attacker) =>
      attacker.flood({ atOnce: 16, perSecond: FLAT_OUT }, (index) => {
        const unknown = String(index).padStart(10, '0');
        return attacker.ask(index % 2 === 0 ? `/tip/${unknown}` : `/tip/demo-somebody${index}-dj`);
      }),
  },
  openapi: {
    what: '/api/openapi.json, gzip',
    run: (attacker) =>
      attacker.flood({ atOnce: 16, perSecond: FLAT_OUT }, () =>
        attacker.ask('/api/openapi.json', { headers: { 'Accept-Encoding': 'gzip' } }),
      ),
  },

  'end-sessions': {
    what: `DELETE /api/auth/sessions beside ${WATCHED} open streams of others`,
    prepare: openStreamsOfOthers,
    run: (attacker) =>
      attacker.flood({ atOnce: 8, perSecond: FLAT_OUT }, async (index) => {
        const token = anyOf(attacker.scene.own, index).token;
        const answer = await attacker.ask('/api/auth/sessions', { method: 'DELETE', token });
        await pauseIf(answer?.status !== 204);
      }),
  },
  passwords: {
    what: `own passwords changed again and again beside ${WATCHED} open streams of others`,
    prepare: openStreamsOfOthers,
    run: (attacker) => changePasswords(attacker),
  },

  'slow-readers': {
    what: `300 sockets that ask for ${BUNDLE} and read nothing`,
    async run(attacker) {
      for (let index = 0; index < 300; index += 1) {
        const text = `GET ${BUNDLE} HTTP/1.1\r\nHost: 127.0.0.1:${attacker.scene.port}\r\n\r\n`;
        attacker.hold(text, attackAddress(index)).socket.pause();
        await sleep(5);
      }
      attacker.count('asked', 300);
    },
  },
  'slow-senders': {
    what: '300 sockets that send headers and bodies a few bytes at a time',
    async run(attacker) {
      const host = `Host: 127.0.0.1:${attacker.scene.port}\r\n`;
      const type = 'Content-Type: application/json\r\nContent-Length: 60000\r\n\r\n';
      await Promise.all(
        Array.from({ length: 150 }, async (_, index) => {
          const headers = attacker.hold('', attackAddress(index));
          const body = attacker.hold('', attackAddress(index));
          const slowHeaders = `GET / HTTP/1.1\r\n${host}${'X-Slow: 1\r\n'.repeat(1_000)}`;
          const slowBody = `POST /api/auth/login HTTP/1.1\r\n${host}${type}{"email":"${'a'.repeat(50_000)}`;
          attacker.count('sending', 2);
          await Promise.all([
            trickle(headers.socket, slowHeaders, 2, 100),
            trickle(body.socket, slowBody, 20, 100),
          ]);
        }),
      );
    },
  },

  summaries: {
    what: 'batches of ten summaries of 20,000 tips',
    run: (attacker) =>
      attacker.flood({ atOnce: 4, perSecond: 200 }, () =>
        attacker.ask(batchOf(Array.from({ length: 10 }, (_, index) => summaryIn(anyOf(ZONES, index)))), {
          token: attacker.scene.long.token,
        }),
      ),
  },
  'dearest-queries': {
    what: 'batches of ten: four pages of 200, three summaries, two lists of codes, one of sessions',
    run: (attacker) =>
      attacker.flood({ atOnce: 4, perSecond: 200 }, () =>
        attacker.ask(
          batchOf([
            ...Array.from({ length: 4 }, () => ({ name: 'transactions.list', input: { limit: 200 } })),
            ...ZONES.slice(0, 3).map(summaryIn),
            { name: 'qrCodes.list' },
            { name: 'qrCodes.list' },
            { name: 'auth.sessions' },
          ]),
          { token: attacker.scene.long.token },
        ),
      ),
  },
  'whole-lists': {
    what: 'GET /api/transactions of 20,000 without a limit, 20 at once',
    run: (attacker) =>
      attacker.flood({ atOnce: 20, perSecond: FLAT_OUT }, () =>
        attacker.ask('/api/transactions', { token: attacker.scene.long.token }),
      ),
  },

  tips: {
    what: 'tips of one giver in a flood, to the limit and on',
    run: (attacker) =>
      attacker.flood({ atOnce: 8, perSecond: FLAT_OUT }, async (index) => {
        const { codes, own } = attacker.scene;
        const { id, category } = anyOf(codes, index);
        const answer = await attacker.ask('/api/transactions', {
          token: anyOf(own, 0).token,
          body: { amount: 10, receiver_qr_id: id, service_category: category },
          headers: { 'Idempotency-Key': `flood-${index}` },
        });
        await pauseIf(answer?.status !== 201);
      }),
  },

  ...DEAR_ATTACKS,
};

function sendLongTexts(attacker: Attacker): (index: number) => Promise<unknown> {
  const { own } = attacker.scene;
  const { email, password, token } = anyOf(own, 0);
  const sent = [
    { path: '/api/auth/register', body: { ...registrationOf('long'), full_name: COMBINING } },
    { path: '/api/auth/register', body: { ...registrationOf('long'), password: COMBINING } },
    { path: '/api/auth/register', body: { ...registrationOf('long'), email: `${COMBINING}@example.com` } },
    { path: '/api/auth/register', body: { ...registrationOf('long'), username: COMBINING } },
    { path: '/api/auth/login', body: { email, password: COMBINING } },
    { path: '/api/auth/login', body: { email: COMBINING, password } },
    { path: '/trpc/auth.login', body: { email, password: COMBINING } },
    { path: '/api/auth/password', body: { current_password: password, new_password: COMBINING }, token },
    { path: '/api/auth/password', body: { current_password: COMBINING, new_password: password }, token },
  ];
  return (index) => {
    const { path, ...sending } = anyOf(sent, index);
    return attacker.ask(path, sending);
  };
}

/** Streams of the account with the long history, from its oldest tip on, opened again when they are done. */
function replay(
  atOnce: number,
  doors: readonly ('REST' | 'tRPC')[],
  isRead: boolean | 'begun' = true,
): Attack['run'] {
  return async (attacker) => {
    const { token, oldestTip, tips } = attacker.scene.long;
    const following = Array.from({ length: atOnce }, async (_, index) => {
      while (!attacker.isOver()) {
        const startedAt = performance.now();
        await attacker.stream({
          door: anyOf(doors, index),
          token,
          from: attackAddress(0),
          lastEventId: oldestTip,
          isRead,
          ...(isRead === true && { leaveAfter: tips - 1 }),
        });
        await pauseIf(performance.now() - startedAt < 5);
      }
    });
    await Promise.all(following);
  };
}

/** Streams of one session are looked up together, so each has an account of its own. */
async function openStreamsOfOthers(attacker: Attacker): Promise<void> {
  const others = attacker.scene.tokens.slice(0, WATCHED);
  let opened = 0;
  await inTurns(others, 50, (token, index) =>
    Promise.race([
      new Promise<void>((resolve) => {
        const onOpen = (status: number) => {
          if (status === 200) opened += 1;
          resolve();
        };
        void attacker
          .stream({ door: 'REST', token, from: attackAddress(index), isRead: true, onOpen })
          .then(() => {
            if (!attacker.isOver()) attacker.count(LOST_STREAMS);
          });
      }),
      sleep(5_000),
    ]),
  );
  if (opened < others.length) throw new Error(`only ${opened} of ${others.length} streams were granted`);
}

function logInToOwn(attacker: Attacker, addresses: number): (index: number) => Promise<void> {
  return async (index) => {
    const { email, password } = anyOf(attacker.scene.own, index);
    const from = attackAddress(index % addresses);
    const answer = await attacker.ask('/api/auth/login', { body: { email, password }, from });
    await pauseIf(answer?.status !== 200);
  };
}

async function changePasswords(attacker: Attacker): Promise<void> {
  const changing = attacker.scene.own.map(async ({ email, password: first, token: firstToken }) => {
    let [password, token] = [first, firstToken];
    const keepTokenOf = (text: string) => {
      const answered: unknown = text === '' ? null : JSON.parse(text);
      if (typeof answered === 'object' && answered !== null && 'access_token' in answered)
        token = String(answered.access_token);
    };
    while (!attacker.isOver()) {
      const next = password === first ? `${first} again` : first;
      const body = { current_password: password, new_password: next };
      const answer = await attacker.ask('/api/auth/password', { body, token });
      if (answer !== null && answer.status < 300) {
        password = next;
        keepTokenOf(answer.text);
        continue;
      }
      await pauseIf(true);
      if (answer?.status !== 401) continue;
      const login = await attacker.ask('/api/auth/login', { body: { email, password } });
      if (login?.status === 200) keepTokenOf(login.text);
    }
  });
  await Promise.all(changing);
}

function fetchBundle(attacker: Attacker) {
  return attacker.ask(BUNDLE, { headers: { 'Accept-Encoding': 'gzip' } });
}

function summaryIn(timeZone: string) {
  return { name: 'transactions.summary', input: { timeZone } };
}

/** @returns how many of `count` streams at once were granted, and what came then; null when all were. */
async function refusalOfStreams(port: number, token: string, count: number): Promise<string | null> {
  const open = (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init);
  const streams = await Promise.all(Array.from({ length: count }, () => openStream(open, 'REST', { token })));
  const refused = streams.filter(({ response }) => response.status !== 200);
  const [first] = refused;
  const said = first ? `${first.response.status} ${(await first.next())?.data.slice(0, 200)}` : '';
  await Promise.all(streams.map((stream) => stream.close()));
  return first ? `${count - refused.length} of ${count} were granted, then ${said}` : null;
}

function told(what: string, refusal: string | null): string | null {
  return refusal === null ? null : `${what}: ${refusal}`;
}
