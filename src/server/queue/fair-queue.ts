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
  /**
   * @param options.group whom it counts with beside its path. Groups have no turns.
   * @throws AppError `busy` after a refusal, a hang-up or `patienceMs` without a turn.
   */
  wait(path: Path<Key>, options?: WaitOptions<Key>): Promise<void>;
  /**
   * Gives the next turn, at each level to the key whose last turn is longest ago.
   * @param mayGo leaves out keys of the first level.
   * @returns the key of the first level; undefined when nobody had a turn.
   */
  letNextGo(mayGo?: (key: Key) => boolean): Key | undefined;
  /** Refuses who came last under the fullest key of each level below a path. */
  refuseLast(path: Path<Key>): void;
  countOfGroup(group: Key): number;
  countOfFullestGroup(): number;
  /** Refuses who came last in the fullest group. */
  refuseLastOfGroups(): void;
}

interface WaitOptions<Key> {
  readonly group?: Key | undefined;
  readonly onHangUp?: OnHangUp | undefined;
  readonly patienceMs?: number;
}

interface Waiting<Key> {
  readonly path: Path<Key>;
  readonly group: Path<Key> | undefined;
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
  const groups = createBranch<Key>();

  function add(waiting: Waiting<Key>): void {
    addBelow(root, waiting.path, waiting);
    if (waiting.group) addBelow(groups, waiting.group, waiting);
  }

  /** @returns false when it waits no longer. */
  function remove(waiting: Waiting<Key>, hasTurn = false): boolean {
    if (!branchAt(root, waiting.path)?.waiting.delete(waiting)) return false;
    removeBelow(root, waiting.path, hasTurn);
    if (waiting.group) {
      branchAt(groups, waiting.group)?.waiting.delete(waiting);
      removeBelow(groups, waiting.group, false);
    }
    return true;
  }

  function refuseLastBelow(branch: Branch<Key> | undefined): void {
    const last = branch && [...leafBelow(branch, fullestChild).waiting].at(-1);
    if (last && remove(last)) last.refuse();
  }

  return {
    count: (path) => branchAt(root, path)?.count ?? 0,
    countOfFullest: (path) => fullestChild(branchAt(root, path))?.count ?? 0,
    async wait(path, { group, onHangUp, patienceMs } = {}) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      let stopListening: (() => void) | undefined;
      await new Promise<void>((go, reject) => {
        const waiting = { path, group: group && [group], go, refuse: () => reject(new AppError('busy')) };
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
    refuseLast: (path) => refuseLastBelow(branchAt(root, path)),
    countOfGroup: (group) => branchAt(groups, [group])?.count ?? 0,
    countOfFullestGroup: () => fullestChild(groups)?.count ?? 0,
    refuseLastOfGroups: () => refuseLastBelow(groups),
  };
}

function createBranch<Key>(): Branch<Key> {
  return { count: 0, children: new Map(), waiting: new Set() };
}

function branchAt<Key>(root: Branch<Key>, path: Path<Key>): Branch<Key> | undefined {
  let branch: Branch<Key> | undefined = root;
  for (const key of path) branch = branch?.children.get(key);
  return branch;
}

function addBelow<Key>(root: Branch<Key>, path: Path<Key>, waiting: Waiting<Key>): void {
  let branch = root;
  branch.count += 1;
  for (const key of path) {
    const child = branch.children.get(key) ?? createBranch();
    branch.children.set(key, child);
    branch = child;
    branch.count += 1;
  }
  branch.waiting.add(waiting);
}

/** Counts one less on a path and, after a turn, lets each of its keys wait longest for the next. */
function removeBelow<Key>(root: Branch<Key>, path: Path<Key>, hasTurn: boolean): void {
  let branch: Branch<Key> | undefined = root;
  branch.count -= 1;
  for (const key of path) {
    const child: Branch<Key> | undefined = branch?.children.get(key);
    if (!branch || !child) break;
    child.count -= 1;
    if (hasTurn || child.count === 0) branch.children.delete(key);
    if (hasTurn && child.count > 0) branch.children.set(key, child);
    branch = child;
  }
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
