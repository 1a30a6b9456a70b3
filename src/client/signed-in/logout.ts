/** Logging out. This device forgets the session in any case; a toast says if the server has not ended it. */
import { useState } from 'react';
import { navigate } from 'wouter/use-browser-location';
import { api, failureOf } from '../api-client/api.ts';
import { removeWorker } from '../api-client/service-worker.ts';
import { paths } from '../paths.ts';
import { endSession } from '../session/session.ts';
import { toastError, toastSuccess } from '../toasts.ts';
import { holdCalls } from './api-hooks.ts';
import { forgetCache } from './signed-in-data.tsx';

const PATIENCE_MS = 2_000;
const UNCONFIRMED =
  'Logged out on this device. The server did not confirm it: when you log in next, look at your sessions in the profile.';

export function useLogout() {
  const [isLoggingOut, setLoggingOut] = useState(false);

  async function logout(): Promise<void> {
    if (isLoggingOut) return;
    setLoggingOut(true);
    if (await leaveBy(tellServer())) toastSuccess('Logged out successfully');
    else toastError(UNCONFIRMED);
  }

  return { logout, isLoggingOut };
}

/**
 * Forgets the session on this device and goes to the landing page, once `call` has ended it on the server.
 * @param call needs a time limit, because all other calls wait for it.
 * @param mayComeBack see `removeWorker`.
 * @returns the answer of `call`; when it fails, the session goes on.
 */
export function leaveBy<Answer>(call: Promise<Answer>, mayComeBack = false): Promise<Answer> {
  const leaving = call.then((answer) => {
    leave(mayComeBack);
    return answer;
  });
  holdCalls(leaving);
  return leaving;
}

function leave(mayComeBack: boolean): void {
  // The address changes first: without a session the guard of this screen would lead to the login.
  navigate(paths.home, { replace: true });
  endSession();
  forgetCache();
  void removeWorker(mayComeBack);
}

/** @returns true when the session has ended on the server. */
async function tellServer(): Promise<boolean> {
  try {
    await api.auth.logout.mutate(undefined, { signal: AbortSignal.timeout(PATIENCE_MS) });
    return true;
  } catch (error) {
    return failureOf(error).code === 'session_ended';
  }
}
