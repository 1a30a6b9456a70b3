/** What operators do about codes: find one whoever it belongs to, and stop one that was stolen or pasted over. */
import type { ActAbout } from '#server/storage/port/audit.ts';
import type { Storage } from '#server/storage/port/storage.ts';
import { actDoneOf, partyOf } from '#server/storage/rules/operations.ts';
import { type Clock, isoTime } from '#shared/calendar.ts';
import type { FoundCode } from '#shared/console/codes.ts';
import { type QrCodeId, readQrCodeId, tipPageUrl } from '#shared/ids.ts';
import { refusalOfCode } from './code-refusals.ts';

const MAX_ACTS = 20;

export interface CodeSupport {
  /** @param name a code in any spelling, or a link to its tip page. @returns null when there is none. */
  find(name: string): Promise<FoundCode | null>;
  /**
   * Retires a code for good: no process takes a tip on it from then on. Its owner may make a new one for the service.
   * @returns null when there is none.
   * @throws AppError `qr_code_replaced`, `qr_code_retired`.
   */
  stop(name: string, act: ActAbout): Promise<FoundCode | null>;
}

export function createCodeSupport(deps: {
  readonly storage: Pick<Storage, 'operations' | 'audit'>;
  readonly clock: Clock;
  readonly publicUrl: string;
}): CodeSupport {
  const { storage, clock, publicUrl } = deps;

  async function findById(id: QrCodeId | null): Promise<FoundCode | null> {
    const found = id && (await storage.operations.findCode(id));
    if (!found) return null;
    const { status, serviceCategory, displayName, createdAtMs, owner } = found;
    const acts = await storage.audit.listAbout(found.id, MAX_ACTS);
    return {
      id: found.id,
      url: tipPageUrl(publicUrl, found.id),
      status,
      serviceCategory,
      name: displayName ?? owner.fullName,
      owner: partyOf(owner),
      createdAt: isoTime(createdAtMs),
      acts: acts.map(actDoneOf),
    };
  }

  return {
    find: (name) => findById(idIn(name)),

    async stop(name, actAbout) {
      const found = await findById(idIn(name));
      if (!found) return null;
      const { id, owner } = found;
      const result = await storage.operations.stopCode(owner.id, id, clock(), actAbout(id));
      if (result.outcome !== 'stopped') throw refusalOfCode(result);
      return findById(id);
    },
  };
}

/** A link counts by its path, whatever the address of the installation was when it was printed. */
function idIn(name: string): QrCodeId | null {
  const path = name
    .trim()
    .replace(/[?#].*$/, '')
    .replace(/\/$/, '');
  return readQrCodeId(path.slice(path.lastIndexOf('/') + 1));
}
