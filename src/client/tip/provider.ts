/**
 * Whom this page tips: known from the server that rendered it, looked up, or built here for a demo code.
 */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import { readDemoCode } from '#shared/demo-codes.ts';
import { isDemoCode } from '#shared/ids.ts';
import type { Lookup } from '#shared/rendered-page.ts';
import { isPossibleUsername } from '#shared/usernames.ts';
import { call } from '../calls.ts';
import { useRenderedLookup } from '../rendered.ts';

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

export type KnownState = Exclude<ProviderState, { status: 'loading' }>;

/** Finds the provider of a code; `retry` asks again after a failure. */
export function useProvider(
  qrId: string,
  search: string,
): { readonly state: ProviderState; readonly retry: () => void } {
  const rendered = useRenderedLookup(qrId);
  const [lookup, setLookup] = useState(rendered);
  const [attempt, setAttempt] = useState(0);
  const state = useMemo<ProviderState>(
    () => demoState(qrId, search) ?? (lookup === null ? { status: 'loading' } : providerState(lookup)),
    [qrId, search, lookup],
  );

  const isKnown = demoState(qrId, search) !== null || (rendered !== null && attempt === 0);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt asks the same question again
  useEffect(() => {
    if (isKnown) return;
    const abort = new AbortController();
    setLookup(null);
    void lookUp(qrId, abort.signal).then((answer) => {
      if (!abort.signal.aborted) setLookup(answer);
    });
    return () => abort.abort();
  }, [qrId, isKnown, attempt]);

  return { state, retry: useCallback(() => setAttempt((count) => count + 1), []) };
}

async function lookUp(qrId: string, signal: AbortSignal): Promise<Lookup> {
  const outcome = await call((api) => api.qrCodes.lookup.query({ id: qrId }, { signal }));
  if (outcome.failure === null) return { status: 'found', found: outcome.answer };
  const { status, detail } = outcome.failure;
  return status === 404 ? { status: 'unknown' } : { status: 'failed', detail };
}

/** What a look-up shows. */
export function providerState(lookup: Lookup): KnownState {
  if (lookup.status !== 'found') return lookup;
  const { qrCode, serviceProvider } = lookup.found;
  return { status: 'found', provider: { qrId: qrCode.id, ...serviceProvider, isDemo: false } };
}

/** What a demo address shows; null when it is no demo and has to be looked up. */
export function demoState(qrId: string, search: string): KnownState | null {
  const asked = demoIn(search);
  if (asked) {
    const { userId, service } = asked;
    return isServiceCategory(service) && isPossibleUsername(userId.trim())
      ? found(qrId, userId.trim(), service)
      : { status: 'unknown' };
  }
  if (!isDemoCode(qrId)) return null;
  const demo = readDemoCode(qrId);
  return demo ? found(qrId, demo.userId, demo.category) : { status: 'unknown' };
}

/** What makes a demo of an address, as its query; nothing else that may stand there. */
export function demoQuery(search: string): string {
  const asked = demoIn(search);
  return asked ? `?${new URLSearchParams(asked)}` : '';
}

function demoIn(search: string): { userId: string; service: string } | null {
  const query = new URLSearchParams(search);
  const userId = query.get('userId');
  const service = query.get('service');
  return userId === null || service === null ? null : { userId, service };
}

function found(qrId: string, username: string, serviceCategory: ServiceCategory): KnownState {
  const fullName = username.charAt(0).toUpperCase() + username.slice(1);
  return { status: 'found', provider: { qrId, fullName, username, serviceCategory, isDemo: true } };
}
