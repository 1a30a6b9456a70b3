/**
 * Asks for the password again where an act needs one that was typed a short while ago. Whatever asks is fetched with the part of the
 * dashboard that needs it, and the question when it is first asked.
 */
import { failureOf } from '../api.ts';

/** The question that is open: whoever else needs the password meanwhile waits for the same answer. */
let question: Promise<boolean> | null = null;

/** @returns whether the password was typed, so that the act can go on. It never rejects. */
export function askForPassword(): Promise<boolean> {
  question ??= import('./password-question.tsx')
    .then(({ ask }) => ask())
    .catch(() => false)
    .finally(() => {
      question = null;
    });
  return question;
}

/** Goes on with a call once the password was typed that it needs; it fails as it did when nobody types it. */
export async function withPassword<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (failureOf(error).code !== 'password_needed' || !(await askForPassword())) throw error;
    return call();
  }
}
