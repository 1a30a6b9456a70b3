/** Asks for the password again where the server demands a confirmed session. The question is fetched on demand. */
import { failureOf } from '../../api-client/api.ts';
import { PASSWORD_TYPED } from '../../session/session.ts';

/** The open question; later callers wait for the same answer. */
let question: Promise<boolean> | null = null;

/**
 * It never settles when another tab logs out meanwhile: the screen that has asked is gone.
 * @returns true when the password was typed. @throws the refusal that says that the session has ended.
 */
export function askForPassword(): Promise<boolean> {
  question ??= loadAndAsk().finally(() => {
    question = null;
  });
  return question;
}

async function loadAndAsk(): Promise<boolean> {
  const loaded = await import('./password-question.tsx').catch(() => null);
  const answer = await loaded?.ask();
  if (answer === 'logged-out') {
    // Whoever logs in next is asked anew.
    question = null;
    return new Promise(() => {});
  }
  const isTyped = answer === 'typed';
  if (isTyped) window.dispatchEvent(new Event(PASSWORD_TYPED));
  return isTyped;
}

/** Repeats a call once the password was typed. @throws the first error without it, or that the session has ended. */
export async function withPassword<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (failureOf(error).code !== 'password_needed' || !(await askForPassword())) throw error;
    return call();
  }
}
