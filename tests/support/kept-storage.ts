/**
 * A storage that one test after another uses. Its connections have planned their statements after the first of
 * them, which takes PostgreSQL more than most tests do.
 */
import { type Storage, StorageUnavailable } from '#server/storage/port/storage.ts';

/** What leaves a storage otherwise than a new one. */
const SPENDING: readonly PropertyKey[] = ['close', 'checkGround'];

export interface Loan {
  /** The storage as the test may use it until the loan ends. */
  readonly storage: Storage;
  /** Waits for what the test has begun, and refuses more. @returns whether another test may have the storage. */
  end(): Promise<boolean>;
}

export function lendStorage(kept: Storage): Loan {
  const underWay = new Set<Promise<unknown>>();
  const subscriptions: (() => void)[] = [];
  let isOver = false;
  let isSpent = false;

  const call = (name: PropertyKey, method: (...args: unknown[]) => unknown, args: unknown[]): unknown => {
    if (isOver) return Promise.reject(new StorageUnavailable(new Error('the test is over')));
    isSpent ||= SPENDING.includes(name);
    const answer: unknown = Reflect.apply(method, kept, args);
    if (answer instanceof Promise) {
      const forget = () => void underWay.delete(answer);
      underWay.add(answer);
      answer.then(forget, forget);
    }
    if (name === 'subscribe' && typeof answer === 'function') subscriptions.push(() => answer());
    return answer;
  };
  /** Of the storage, and of its parts. What a test puts in the place of a member is its own, and goes with it. */
  const guarded = <Part extends object>(part: Part): Part =>
    new Proxy(
      { ...part },
      {
        get(target, name) {
          const member: unknown = Reflect.get(target, name);
          if (member !== Reflect.get(part, name)) return member;
          if (typeof member === 'function')
            return (...args: unknown[]) =>
              call(name, (...given) => Reflect.apply(member, target, given), args);
          return typeof member === 'object' && member !== null ? guarded(member) : member;
        },
      },
    );

  return {
    storage: guarded(kept),
    async end() {
      isOver = true;
      for (const end of subscriptions) end();
      while (underWay.size > 0) await Promise.allSettled(underWay);
      return !isSpent;
    },
  };
}
