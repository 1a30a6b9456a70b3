/**
 * Two servers on one PostgreSQL database, with people who tip and people who watch on both of them while
 * servers and databases die. A tip is sent with one key until it is acknowledged, to one server and then to
 * the other; whoever watches goes on after the last event that was seen. Some tips are refunded by both of
 * their people at once, one at each server. What must hold in the end is asserted here.
 */
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Door } from './both-doors.ts';
import { runHere } from './commands.ts';
import { openStream, StreamRefused } from './event-streams.ts';
import { ask, until } from './postgres-cluster.ts';
import { letInBeside, type PreparedPerson } from './prepared-ledger.ts';
import { call } from './rest-client.ts';
import { type RunningServer, startServer } from './running-server.ts';

const TIPPED = 2;
const CUSTOMERS = 3;
/** Every so many tips one is sent to both servers in the same moment. */
const SENT_TWICE = 5;
const REFUNDED_EVERY = 4;
const PAUSE_MS = 20;

export type Place = 0 | 1;

interface Tip {
  readonly key: string;
  readonly giver: number;
  readonly code: number;
  readonly amount: number;
  readonly sentAtMs: number;
}

interface Recorded {
  readonly id: string;
  readonly giver_id: string;
  readonly amount: number;
  readonly created_at: string;
}

/** What stays the same of a tip when it is refunded. */
function lasting(tip: Recorded): object {
  const { status, refunded_at, refunded_by, undo_until, ...rest } = Object(tip);
  return rest;
}

/** What came back of a tip: its answer, or why there is none. */
type Fate = 'acknowledged' | 'refused' | 'cut_off' | 'not_sent';

interface Watcher {
  readonly person: PreparedPerson;
  readonly seen: string[];
  readonly seenAtMs: Map<string, number>;
  startsAfter: string | null;
  connections: number;
}

export interface Figures {
  tips: number;
  /** Tips that both of their people had refunded at once. */
  refunds: number;
  /** Tips whose connection was lost before the answer. */
  cutOff: number;
  /** Answers that said that nothing can be saved at the moment. */
  refused: number;
  /** Tips, of those sent to one server at a time, that had been recorded before they were sent again. */
  recordedUnanswered: number;
  connectionsOfStreams: number;
}

/** For how long nothing came, in milliseconds, from an event on. */
export interface Absence {
  readonly tipsMs: number;
  readonly streamsMs: number;
}

/** The longest times that people met, in milliseconds. */
export interface Pauses {
  /** For which nobody's tip was acknowledged. */
  readonly withoutTipMs: number;
  /** From the first sending of a tip to its acknowledgement. */
  readonly givingMs: number;
  /** From the acknowledgement of a tip to its event on the last of the streams that tell of it. */
  readonly unseenMs: number;
}

interface Entry {
  readonly account: string;
  readonly position: number;
  /** The id of the event that tells of it. */
  readonly event: string;
}

export type SeveralProcesses = Awaited<ReturnType<typeof startSeveralProcesses>>;

/**
 * Starts both servers at once on an empty database, and lets five people in, two of whom are tipped.
 * @param urls of the database, for each of the servers.
 * @param options.clients how many give one tip after the other, half of them on each server.
 * @param options.paceMs how long each of them waits before the next tip.
 * @param options.pauseMs how long whoever was refused or lost a connection waits before trying again.
 */
export async function startSeveralProcesses(
  urls: string | readonly [string, string],
  {
    clients: clientCount = 12,
    paceMs = 0,
    pauseMs = PAUSE_MS,
  }: { readonly clients?: number; readonly paceMs?: number; readonly pauseMs?: number } = {},
) {
  const [databaseUrl, otherUrl] = typeof urls === 'string' ? [urls, urls] : urls;
  const environments = [{ DATABASE_URL: databaseUrl }, { DATABASE_URL: otherUrl }] as const;
  const servers: [RunningServer, RunningServer] = await Promise.all([
    startServer(environments[0]),
    startServer(environments[1]),
  ]);
  const usernames = ['pat', 'kim', ...Array.from({ length: CUSTOMERS }, (_, index) => `giver-${index}`)];
  const people = await letInBeside(databaseUrl, usernames);
  const codes = people.slice(0, TIPPED).map(({ code }) => code);

  const sent: Tip[] = [];
  const acknowledged = new Map<
    string,
    { readonly answer: Recorded; readonly atMs: number; readonly givingMs: number }
  >();
  /** Who of the two people had a tip refunded, by its id. */
  const refunds = new Map<string, 'giver' | 'receiver'>();
  const violations: unknown[] = [];
  const watchers: Watcher[] = [];
  const closing = new AbortController();
  const watching: Promise<void>[] = [];
  const figures = { cutOff: 0, refused: 0, recordedUnanswered: 0 };
  /** When each of the servers acknowledged a tip last. */
  const lastAtMs: [number, number] = [0, 0];

  function makeTip(): Tip {
    const index = sent.length;
    const giver = index % people.length;
    // Nobody tips oneself; the two who are tipped tip each other.
    const code = giver < codes.length ? 1 - giver : index % codes.length;
    const tip = {
      key: `key-${index}`,
      giver,
      code,
      amount: (1_000 + (index % 9_000)) / 100,
      sentAtMs: Date.now(),
    };
    sent.push(tip);
    return tip;
  }

  async function send(place: Place, { key, giver, code, amount, sentAtMs }: Tip): Promise<Fate> {
    try {
      const { status, body } = await call<Recorded & { error?: { code: string } }>(
        servers[place],
        '/transactions',
        {
          token: people[giver]?.token,
          body: { amount, receiver_qr_id: codes[code], service_category: 'bartender' },
          key,
        },
      );
      if (status === 503) {
        figures.refused += 1;
        return 'refused';
      }
      assert.equal(status, 201, JSON.stringify(body));
      const earlier = acknowledged.get(key);
      if (earlier)
        assert.deepEqual(
          lasting(body),
          lasting(earlier.answer),
          'a key that was sent again got another answer',
        );
      lastAtMs[place] = Date.now();
      acknowledged.set(
        key,
        earlier ?? { answer: body, atMs: lastAtMs[place], givingMs: lastAtMs[place] - sentAtMs },
      );
      return 'acknowledged';
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      const { cause } = error;
      return cause instanceof Error && 'code' in cause && cause.code === 'ECONNREFUSED'
        ? 'not_sent'
        : 'cut_off';
    }
  }

  /** Asks for a refund at one server and then at the other, under one key, until it is answered. */
  async function askForRefund(id: string, token: string | undefined, place: Place) {
    for (let at = place; ; at = at === 0 ? 1 : 0) {
      try {
        const path = `/transactions/${id}/refund`;
        const answer = await call<{ code?: string }>(servers[at], path, {
          token,
          body: {},
          key: `refund-${id}`,
        });
        if (answer.status !== 503) return answer;
      } catch (error) {
        if (!(error instanceof TypeError)) throw error;
      }
      await sleep(pauseMs);
    }
  }

  /**
   * Has both people of a tip ask for its refund at once, at different servers: one of them gets it, and gets
   * it again.
   */
  async function refundFromBothSides({ key, giver, code }: Tip, place: Place): Promise<void> {
    const id = acknowledged.get(key)?.answer.id;
    assert.ok(id);
    const other = place === 0 ? 1 : 0;
    const ask = async (party: 'giver' | 'receiver', at: Place) => {
      const token = people[party === 'giver' ? giver : code]?.token;
      return { party, ...(await askForRefund(id, token, at)) };
    };
    const answers = await Promise.all([ask('giver', place), ask('receiver', other)]);
    const [winner, ...others] = answers.filter(({ status }) => status === 200);
    assert.ok(winner && others.length === 0, `not one refund: ${JSON.stringify(answers)}`);
    for (const { status, body } of answers)
      if (status !== 200) assert.deepEqual([status, body.code], [409, 'not_refundable']);
    refunds.set(id, winner.party);
    assert.deepEqual((await ask(winner.party, other)).body, winner.body, 'a refund was answered in two ways');
  }

  async function give(tip: Tip, place: Place): Promise<void> {
    const other = place === 0 ? 1 : 0;
    const isSentTwice = sent.length % SENT_TWICE === 0;
    const twin = isSentTwice ? send(other, tip).catch((error) => violations.push(error)) : null;
    let isFateUnknown = false;
    for (let at = place; violations.length === 0; at = at === 0 ? 1 : 0) {
      const atMs = Date.now();
      const fate = await send(at, tip);
      if (fate === 'acknowledged') {
        const { answer } = acknowledged.get(tip.key) ?? {};
        const wasRecorded = answer !== undefined && Date.parse(answer.created_at) < atMs;
        if (isFateUnknown && !isSentTwice && wasRecorded) figures.recordedUnanswered += 1;
        break;
      }
      if (fate === 'cut_off') figures.cutOff += 1;
      if (fate !== 'not_sent') isFateUnknown = true;
      await sleep(pauseMs);
    }
    await twin;
    if (violations.length === 0 && Number(tip.key.slice('key-'.length)) % REFUNDED_EVERY === 0)
      await refundFromBothSides(tip, place);
  }

  /**
   * Has clients give tips on both servers. @returns a function that ends this once each of their tips is
   * acknowledged.
   * @param breathMs how long each of them waits before the next tip.
   */
  function startTipping(breathMs = paceMs): () => Promise<void> {
    let isEnding = false;
    const clients = Array.from({ length: clientCount }, async (_, index) => {
      try {
        while (!isEnding && violations.length === 0) {
          await give(makeTip(), index % 2 === 0 ? 0 : 1);
          if (breathMs > 0) await sleep(breathMs);
        }
      } catch (error) {
        violations.push(error);
      }
    });
    return async () => {
      isEnding = true;
      await Promise.all(clients);
      assert.deepEqual(violations, []);
    };
  }

  async function readOn(watcher: Watcher, place: Place, door: Door): Promise<void> {
    const { person, seen } = watcher;
    const lastEventId = seen.at(-1) ?? watcher.startsAfter ?? undefined;
    const { signal } = closing;
    const stream = await openStream(
      (path, init) =>
        fetch(`${servers[place].url}${path}`, {
          ...init,
          signal: init.signal ? AbortSignal.any([init.signal, signal]) : signal,
        }),
      door,
      { token: person.token, lastEventId },
    );
    if (stream.response.status === 503) return;
    assert.equal(stream.response.status, 200);
    const { eventId, reset } = await stream.start();
    const isGoneOn = reset === null && (lastEventId === undefined || eventId === lastEventId);
    assert.ok(isGoneOn, 'a stream did not go on where it had ended');
    watcher.connections += 1;
    watcher.startsAfter ??= eventId;
    for (let tip = await stream.nextTip(); tip !== null; tip = await stream.nextTip()) {
      const event = tip.eventId ?? tip.id;
      seen.push(event);
      watcher.seenAtMs.set(event, Date.now());
    }
  }

  /**
   * Watches the tips of one of the people at one server, and after a loss at the other, in turns. Resolves
   * when it has begun.
   * @param place of the server that it begins with.
   */
  async function watch(who: number, place: Place, door: Door = 'REST'): Promise<void> {
    const person = people[who];
    assert.ok(person);
    const watcher: Watcher = { person, seen: [], seenAtMs: new Map(), startsAfter: null, connections: 0 };
    watchers.push(watcher);
    const run = async () => {
      for (let at = place; !closing.signal.aborted; at = at === 0 ? 1 : 0) {
        try {
          await readOn(watcher, at, door);
        } catch (error) {
          if (closing.signal.aborted) return;
          // Losing a connection, or hearing that there is no database at the moment, is what this is about.
          const isUnavailable =
            error instanceof StreamRefused && error.message.includes('storage_unavailable');
          if (!(error instanceof TypeError) && !isUnavailable) violations.push(error);
        }
        await sleep(pauseMs);
      }
    };
    watching.push(run());
    await until(
      () => watcher.startsAfter !== null || violations.length > 0,
      () => 'a stream begins',
    );
  }

  const readLedger = (url: string) =>
    ask<Entry>(
      url,
      `SELECT account_id AS account, position,
        CASE WHEN kind LIKE '%reversed' THEN replace(transactions.id, 'txn_', 'rev_') ELSE transactions.id END AS event FROM tipwell.entries
      JOIN tipwell.transactions ON sequence = transaction_sequence ORDER BY account_id, entries.position`,
    );

  async function checkLedger(url: string): Promise<Entry[]> {
    const kept = await ask<{ id: string; giver: string; amount: number }>(
      url,
      `SELECT id, giver_id AS giver, amount_cents::integer AS amount FROM tipwell.transactions`,
    );
    assert.equal(kept.length, sent.length, 'the ledger has not every tip once');
    const byId = new Map(kept.map((tip) => [tip.id, tip]));
    const ids = new Set(sent.map(({ key }) => acknowledged.get(key)?.answer.id));
    assert.equal(ids.size, sent.length, 'two keys were answered with one tip');
    for (const { key, giver, amount } of sent) {
      const id = acknowledged.get(key)?.answer.id;
      assert.deepEqual(
        byId.get(id ?? ''),
        {
          id,
          giver: people[giver]?.id,
          amount: Math.round(amount * 100),
        },
        'an acknowledged tip is not in the ledger as it was given',
      );
    }
    const entries = await readLedger(url);
    assert.equal(entries.length, 2 * sent.length + 2 * refunds.size);
    const reversed = await ask<{ id: string; by: string }>(
      url,
      `SELECT transactions.id, reversed_by AS by FROM tipwell.reversals
      JOIN tipwell.transactions ON transactions.sequence = transaction_sequence`,
    );
    assert.equal(reversed.length, refunds.size, 'the ledger has not every refund once');
    assert.deepEqual(new Map(reversed.map(({ id, by }) => [id, by])), refunds);
    const check = await runHere('db-check', { DATABASE_URL: url });
    assert.deepEqual({ code: check.code, stderr: check.stderr }, { code: 0, stderr: '' }, check.stdout);
    return entries;
  }

  return {
    servers,
    watch,
    startTipping,

    /** Waits until so many more tips are acknowledged, on each of the given servers at least one. */
    async tips(count: number, places: readonly Place[] = [0, 1]): Promise<void> {
      const goal = acknowledged.size + count;
      const sinceMs = Date.now();
      await until(
        () =>
          violations.length > 0 ||
          (acknowledged.size >= goal && places.every((place) => lastAtMs[place] > sinceMs)),
        () => `${count} tips are acknowledged by ${places.join(' and ')}`,
      );
      assert.deepEqual(violations, []);
    },

    /** Waits until `/readyz` of both servers answers with a status. */
    async readiness(status: 200 | 503): Promise<void> {
      for (const { url } of servers) {
        await until(
          async () => {
            const answer = await fetch(`${url}/readyz`);
            await answer.body?.cancel();
            if (answer.status !== 200) assert.equal(answer.status, 503);
            return answer.status === status;
          },
          () => `/readyz answers ${status}`,
        );
      }
    },

    /** How many tips were answered by either server that nothing can be saved at the moment. */
    refused: () => figures.refused,

    /** How many tips lost their connection before the answer. */
    cutOff: () => figures.cutOff,

    /** Kills one of the servers. @returns a function that starts another in its place. */
    async kill(place: Place): Promise<() => Promise<void>> {
      assert.equal((await servers[place].stop('SIGKILL')).signal, 'SIGKILL');
      return async () => {
        servers[place] = await startServer(environments[place]);
      };
    },

    /** How long nothing came of what was done after a moment. To be asked once tips and streams go on. */
    absenceSince(atMs: number): Absence {
      const later = [...acknowledged.values()].filter(({ answer }) => Date.parse(answer.created_at) > atMs);
      const firstOf = (times: readonly number[]) => (times.length > 0 ? Math.min(...times) - atMs : 0);
      const streams = watchers.map(({ seenAtMs }) =>
        firstOf(later.flatMap(({ answer }) => seenAtMs.get(answer.id) ?? [])),
      );
      return { tipsMs: firstOf(later.map((tip) => tip.atMs)), streamsMs: Math.max(0, ...streams) };
    },

    /** What people met from a moment on. To be asked after `compare`. */
    pausesSince(atMs: number): Pauses {
      const later = [...acknowledged.values()].filter((tip) => tip.atMs >= atMs);
      const times = [atMs, ...later.map((tip) => tip.atMs)].sort((a, b) => a - b);
      const largest = (values: readonly number[]) => values.reduce((most, one) => Math.max(most, one), 0);
      return {
        withoutTipMs: largest(times.map((time, index) => time - (times[index - 1] ?? time))),
        givingMs: largest(later.map(({ givingMs }) => givingMs)),
        unseenMs: largest(
          later.flatMap((tip) =>
            watchers.map(({ seenAtMs }) => (seenAtMs.get(tip.answer.id) ?? tip.atMs) - tip.atMs),
          ),
        ),
      };
    },

    /**
     * Compares what was acknowledged and what was seen with the ledger, and has all of it checked. No tips
     * flow meanwhile.
     * @param url of the database, past any line.
     * @throws AssertionError when a guarantee does not hold.
     */
    async compare(url: string): Promise<Figures> {
      const entries = await checkLedger(url);
      for (const { id } of people) {
        const own = entries.filter(({ account }) => account === id);
        assert.deepEqual(
          own.map(({ position }) => Number(position)),
          own.map((_, index) => index + 1),
          'the positions of an account have a gap',
        );
        for (const { person, startsAfter, seen } of watchers) {
          if (person.id !== id) continue;
          const ids = own.map(({ event }) => event);
          const due = ids.slice(ids.indexOf(startsAfter ?? '') + 1);
          await until(
            () => seen.length >= due.length,
            () => `a stream tells ${due.length} tips, and not ${seen.length}`,
          );
          assert.deepEqual(seen, due, 'a stream has not told every tip once and in order');
        }
      }
      assert.deepEqual(violations, []);
      return {
        tips: sent.length,
        refunds: refunds.size,
        ...figures,
        connectionsOfStreams: watchers.reduce((sum, { connections }) => sum + connections, 0),
      };
    },

    async close(): Promise<void> {
      closing.abort();
      await Promise.all(watching);
      for (const server of servers) await server.stop('SIGKILL');
    },
  };
}
