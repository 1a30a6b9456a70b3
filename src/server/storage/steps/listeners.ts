/** The listeners of this process, and the messages between processes for them. */
import type { TransactionId, UserId } from '#shared/ids.ts';
import type { StorageListener } from '../port/listener.ts';

/** The longest payload of PostgreSQL (https://www.postgresql.org/docs/current/sql-notify.html). */
const MAX_PAYLOAD_LENGTH = 7_999;
const ENTRIES = 'e:';
const CODES = 'c:';
const THANKS = 't:';
const ANY = 'any';

export function entriesPayload(accounts: readonly UserId[]): string {
  const payload = `${ENTRIES}${accounts.join()}`;
  return payload.length <= MAX_PAYLOAD_LENGTH ? payload : `${ENTRIES}${ANY}`;
}

export function thanksPayload(giver: UserId, id: TransactionId): string {
  return `${THANKS}${giver},${id}`;
}

export interface Listeners {
  subscribe(listener: Partial<StorageListener>): () => void;
  tellEntries(accounts: readonly UserId[] | 'any'): void;
  tellCodes(owners: readonly UserId[] | 'any'): void;
  tellThanks(giver: UserId, id: TransactionId): void;
  clear(): void;
}

export function createListeners(): Listeners {
  const listeners = new Set<Partial<StorageListener>>();
  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    tellEntries(accounts) {
      for (const { onEntries } of listeners) onEntries?.(accounts);
    },
    tellCodes(owners) {
      for (const { onCodes } of listeners) onCodes?.(owners);
    },
    tellThanks(giver, id) {
      for (const { onThanks } of listeners) onThanks?.(giver, id);
    },
    clear: () => listeners.clear(),
  };
}

/** Tells listeners what another process sent. Triggers send changes of codes (`drizzle/postgres`). */
export function hear(payload: string, { tellEntries, tellCodes, tellThanks }: Listeners): void {
  if (payload.startsWith(ENTRIES)) tellEntries(idsIn(payload.slice(ENTRIES.length)));
  else if (payload.startsWith(CODES)) tellCodes(idsIn(payload.slice(CODES.length)));
  else if (payload.startsWith(THANKS)) {
    const [giver, id] = payload.slice(THANKS.length).split(',');
    // Only this product's commits send payloads, with ids of an account and a tip.
    if (giver !== undefined && id !== undefined) tellThanks(giver as UserId, id as TransactionId);
  }
}

function idsIn(list: string): readonly UserId[] | 'any' {
  // Only this product's commits send payloads, with ids of accounts.
  return list === ANY ? 'any' : (list.split(',') as UserId[]);
}
