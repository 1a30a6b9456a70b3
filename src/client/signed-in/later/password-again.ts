/**
 * Asks for the password again where an act needs one that was typed a short while ago. Whatever asks is
 * fetched with the part of the dashboard that needs it, and the question when it is first asked.
 */
import { failureOf } from '../../api-client/api.ts';
import { PASSWORD_TYPED } from '../../session/session.ts';

/** The question that is open: whoever else needs the password meanwhile waits for the same answer. */
let question: Promise<boolean> | null = null;

/**
 * @returns whether the password was typed, so that the act can go on. @throws the refusal that says that the
 * session has ended.
 */
export function askForPassword(): Promise<boolean> {
  question ??= loadAndAsk().finally(() => {
    question = null;
  });
  return question;
}

async function loadAndAsk(): Promise<boolean> {
  const loaded = await import('./password-question.tsx').catch(() => null);
  const isTyped = loaded !== null && (await loaded.ask());
  if (isTyped) window.dispatchEvent(new Event(PASSWORD_TYPED));
  return isTyped;
}

/**
 * Goes on with a call once the password was typed that it needs. It fails as it did when nobody types it, or
 * as the session has ended.
 */
export async function withPassword<Answer>(call: () => Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (error) {
    if (failureOf(error).code !== 'password_needed' || !(await askForPassword())) throw error;
    return call();
  }
}
