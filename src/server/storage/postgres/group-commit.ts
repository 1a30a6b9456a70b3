/**
 * Lets those that wait share one commit: while one group is under way, the next gathers. Waiting for the server and its disk is what
 * a write costs, so sharing both is what makes many small ones fast, and one hot account is locked once for all of a group.
 */
import { StorageUnavailable } from '../port/storage.ts';

/** Bounds how long one group may take: its answer keeps all others of it waiting. */
const MAX_GROUP_SIZE = 128;

interface Waiting<Item, Outcome> {
  readonly item: Item;
  resolve(outcome: Outcome): void;
  reject(error: unknown): void;
}

export interface GroupCommit<Item, Outcome> {
  /**
   * @throws StorageUnavailable when the group could not be committed, or one that it waited for; else what the item alone meets, with
   *   nothing changed by it.
   */
  add(item: Item): Promise<Outcome>;
  /** Waits for all that was accepted, and accepts no more. */
  close(): Promise<void>;
}

/**
 * @param commitTogether commits all of a group or nothing, and answers with an outcome for each item, in their order. When it
 *   throws anything but StorageUnavailable, each item is tried alone, so that one that cannot be committed fails alone.
 */
export function createGroupCommit<Item, Outcome>(
  commitTogether: (items: readonly Item[]) => Promise<readonly Outcome[]>,
): GroupCommit<Item, Outcome> {
  const queue: Waiting<Item, Outcome>[] = [];
  /** Those of a group that could not be committed together. */
  const alone: Waiting<Item, Outcome>[] = [];
  let draining: Promise<void> | null = null;
  let isClosed = false;

  async function commit(group: readonly Waiting<Item, Outcome>[]): Promise<void> {
    try {
      const outcomes = await commitTogether(group.map(({ item }) => item));
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index];
        if (outcome === undefined) reject(new Error('a group answered fewer outcomes than it has items'));
        else resolve(outcome);
      }
    } catch (error) {
      if (error instanceof StorageUnavailable) {
        // Those behind have waited for as long as the group; each group more would add its own patience to that.
        for (const { reject } of [...group, ...alone.splice(0), ...queue.splice(0)]) reject(error);
      } else if (group.length > 1) alone.push(...group);
      else for (const { reject } of group) reject(error);
    }
  }

  async function drain(): Promise<void> {
    while (alone.length + queue.length > 0) {
      // Requests that are parsed in the same turn of the event loop join the group.
      await new Promise(setImmediate);
      await commit(alone.length > 0 ? alone.splice(0, 1) : queue.splice(0, MAX_GROUP_SIZE));
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
