/**
 * Logging out. The server is told if it can be reached; this device forgets the session either way.
 */
import { useState } from 'react';
import { useLocation } from 'wouter';
import { api } from '../api.ts';
import { paths } from '../paths.ts';
import { endSession } from '../session.ts';
import { toastSuccess } from '../toasts.ts';
import { forgetCache, quietCache } from './cache.ts';

/** How long the server may take to hear of it. */
const PATIENCE_MS = 2_000;

export function useLogout() {
  const [, navigate] = useLocation();
  const [isLoggingOut, setLoggingOut] = useState(false);

  async function logout(): Promise<void> {
    if (isLoggingOut) return;
    setLoggingOut(true);
    quietCache();
    try {
      await api.auth.logout.mutate(undefined, { signal: AbortSignal.timeout(PATIENCE_MS) });
    } catch {
      // Whoever wants to leave is let go; the token is forgotten here and expires there.
    }
    // In one go: a moment without a session at this address would lead to the login.
    navigate(paths.home, { replace: true });
    endSession();
    forgetCache();
    toastSuccess('Logged out successfully');
  }

  return { logout, isLoggingOut };
}
