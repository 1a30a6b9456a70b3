/** Tells listeners of this process's commits, and of other processes' by NOTIFY, which follows a commit. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';
import { CHANNEL } from '../statements/tips.ts';
import { createListeners, hear, type Listeners } from '../steps/listeners.ts';

/** The first and the longest pause before listening again after a lost connection, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** The interval of test queries in milliseconds, because a silently cut connection reports no error. */
const TRIAL_INTERVAL_MS = 5_000;

export interface Notifications {
  readonly listeners: Listeners;
  close(): Promise<void>;
}

/** @param isOwn whether a backend serves this process, which tells its own commits itself. */
export function createNotifications(
  connect: () => Promise<Client>,
  isOwn: (processId: number) => boolean,
): Notifications {
  const listeners = createListeners();
  const closing = new AbortController();
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

  async function keepListening(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    while (!closing.signal.aborted) {
      try {
        await listenOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
        });
      } catch {
        // An unreachable server is tried again for as long as it takes.
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
