/** What an engine provides to run the steps of the port. */
import type { UserId } from '#shared/ids.ts';
import type { Statements } from '../statements/all.ts';
import type { Listeners } from './listeners.ts';
import type { Step } from './step.ts';

export interface Engine {
  readonly isShared: boolean;
  readonly listeners: Listeners;
  read<Result>(step: (statements: Statements) => Step<Result>): Promise<Result>;
  /** Runs a step of one writing statement that changes nothing when repeated. */
  change<Result>(step: (statements: Statements) => Step<Result>): Promise<Result>;
  /**
   * Runs a step atomically and durably, again when it is unknown whether its commit happened: `step` is told so.
   * @throws StorageUnavailable
   */
  transact<Result>(step: (statements: Statements, isRepeated: boolean) => Step<Result>): Promise<Result>;
  /** Whether a step with this error may have been committed. */
  mayHaveHappened(error: unknown): boolean;
}

/** The outcome of a step, and the accounts with new entries. */
export interface Committed<Outcome> {
  readonly outcome: Outcome;
  readonly accounts: readonly UserId[];
}

/** Tells listeners of new entries after a step that is, or may be, committed. */
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

type Run<Args extends unknown[], Result> = (
  statements: Statements,
  isRepeated: boolean,
  ...args: Args
) => Step<Result>;

export type StepOf<Method extends (...args: never[]) => Promise<unknown>> = Run<
  Parameters<Method>,
  Awaited<ReturnType<Method>>
>;

export const reading =
  ({ read }: Engine) =>
  <Args extends unknown[], Result>(step: Run<Args, Result>) =>
  (...args: Args): Promise<Result> =>
    read((statements) => step(statements, false, ...args));

export const transacting =
  ({ transact }: Engine) =>
  <Args extends unknown[], Result>(step: Run<Args, Result>) =>
  (...args: Args): Promise<Result> =>
    transact((statements, isRepeated) => step(statements, isRepeated, ...args));

/** `transacting` for a step that changes look-ups of an account's codes, of which listeners are told. */
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
