/**
 * Tells the listeners of this process what it has committed itself, and what other processes have: those say it by NOTIFY, which
 * arrives once their commit can be read.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client, Notification } from 'pg';
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { StorageListener } from '../storage.ts';

export const CHANNEL = 'tipwell';

/** PostgreSQL takes payloads of less than 8,000 bytes (https://www.postgresql.org/docs/current/sql-notify.html). */
const MAX_PAYLOAD_LENGTH = 7_999;
const ENTRIES = 'e:';
const CODES = 'c:';
const THANKS = 't:';
const ANY = 'any';

/** How long to wait before listening again once the connection was lost, and how long at most, in milliseconds. */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 2_000;
/** How often the line is tried, in milliseconds: one that is cut without a word carries no notification, and no error either. */
const TRIAL_INTERVAL_MS = 5_000;

/** What a commit tells other processes: there are new entries for these accounts. */
export function entriesPayload(accounts: readonly UserId[]): string {
  const payload = `${ENTRIES}${accounts.join()}`;
  return payload.length <= MAX_PAYLOAD_LENGTH ? payload : `${ENTRIES}${ANY}`;
}

/** What a commit tells other processes: this giver was thanked for this tip. */
export function thanksPayload(giver: UserId, id: TransactionId): string {
  return `${THANKS}${giver},${id}`;
}

export interface Notifications {
  subscribe(listener: Partial<StorageListener>): () => void;
  tellEntries(accounts: readonly UserId[] | 'any'): void;
  tellCodes(owners: readonly UserId[] | 'any'): void;
  tellThanks(giver: UserId, id: TransactionId): void;
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
  const listeners = new Set<Partial<StorageListener>>();
  const closing = new AbortController();
  let listening: Promise<void> | null = null;

  function tellEntries(accounts: readonly UserId[] | 'any'): void {
    for (const listener of listeners) listener.onEntries?.(accounts);
  }

  function tellCodes(owners: readonly UserId[] | 'any'): void {
    for (const listener of listeners) listener.onCodes?.(owners);
  }

  function tellThanks(giver: UserId, id: TransactionId): void {
    for (const listener of listeners) listener.onThanks?.(giver, id);
  }

  function hear({ processId, payload = '' }: Notification): void {
    if (isOwn(processId)) return;
    if (payload.startsWith(ENTRIES)) tellEntries(idsIn(payload.slice(ENTRIES.length)));
    else if (payload.startsWith(CODES)) tellCodes(idsIn(payload.slice(CODES.length)));
    else if (payload.startsWith(THANKS)) {
      const [giver, id] = payload.slice(THANKS.length).split(',');
      // Ids of an account and of a tip are what the commits of this product send.
      if (giver !== undefined && id !== undefined) tellThanks(giver as UserId, id as TransactionId);
    }
  }

  /** Listens until the connection is lost or the storage is closed. */
  async function listenOnce(onBegun: () => void): Promise<void> {
    const client = await connect();
    try {
      client.on('notification', hear);
      const lost = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
        closing.signal.addEventListener('abort', () => resolve(), { once: true });
      });
      await client.query(`LISTEN ${CHANNEL}`);
      onBegun();
      // What was committed while nobody listened was not heard.
      tellEntries('any');
      tellCodes('any');
      await Promise.race([lost, keepTrying(client)]);
    } finally {
      client.off('notification', hear);
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
    subscribe(listener) {
      listeners.add(listener);
      listening ??= keepListening();
      return () => {
        listeners.delete(listener);
      };
    },

    tellEntries,
    tellCodes,
    tellThanks,

    async close() {
      listeners.clear();
      closing.abort();
      await listening;
    },
  };
}

function idsIn(list: string): readonly UserId[] | 'any' {
  // Ids of accounts are what the commits of this product send.
  return list === ANY ? 'any' : (list.split(',') as UserId[]);
}
