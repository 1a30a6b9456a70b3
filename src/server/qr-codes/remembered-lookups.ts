/** The codes that were looked up last, for as long as the answers can be relied on. */
import type { Storage } from '#server/storage/port/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { QrCodeId, UserId } from '#shared/ids.ts';
import type { QrCodeLookup } from '#shared/qr-codes.ts';

/** Remembered codes take some five megabytes. */
const MAX_REMEMBERED = 20_000;
/** With a tick every second, no look-up of a shared storage is answered from memory for longer than five seconds. */
const RELIED_ON_MS = 4_000;

export interface RememberedLookups {
  /** @param text a code as it is stored. */
  get(text: string): QrCodeLookup | undefined;
  /** To be called before a look-up reads anything. */
  begin(): {
    /** Remembers what was found, unless it may have changed meanwhile. @param owner whose code it is, which the answer need not tell. */
    remember(found: QrCodeLookup, owner: UserId): void;
  };
  /** Forgets those that are too old to be relied on; to be called every second. */
  tick(): void;
}

/** An unknown code is not remembered, because it may be made the moment after. */
export function rememberLookups(
  storage: Pick<Storage, 'isShared' | 'subscribe'>,
  clock: Clock,
  maxRemembered = MAX_REMEMBERED,
): RememberedLookups {
  const remembered = new Map<string, QrCodeLookup>();
  /** When and of whom each of them was read: apart from them, so that a look-up in memory stays one access to a map. */
  const readings = new Map<QrCodeId, { readonly owner: UserId; readonly readAtMs: number }>();
  /** How often the storage told of a change. */
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
          // What was read before a change may arrive after it.
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
      for (const [id, { readAtMs }] of readings) {
        const ageMs = nowMs - readAtMs;
        // A reading from the future is of any age: the clock was turned back since.
        if (ageMs >= RELIED_ON_MS || ageMs < 0) forget(id);
      }
    },
  };
}
