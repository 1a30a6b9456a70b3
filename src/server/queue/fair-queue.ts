/** Decides who is next. Each waits under a path of keys, and the keys of a level take turns, however much waits. */
import { AppError } from '#shared/errors.ts';

/**
 * Calls its listener when nobody waits for the result any more, also when that was before.
 * @returns a function that stops listening.
 */
export type OnHangUp = (listener: () => void) => () => void;

type Path<Key> = readonly Key[];

export interface FairQueue<Key> {
  count(path: Path<Key>): number;
  /** Counts those who wait under the fullest key below a path. */
  countOfFullest(path: Path<Key>): number;
  /** @throws AppError `busy` after a refusal, a hang-up or `patienceMs` without a turn. */
  wait(path: Path<Key>, options?: { onHangUp?: OnHangUp | undefined; patienceMs?: number }): Promise<void>;
  /**
   * Gives the next turn, at each level to the key whose last turn is longest ago.
   * @param mayGo leaves out keys of the first level.
   * @returns the key of the first level; undefined when nobody had a turn.
   */
  letNextGo(mayGo?: (key: Key) => boolean): Key | undefined;
  /** Refuses who came last under the fullest key of each level below a path. */
  refuseLast(path: Path<Key>): void;
}

interface Waiting<Key> {
  readonly path: Path<Key>;
  go(): void;
  refuse(): void;
}

/** A branch has children or, at the end of a path, those who wait. Only the root may have neither. */
interface Branch<Key> {
  count: number;
  /** In the order of their next turns. */
  readonly children: Map<Key, Branch<Key>>;
  readonly waiting: Set<Waiting<Key>>;
}

export function createFairQueue<Key>(): FairQueue<Key> {
  const root = createBranch<Key>();

  function branchAt(path: Path<Key>): Branch<Key> | undefined {
    let branch: Branch<Key> | undefined = root;
    for (const key of path) branch = branch?.children.get(key);
    return branch;
  }

  function add(waiting: Waiting<Key>): void {
    let branch = root;
    branch.count += 1;
    for (const key of waiting.path) {
      const child = branch.children.get(key) ?? createBranch();
      branch.children.set(key, child);
      branch = child;
      branch.count += 1;
    }
    branch.waiting.add(waiting);
  }

  /** @returns false when it waits no longer. */
  function remove(waiting: Waiting<Key>, hasTurn = false): boolean {
    if (!branchAt(waiting.path)?.waiting.delete(waiting)) return false;
    let branch: Branch<Key> | undefined = root;
    branch.count -= 1;
    for (const key of waiting.path) {
      const child: Branch<Key> | undefined = branch?.children.get(key);
      if (!branch || !child) break;
      child.count -= 1;
      if (hasTurn || child.count === 0) branch.children.delete(key);
      if (hasTurn && child.count > 0) branch.children.set(key, child);
      branch = child;
    }
    return true;
  }

  return {
    count: (path) => branchAt(path)?.count ?? 0,
    countOfFullest: (path) => fullestChild(branchAt(path))?.count ?? 0,
    async wait(path, { onHangUp, patienceMs } = {}) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let stopListening: (() => void) | undefined;
      await new Promise<void>((go, reject) => {
        const waiting = { path, go, refuse: () => reject(new AppError('busy')) };
        const giveUp = () => {
          if (remove(waiting)) waiting.refuse();
        };
        add(waiting);
        if (patienceMs !== undefined) timer = setTimeout(giveUp, patienceMs);
        stopListening = onHangUp?.(giveUp);
      }).finally(() => {
        clearTimeout(timer);
        stopListening?.();
      });
    },
    letNextGo(mayGo = () => true) {
      for (const [key, child] of root.children) {
        if (!mayGo(key)) continue;
        const [first] = leafBelow(child, ({ children }) => children.values().next().value).waiting;
        if (!first) return undefined;
        remove(first, true);
        first.go();
        return key;
      }
      return undefined;
    },
    refuseLast(path) {
      const branch = branchAt(path);
      const last = branch && [...leafBelow(branch, fullestChild).waiting].at(-1);
      if (last && remove(last)) last.refuse();
    },
  };
}

function createBranch<Key>(): Branch<Key> {
  return { count: 0, children: new Map(), waiting: new Set() };
}

function leafBelow<Key>(
  branch: Branch<Key>,
  choose: (branch: Branch<Key>) => Branch<Key> | undefined,
): Branch<Key> {
  const child = choose(branch);
  return child ? leafBelow(child, choose) : branch;
}

function fullestChild<Key>(branch: Branch<Key> | undefined): Branch<Key> | undefined {
  let fullest: Branch<Key> | undefined;
  for (const child of branch?.children.values() ?? []) {
    if (!fullest || child.count > fullest.count) fullest = child;
  }
  return fullest;
}
