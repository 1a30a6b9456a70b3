/**
 * Tells the listeners of this process what it has committed itself, and what other processes have: those say it by NOTIFY, which
 * arrives once their commit can be read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';
import { CHANNEL } from '../statements/tips.ts';
import { createListeners, hear, type Listeners } from '../steps/listeners.ts';

/** How long to wait before listening again once the connection was lost, and how long at most, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How often the line is tried, in milliseconds: one that is cut without a word carries no notification, and no error either. */
const TRIAL_INTERVAL_MS = 5_000;

export interface Notifications {
  readonly listeners: Listeners;
  close(): Promise<void>;
}

/**
 * @param connect makes a connection for listening alone.
 * @param isOwn whether a process of the server's works for this process, which needs no notification of its own commits.
 */
export function createNotifications(
  connect: () => Promise<Client>,
  isOwn: (processId: number) => boolean,
): Notifications {
  const listeners = createListeners();
  const closing = new AbortController();
  let listening: Promise<void> | null = null;

  function listen({ processId, payload = '' }: Notification): void {
    if (!isOwn(processId)) hear(payload, listeners);
  }

  /** Listens until the connection is lost or the storage is closed. */
  async function listenOnce(onBegun: () => void): Promise<void> {
    const client = await connect();
    try {
      client.on('notification', listen);
      const lost = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
        closing.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await client.query(`LISTEN ${CHANNEL}`);
      onBegun();
      // What was committed while nobody listened was not heard.
      listeners.tellEntries('any');
      listeners.tellCodes('any');
      await Promise.race([lost, keepTrying(client)]);
    } finally {
      client.off('notification', listen);
      // One that is cut off without a word would be waited for.
      void client.end().catch(() => {});
    }
  }

  /** Asks the server something now and then, until it does not answer. */
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
        // A server that is away is tried again, for as long as it takes.
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
      await listening;
    },
  };
}
