/**
 * What attacks are made of: requests at a bounded rate, replays of streams, sockets that are held open, and a
 * count of what came back.
 */
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { sendRaw } from '#tests/support/raw-socket.ts';
import { type Device, hangUp, type Person, type Received, type Sending, send } from './visitor.ts';

/**
 * Between two tries of somebody who is refused: what is refused at once would otherwise only measure the
 * processor.
 */
const PAUSE_AFTER_REFUSAL_MS = 250;
/** A replay that has sent nothing for so long has sent all that it wants to. */
const REPLAY_PATIENCE_MS = 3_000;
/** Counted for each stream of somebody else's that ended during an attack. */
export const LOST_STREAMS = 'streams of others lost';
const EVENT_ID = '\nid: ';

/** What an attacker has; handed to the process of the attack as JSON. */
export interface Scene {
  readonly port: number;
  readonly seconds: number;
  /** A provider with many tips. */
  readonly long: { readonly token: string; readonly tips: number; readonly oldestTip: string };
  readonly codes: readonly { readonly id: string; readonly category: string }[];
  /** Of accounts that are nobody else's in this scene. */
  readonly tokens: readonly string[];
  /** Accounts of the attacker's own, with their passwords. */
  readonly own: readonly Person[];
  readonly victim: { readonly email: string };
}

/** What the process of an attack tells when it is over. */
export const spoilsShape = z.object({
  /** How often each status, or whatever else came, was counted. */
  counts: z.record(z.string(), z.number()),
  /** The longest that each of those waited who are no part of the attack, in milliseconds. */
  waits: z.record(z.string(), z.number()),
  seconds: z.number(),
  /** Processor time of the attacker, in milliseconds. */
  cpuMs: z.number(),
});
export type Spoils = z.infer<typeof spoilsShape>;

export interface Attacker {
  readonly scene: Scene;
  /** Adds to the count of what came back, under a status or a few words. */
  count(what: string, times?: number): void;
  /** Notes how long somebody waited who is no part of the attack; the longest is told. */
  noteWait(whose: string, ms: number): void;
  isOver(): boolean;
  /** Asks for something and counts the status of the answer; null when none came. */
  ask(path: string, sending?: Partial<Sending>): Promise<Received | null>;
  /**
   * Does it again and again in so many places at once, at most so often a second, until the attack is over.
   */
  flood(
    pace: { readonly atOnce: number; readonly perSecond: number },
    act: (index: number) => Promise<unknown>,
  ): Promise<void>;
  /** Sends so many bytes as they are, on a connection of their own that stays open. */
  hold(text: string, from?: string): ReturnType<typeof sendRaw>;
  /** Opens a stream of tips, and waits until it is closed or left. @returns how many events were read. */
  stream(options: StreamOptions): Promise<number>;
  /** The longest that each of those waited who are no part of the attack, in milliseconds. */
  waits(): Readonly<Record<string, number>>;
  /** What was counted since it was asked for the last time. */
  takeTally(): Readonly<Record<string, number>>;
  end(): void;
}

interface StreamOptions {
  readonly door: 'REST' | 'tRPC';
  readonly token: string;
  readonly from: string;
  readonly lastEventId?: string;
  /** Whether what arrives is read; `begun` leaves after the first piece. */
  readonly isRead: boolean | 'begun';
  /** After how many events it is left; stays open without. */
  readonly leaveAfter?: number;
  readonly onOpen?: (status: number) => void;
}

/** The addresses of attackers, from 0 to 249. Nobody else calls from one, unless the row says so. */
export function attackAddress(index: number): string {
  return `127.0.9.${1 + (index % 250)}`;
}

export function createAttacker(scene: Scene): Attacker {
  const counts = new Map<string, number>();
  const waits = new Map<string, number>();
  const held = new Set<{ destroy(): unknown }>();
  let isOver = false;

  function count(what: string, times = 1): void {
    counts.set(what, (counts.get(what) ?? 0) + times);
  }

  function countAnswer({ status, text }: Received): void {
    count(String(status));
    // Under the one status of a batch each call has its own.
    if (status === 207) for (const [, inner] of text.matchAll(/"httpStatus":(\d+)/g)) count(`${inner} in it`);
  }

  async function ask(path: string, sending: Partial<Sending> = {}): Promise<Received | null> {
    try {
      const answer = await send(scene.port, path, { from: attackAddress(0), ...sending });
      countAnswer(answer);
      return answer;
    } catch {
      count(isOver ? 'unanswered in the end' : 'no answer');
      return null;
    }
  }

  return {
    scene,
    count,
    ask,
    noteWait(whose, ms) {
      waits.set(whose, Math.max(waits.get(whose) ?? 0, Math.round(ms)));
    },
    isOver: () => isOver,

    async flood({ atOnce, perSecond }, act) {
      let next = 0;
      const startedAt = performance.now();
      const flooding = Array.from({ length: atOnce }, async () => {
        while (!isOver) {
          const index = next;
          next += 1;
          await sleep(Math.max(0, startedAt + (index * 1_000) / perSecond - performance.now()));
          if (!isOver) await act(index);
        }
      });
      await Promise.all(flooding);
    },

    hold(text, from = attackAddress(0)) {
      const raw = sendRaw(scene.port, text, from);
      held.add(raw.socket);
      raw.socket.on('close', () => held.delete(raw.socket));
      return raw;
    },

    stream: ({ door, token, from, lastEventId, isRead, leaveAfter = Number.POSITIVE_INFINITY, onOpen }) =>
      new Promise((resolve) => {
        const input = encodeURIComponent(JSON.stringify({ lastEventId }));
        const opened = request({
          host: '127.0.0.1',
          port: scene.port,
          agent: false,
          localAddress: from,
          path: door === 'REST' ? '/api/transactions/stream' : `/trpc/transactions.onTip?input=${input}`,
          headers: {
            Accept: 'text/event-stream',
            Authorization: `Bearer ${token}`,
            ...(door === 'REST' && lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
          },
        });
        const isReplay = leaveAfter !== Number.POSITIVE_INFINITY;
        let events = 0;
        let end = '';
        held.add(opened);
        opened.on('error', () => {});
        opened.on('close', () => {
          held.delete(opened);
          if (isReplay && events > 0) count('events', events);
          resolve(events);
        });
        if (isReplay) opened.setTimeout(REPLAY_PATIENCE_MS, () => opened.destroy());
        opened.on('response', (answer) => {
          count(String(answer.statusCode));
          onOpen?.(answer.statusCode ?? 0);
          answer.on('error', () => {});
          if (isRead === false && answer.statusCode === 200) return;
          answer.setEncoding('latin1').on('data', (text: string) => {
            // tRPC refuses a stream in its first event.
            for (const [, status] of text.matchAll(/"httpStatus":(\d+)/g)) count(`${status} in it`);
            const unread = end + text;
            events += unread.split(EVENT_ID).length - 1;
            end = unread.slice(1 - EVENT_ID.length);
            if (isRead === 'begun' || events >= leaveAfter) opened.destroy();
          });
        });
        opened.end();
      }),

    waits: () => Object.fromEntries(waits),

    takeTally() {
      const tally = Object.fromEntries(counts);
      counts.clear();
      return tally;
    },

    end() {
      isOver = true;
      for (const one of held) one.destroy();
      hangUp();
    },
  };
}

/** Somebody of whom an attack is about, with the device on which they have logged in before. */
export interface Bystander {
  readonly person: Person;
  readonly device: Device;
}

export interface Attack {
  /** One line for the table. */
  readonly what: string;
  /** Whether some of those who log in meanwhile do so from the address of the attack, as in one bar. */
  readonly isFromAVenue?: true;
  /**
   * Whether it is done when it has run, however long that takes; otherwise it goes on for the seconds of the
   * scene.
   */
  readonly isBounded?: true;
  /** What stands already before the attack begins. */
  prepare?(attacker: Attacker): Promise<void>;
  run(attacker: Attacker): Promise<void>;
  /** What must work after it, told from outside. @returns what did not. */
  afterwards?(scene: Scene, bystander: Bystander): Promise<readonly (string | null)[]>;
}

/** Waits before the next try if the last one was refused. */
export async function pauseIf(wasRefused: boolean): Promise<void> {
  if (wasRefused) await sleep(PAUSE_AFTER_REFUSAL_MS);
}

/** Writes `text` a piece at a time, slowly, until the socket closes. */
export async function trickle(
  socket: Socket,
  text: string,
  piece: number,
  intervalMs: number,
): Promise<void> {
  for (let at = 0; at < text.length && !socket.destroyed; at += piece) {
    socket.write(text.slice(at, at + piece), 'latin1');
    await sleep(intervalMs);
  }
}

/** Does it for each, so many at once. */
export async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item, index: number) => Promise<unknown>,
): Promise<void> {
  const left = items.entries();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (const [index, item] of left) await act(item, index);
    }),
  );
}

/** The path of one call of tRPC for all of these queries. */
export function batchOf(calls: readonly { readonly name: string; readonly input?: unknown }[]): string {
  const inputs = Object.fromEntries(calls.map(({ input }, index) => [index, input]));
  return `/trpc/${calls.map(({ name }) => name).join()}?batch=1&input=${encodeURIComponent(JSON.stringify(inputs))}`;
}

export function anyOf<Item>(items: readonly Item[], index: number): Item {
  const item = items[index % items.length];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
}
