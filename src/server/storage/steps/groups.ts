/** While one group is under way, the next one gathers. A group shares a commit, a round trip or a snapshot. */
import { StorageUnavailable } from '../port/storage.ts';

/** Bounds the time of a group, which all its members wait for. */
const MAX_GROUP_SIZE = 128;

interface Waiting<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export interface Groups<Item, Outcome> {
  /** @throws StorageUnavailable when this group, or one that it waited for, met it; else the error of the item. */
  add(item: Item): Promise<Outcome>;
  close(): Promise<void>;
}

/** After any error but StorageUnavailable the items are done one by one, so that only the faulty one fails. */
export function createGroups<Item, Outcome>(
  doTogether: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): Groups<Item, Outcome> {
  const queue: Waiting<Item, Outcome>[] = [];
  /** The items of a group that failed together. */
  const alone: Waiting<Item, Outcome>[] = [];
  let draining: Promise<void> | null = null;
  let isClosed = false;

  async function run(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await doTogether(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('a group answered fewer outcomes than it has items'));
        else resolve(outcome);
      }
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        // Waiting items are rejected too, since each further group would add its own time-out to their wait.
        for (const { reject } of [...group, ...alone.splice(0), ...queue.splice(0)]) reject(error);
      } else if (group.length > 1) alone.push(...group);
      else for (const { reject } of group) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (alone.length + queue.length > 0) {
      // Requests parsed in the same turn of the event loop join the group.
      await new Promise(setImmediate);
      await run(alone.length > 0 ? alone.splice(0, 1) : queue.splice(0, MAX_GROUP_SIZE));
    }
    draining = null;
  }

  return {
    add(item) {
      if (isClosed) return Promise.reject(new StorageUnavailable(new Error('the storage is closed')));
      return new Promise((resolve, reject) => {
        queue.push({ item, resolve, reject });
        draining ??= drain();
      });
    },

    async close() {
      isClosed = true;
      await draining;
    },
  };
}
