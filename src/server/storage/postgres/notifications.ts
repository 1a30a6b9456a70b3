/** Tells listeners of this process's commits, and of other processes' by NOTIFY, which follows a commit. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';
import type { Opening } from '../port/database.ts';
import { CHANNEL } from '../statements/tips.ts';
import { createListeners, hear, type Listeners } from '../steps/listeners.ts';

/** The first and the longest pause before listening again after a lost connection, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** The interval of test queries in milliseconds, because a silently cut connection reports no error. */
const TRIAL_INTERVAL_MS = 5_000;
/** How often listeners look for themselves while this process hears of nothing, in milliseconds. */
const LOOK_INTERVAL_MS = 3_000;

export interface Notifications {
  readonly listeners: Listeners;
  close(): Promise<void>;
}

export function createNotifications(deps: {
  readonly connect: () => Promise<Client>;
  /** Whether a backend serves this process, which tells its own commits itself. */
  readonly isOwn: (processId: number) => boolean;
  readonly canRead: () => Promise<boolean>;
  readonly warn: Opening['warn'];
}): Notifications {
  const { connect, isOwn, canRead, warn } = deps;
  const listeners = createListeners();
  const closing = new AbortController();
  let failure: unknown = null;
  let listening: Promise<void> | null = null;
  let leaveConnection = () => {};

  function listen({ processId, payload = '' }: Notification): void {
    if (!isOwn(processId)) hear(payload, listeners);
  }

  async function listenOnce(onBegun: () => void): Promise<void> {
    const client = await connect();
    try {
      client.on('notification', listen);
      const lost = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
        // Not a listener of the signal, which would keep each connection that was ever lost.
        leaveConnection = resolve;
      });
      await client.query(`LISTEN ${CHANNEL}`);
      onBegun();
      listeners.tellEntries('any');
      listeners.tellCodes('any');
      await Promise.race([lost, keepTrying(client)]);
    } finally {
      client.off('notification', listen);
      // Ending a silently cut connection would wait for its time-out.
      void client.end().catch(() => {});
    }
  }

  async function keepTrying(client: Client): Promise<void> {
    while (!closing.signal.aborted) {
      await sleep(TRIAL_INTERVAL_MS, undefined, { signal: closing.signal, ref: false });
      await client.query('SELECT 1');
    }
  }

  async function lookUntil(heard: AbortSignal): Promise<void> {
    let isWarned = false;
    while (!closing.signal.aborted) {
      await sleep(LOOK_INTERVAL_MS, undefined, { signal: heard, ref: false }).catch(() => {});
      if (heard.aborted || closing.signal.aborted) break;
      if (!isWarned) warn('no connection to PostgreSQL can listen for what other processes record', failure);
      isWarned = true;
      // An event stream that is woken ends when it cannot read.
      if (await canRead()) listeners.tellEntries('any');
    }
    if (isWarned && !closing.signal.aborted) warn('what other processes record is heard of again');
  }

  async function keepListening(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let hearing: AbortController | null = null;
    while (!closing.signal.aborted) {
      if (hearing === null) {
        hearing = new AbortController();
        void lookUntil(hearing.signal);
      }
      try {
        await listenOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
          failure = null;
          hearing?.abort();
          hearing = null;
        });
      } catch (error) {
        // An unreachable server is tried again for as long as it takes.
        failure = error;
      }
      await sleep(pauseMs, undefined, { signal: closing.signal, ref: false }).catch(() => {});
      pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS);
    }
  }

  return {
    listeners: {
      ...listeners,
      subscribe(listener) {
        listening ??= keepListening();
        return listeners.subscribe(listener);
      },
    },

    async close() {
      listeners.clear();
      closing.abort();
      leaveConnection();
      await listening;
    },
  };
}
