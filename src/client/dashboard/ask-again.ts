/** Looks whether another tab or device has changed the account. Without an answer everything stays as it was. */
import { call } from '../calls.ts';
import { become, presentSession } from '../session/session.ts';

export async function askAgain(): Promise<void> {
  const asked = presentSession();
  if (asked.status !== 'signed-in') return;
  const outcome = await call((api) => api.auth.me.query());
  // A change that was made here meanwhile, or another session, may be newer than the answer.
  if (outcome.failure !== null || asked !== presentSession()) return;
  if (JSON.stringify(outcome.answer) !== JSON.stringify(asked.user))
    become({ ...asked, user: outcome.answer });
}
