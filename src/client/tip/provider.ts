/**
 * Whom this page tips: looked up on the server, or built here for a demo code.
 */
import { useCallback, useEffect, useState } from 'react';
import type { ServiceCategory } from '#shared/categories.ts';
import { isServiceCategory } from '#shared/categories.ts';
import { readDemoCode } from '#shared/scanned-text.ts';
import { api, failureOf } from '../api.ts';

export interface Provider {
  readonly qrId: string;
  readonly fullName: string;
  readonly username: string;
  readonly serviceCategory: ServiceCategory;
  /** Nothing is looked up and nothing is recorded. */
  readonly isDemo: boolean;
}

export type ProviderState =
  | { readonly status: 'loading' }
  | { readonly status: 'found'; readonly provider: Provider }
  | { readonly status: 'unknown' }
  /** The server did not answer, or could not; `detail` is what it said. */
  | { readonly status: 'failed'; readonly detail: string | null };

/** As much of a made-up name as a card has room for. */
const MAX_DEMO_NAME_LENGTH = 60;

/** Finds the provider of a code; `retry` asks again after a failure. */
export function useProvider(
  qrId: string,
  search: string,
): { readonly state: ProviderState; readonly retry: () => void } {
  const [state, setState] = useState<ProviderState>(() => demoState(qrId, search) ?? { status: 'loading' });
  const [attempt, setAttempt] = useState(0);

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks the same question again
  useEffect(() => {
    const demo = demoState(qrId, search);
    if (demo) {
      setState(demo);
      return;
    }
    const abort = new AbortController();
    setState({ status: 'loading' });
    api.qrCodes.lookup.query({ id: qrId }, { signal: abort.signal }).then(
      ({ qrCode, serviceProvider }) =>
        setState({ status: 'found', provider: { qrId: qrCode.id, ...serviceProvider, isDemo: false } }),
      (error: unknown) => {
        if (abort.signal.aborted) return;
        const { status, detail } = failureOf(error);
        setState(status === 404 ? { status: 'unknown' } : { status: 'failed', detail });
      },
    );
    return () => abort.abort();
  }, [qrId, search, attempt]);

  return { state, retry: useCallback(() => setAttempt((count) => count + 1), []) };
}

/** What a demo address shows; null when it is no demo and has to be looked up. */
function demoState(qrId: string, search: string): ProviderState | null {
  const query = new URLSearchParams(search);
  const userId = query.get('userId');
  const service = query.get('service');
  if (userId !== null && service !== null) {
    return isServiceCategory(service) && userId.trim() !== ''
      ? found(qrId, userId.trim(), service)
      : { status: 'unknown' };
  }
  if (!/^demo-/i.test(qrId)) return null;
  const demo = readDemoCode(qrId);
  return demo ? found(qrId, demo.userId, demo.category) : { status: 'unknown' };
}

function found(qrId: string, userId: string, serviceCategory: ServiceCategory): ProviderState {
  const username = [...userId].slice(0, MAX_DEMO_NAME_LENGTH).join('');
  const fullName = username.charAt(0).toUpperCase() + username.slice(1);
  return { status: 'found', provider: { qrId, fullName, username, serviceCategory, isDemo: true } };
}
