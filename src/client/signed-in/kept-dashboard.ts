/**
 * The codes of the signed-in provider on this device, for the dashboard before the server answers and without a
 * connection. They end with the session (api-client/service-worker.ts).
 */
import type { User } from '#shared/accounts.ts';
import { CATEGORY_LABELS } from '#shared/categories.ts';
import type { QrCode } from '#shared/qr-codes.ts';
import { KEPT_KEY } from '../api-client/service-worker.ts';
import { readToken } from '../session/session.ts';
import { keepText } from './kept-text.ts';

/** The data of an account for screens that are shown before the session is verified. */
export type KeptUser = Pick<User, 'id' | 'username' | 'fullName' | 'isServiceProvider' | 'serviceCategories'>;

interface Kept {
  readonly user: KeptUser;
  readonly codes: readonly QrCode[];
}

/** In characters of JSON; eight codes have some 20,000. */
const MAX_LENGTH = 100_000;
/** Characters of the token that tell one session from the next. */
const MARK_LENGTH = 8;

/** @param mark of the user's session: another tab may have logged somebody else in since. */
export function keepDashboard(
  user: KeptUser,
  codes: readonly QrCode[],
  mark: ReturnType<typeof markOfSession>,
): void {
  if (mark !== markOfSession()) return;
  const { id, username, fullName, isServiceProvider, serviceCategories } = user;
  const kept = { user: { id, username, fullName, isServiceProvider, serviceCategories }, codes };
  const text = JSON.stringify({ ...kept, mark });
  // Without an entry the dashboard waits for the server.
  keepText(KEPT_KEY, codes.length === 0 || text.length > MAX_LENGTH ? null : text);
}

/** @returns null when nothing was kept in this session. */
export function readKeptDashboard(): Kept | null {
  try {
    const kept: (Kept & { readonly mark: string }) | null = JSON.parse(
      localStorage.getItem(KEPT_KEY) ?? 'null',
    );
    // An earlier version may have kept something else.
    const isWhole = kept?.codes.every(
      ({ id, serviceCategory, imageBase64 }) => id && imageBase64 && serviceCategory in CATEGORY_LABELS,
    );
    return kept && isWhole && kept.mark === markOfSession() ? kept : null;
  } catch {
    return null;
  }
}

export function markOfSession(): string | undefined {
  return readToken()?.slice(-MARK_LENGTH);
}
