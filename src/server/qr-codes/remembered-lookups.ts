/** A cache of recent look-ups, each valid for a limited time. */
import type { Storage } from '#server/storage/port/storage.ts';
import { type Clock, isWithin } from '#shared/calendar.ts';
import type { QrCodeId, UserId } from '#shared/ids.ts';
import type { QrCodeLookup } from '#shared/qr-codes.ts';

const MAX_REMEMBERED = 20_000;
/** With a tick every second, no look-up of a shared storage is answered from memory for longer than five seconds. */
const RELIED_ON_MS = 4_000;

export interface RememberedLookups {
  get(text: string): QrCodeLookup | undefined;
  /** Call it before a look-up reads anything. */
  begin(): {
    /** Does nothing when the look-up may have changed meanwhile. */
    remember(found: QrCodeLookup, owner: UserId): void;
  };
  /** Forgets expired look-ups. Call it every second. */
  tick(): void;
}

/** An unknown code is not cached, because it may be created the next moment. */
export function rememberLookups(
  storage: Pick<Storage, 'isShared' | 'subscribe'>,
  clock: Clock,
  maxRemembered = MAX_REMEMBERED,
): RememberedLookups {
  const remembered = new Map<string, QrCodeLookup>();
  /** Kept apart from the look-ups, so that a cached one takes a single access to a map. */
  const readings = new Map<QrCodeId, { readonly owner: UserId; readonly readAtMs: number }>();
  let changes = 0;

  storage.subscribe({
    onCodes(owners) {
      changes += 1;
      const changed = owners === 'any' ? null : new Set(owners);
      for (const [id, { owner }] of readings) if (changed === null || changed.has(owner)) forget(id);
    },
  });

  function forget(id: QrCodeId): void {
    remembered.delete(id);
    readings.delete(id);
  }

  return {
    get: (text) => remembered.get(text),

    begin() {
      const readAtMs = clock();
      const changesBefore = changes;
      return {
        remember(found, owner) {
          // A result read before a change may arrive after it.
          if (changes !== changesBefore) return;
          const { id } = found.qrCode;
          forget(id);
          for (const oldest of readings.keys()) {
            if (readings.size < maxRemembered) break;
            forget(oldest);
          }
          remembered.set(id, found);
          readings.set(id, { owner, readAtMs });
        },
      };
    },

    tick() {
      if (!storage.isShared) return;
      const nowMs = clock();
      for (const [id, { readAtMs }] of readings) if (!isWithin(RELIED_ON_MS, readAtMs, nowMs)) forget(id);
    },
  };
}
