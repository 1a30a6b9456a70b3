/** What an engine hands in, for the storage port to be made of the steps. */
import type { UserId } from '#shared/ids.ts';
import type { Statements } from '../statements/all.ts';
import type { Listeners } from './listeners.ts';
import type { Step } from './step.ts';

export interface Engine {
  /** Whether other processes may use the same data at the same time. */
  readonly isShared: boolean;
  readonly listeners: Listeners;
  /** Runs a step that only reads. */
  read<Result>(step: (statements: Statements) => Step<Result>): Promise<Result>;
  /** Runs a step of one statement that writes, and changes nothing when it is repeated. */
  change<Result>(step: (statements: Statements) => Step<Result>): Promise<Result>;
  /**
   * Runs a step atomically and durably. When its commit was lost on the way, so that nobody knows whether it happened, it is run again.
   * @param step is told whether it may have been committed before.
   * @throws StorageUnavailable
   */
  transact<Result>(step: (statements: Statements, isRepeated: boolean) => Step<Result>): Promise<Result>;
  /** Whether a step that failed so may have been committed all the same. */
  mayHaveHappened(error: unknown): boolean;
}

/** What a step came to, and the accounts for which there are entries that others may not have seen. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly accounts: readonly UserId[];
}

/** Tells the listeners which accounts have new entries by a step that is committed, or any that may be. */
export async function tellingEntries<Outcome>(
  { listeners, mayHaveHappened }: Pick<Engine, 'listeners' | 'mayHaveHappened'>,
  step: Promise<Committed<Outcome>>,
): Promise<Outcome> {
  try {
    const { outcome, accounts } = await step;
    if (accounts.length > 0) listeners.tellEntries(accounts);
    return outcome;
  } catch (error) {
    if (mayHaveHappened(error)) listeners.tellEntries('any');
    throw error;
  }
}

/** @param isRepeated whether the step may have been committed before. */
type Run<Args extends unknown[], Result> = (
  statements: Statements,
  isRepeated: boolean,
  ...args: Args
) => Step<Result>;

/** The step of a method of the port: it is run with the arguments of the method, and comes to what that answers. */
export type StepOf<Method extends (...args: never[]) => Promise<unknown>> = Run<
  Parameters<Method>,
  Awaited<ReturnType<Method>>
>;

/** The method of the port that runs a step which only reads. */
export const reading =
  ({ read }: Engine) =>
  <Args extends unknown[], Result>(step: Run<Args, Result>) =>
  (...args: Args): Promise<Result> =>
    read((statements) => step(statements, false, ...args));

/** The method of the port that runs a step as a transaction. */
export const transacting =
  ({ transact }: Engine) =>
  <Args extends unknown[], Result>(step: Run<Args, Result>) =>
  (...args: Args): Promise<Result> =>
    transact((statements, isRepeated) => step(statements, isRepeated, ...args));

/** The same for a step that changes what a look-up answers for the codes of an account: the listeners are told that it has, or may have. */
export const changingCodes =
  (engine: Engine) =>
  <Args extends unknown[], Result>(step: Run<[UserId, ...Args], Result>) =>
  async (owner: UserId, ...args: Args): Promise<Result> => {
    try {
      return await transacting(engine)(step)(owner, ...args);
    } finally {
      engine.listeners.tellCodes([owner]);
    }
  };
