/** The provider of a tip page. All but demos are looked up: no address can put another name on an existing code. */
import { useCallback, useEffect, useMemo, useState } from 'react';
import { isServiceCategory, type ServiceCategory } from '#shared/categories.ts';
import { DEMO_PREFIX, isDemoCode, isDemoText, MAX_ID_LENGTH } from '#shared/ids.ts';
import type { Lookup } from '#shared/rendered-page.ts';
import { mayStandForPerson } from '#shared/usernames.ts';
import { call } from '../calls.ts';
import { useRenderedLookup } from '../rendered.ts';
import { readToken } from '../session/session.ts';

export interface Provider {
  readonly qrId: string;
  readonly fullName: string;
  readonly username: string;
  readonly serviceCategory: ServiceCategory;
  readonly greeting?: string | null;
  readonly photoUrl?: string | null;
  /** The reason for which the code takes no tips: its owner has paused it, or cannot be paid. */
  readonly closed?: 'paused' | 'unpayable' | null;
  readonly takesWords?: boolean;
  /** True for an invented provider, whose tips are not recorded. */
  readonly isDemo: boolean;
}

export type ProviderState =
  | { readonly kind: 'loading' }
  | { readonly kind: 'found'; readonly provider: Provider }
  | { readonly kind: 'unknown' | 'replaced' | 'retired' }
  | { readonly kind: 'failed'; readonly detail: string | null };

export type KnownState = Exclude<ProviderState, { kind: 'loading' }>;

export function useProvider(
  qrId: string,
  search: string,
): { readonly state: ProviderState; readonly retry: () => void } {
  const rendered = useRenderedLookup(qrId);
  const [lookup, setLookup] = useState(rendered);
  const [attempt, setAttempt] = useState(0);
  const isDemo = isDemoCode(qrId);
  const state = useMemo<ProviderState>(
    () => (isDemo || lookup ? providerState(qrId, search, lookup) : { kind: 'loading' }),
    [qrId, search, isDemo, lookup],
  );

  const isKnown = isDemo || (rendered !== null && attempt === 0);
  const token = readToken();
  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt repeats the look-up
  useEffect(() => {
    // A rendered page is the same for everybody, but its code may be paused for the signed-in person.
    if (isDemo) return;
    if (isKnown && (rendered?.kind !== 'found' || token === null)) return setLookup(rendered);
    let isWanted = true;
    void lookUp(qrId).then((answer) => {
      if (isWanted) setLookup((before) => (before && answer.kind === 'failed' ? before : answer));
    });
    return () => {
      isWanted = false;
    };
  }, [qrId, isKnown, attempt, token]);

  const retry = useCallback(() => {
    setLookup(null);
    setAttempt((count) => count + 1);
  }, []);
  return { state, retry };
}

async function lookUp(qrId: string): Promise<Lookup> {
  const outcome = await call((api) => api.qrCodes.lookup.query({ id: qrId }));
  if (outcome.failure === null) return { kind: 'found', found: outcome.answer };
  const { status, detail, code } = outcome.failure;
  if (status === 410) return { kind: code === 'qr_code_retired' ? 'retired' : 'replaced' };
  return status === 404 ? { kind: 'unknown' } : { kind: 'failed', detail };
}

/** @param lookup is null for a demo code. */
export function providerState(qrId: string, search: string, lookup: Lookup | null): KnownState {
  if (lookup?.kind === 'found') {
    const { qrCode, serviceProvider } = lookup.found;
    const closed = qrCode.status === 'paused' ? 'paused' : qrCode.isPayable ? null : 'unpayable';
    const shown = { ...serviceProvider, takesWords: qrCode.takesWords };
    return { kind: 'found', provider: { qrId: qrCode.id, ...shown, closed, isDemo: false } };
  }
  if (lookup && lookup.kind !== 'unknown') return lookup;
  const asked = isDemoText(qrId) ? demoIn(search) : null;
  const demo = asked ? demoOf(asked.userId, asked.service) : readDemoCode(qrId);
  if (demo === null) return { kind: 'unknown' };
  const { userId: username, category: serviceCategory } = demo;
  const fullName = username.charAt(0).toUpperCase() + username.slice(1);
  return { kind: 'found', provider: { qrId, fullName, username, serviceCategory, isDemo: true } };
}

interface DemoCode {
  readonly userId: string;
  readonly category: ServiceCategory;
}

/** Null unless the user id is like a person's username, so that an address cannot write anything else on a page. */
function demoOf(userId: string, category: string): DemoCode | null {
  return mayStandForPerson(userId) && isServiceCategory(category) ? { userId, category } : null;
}

/** Reads `demo-{userId}-{category}` in any case; null for another code. The user id keeps its case. */
export function readDemoCode(id: string): DemoCode | null {
  if (id.length > MAX_ID_LENGTH || !isDemoCode(id)) return null;
  const rest = id.trim().slice(DEMO_PREFIX.length);
  const lastHyphen = rest.lastIndexOf('-');
  return demoOf(rest.slice(0, Math.max(lastHyphen, 0)).trim(), rest.slice(lastHyphen + 1).toLowerCase());
}

export function demoQuery(search: string): URLSearchParams {
  return new URLSearchParams(demoIn(search) ?? {});
}

function demoIn(search: string): { userId: string; service: string } | null {
  const query = new URLSearchParams(search);
  const userId = query.get('userId')?.trim() ?? null;
  const service = query.get('service');
  return userId === null || service === null ? null : { userId, service };
}
