/**
 * QR codes: one for each service of a provider, with a picture that is made once for each code and address and kept.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Account, QrCodeRecord, Storage } from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import {
  newQrCodeId,
  type QrCodeId,
  type RandomBytes,
  readQrCodeId,
  tipPageUrl,
  type UserId,
} from '#shared/ids.ts';
import { TIP_PREFIX } from '#shared/page-paths.ts';
import type { QrCode, QrCodeLookup } from '#shared/qr-codes.ts';
import { drawQrCode } from './qr-image.ts';

export interface QrCodes {
  /** The account's codes, oldest first. */
  list(account: Account): Promise<QrCode[]>;
  /** @throws AppError `category_not_offered`, `qr_code_exists`. */
  create(account: Account, category: ServiceCategory): Promise<QrCode>;
  /**
   * Whom a code tips, for anybody who has it, however it was typed. The answer is the same object for as long as it is
   * remembered: until the storage tells that it may have changed. Where other processes may change it, that is five seconds at
   * most, whatever becomes of what they tell.
   * @throws AppError `qr_code_not_found`.
   */
  lookup(text: string): Promise<QrCodeLookup>;
  /** What `lookup` would answer, if it is remembered; null says nothing about the code. */
  recall(text: string): QrCodeLookup | null;
  /** Forgets the look-ups that are too old to be relied on; to be called every second. */
  tick(): void;
}

/** Remembered codes take some five megabytes. */
const MAX_REMEMBERED = 20_000;
/** With a tick every second, no look-up of a shared storage is answered from memory for longer than five seconds. */
const RELIED_ON_MS = 4_000;

interface Reading {
  readonly owner: UserId;
  readonly readAtMs: number;
}

export function createQrCodes(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  /** How many codes are remembered at most. */
  readonly maxRemembered?: number;
  /** Makes the picture of an address. */
  readonly draw?: (address: string) => Promise<Uint8Array>;
}): QrCodes {
  const { storage, clock, random, publicUrl, maxRemembered = MAX_REMEMBERED, draw = drawQrCode } = deps;

  /** The codes that were looked up last. An unknown code is not remembered, because it may be made the moment after. */
  const remembered = new Map<string, QrCodeLookup>();
  /** When and of whom each of them was read: apart from them, so that a look-up in memory stays one access to a map. */
  const readings = new Map<QrCodeId, Reading>();
  /** How often the storage told of a change. */
  let changes = 0;

  storage.subscribe({
    onEntries() {},
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

  function remember(found: QrCodeLookup, readAtMs: number): void {
    const { id, userId } = found.qrCode;
    forget(id);
    for (const oldest of readings.keys()) {
      if (readings.size < maxRemembered) break;
      forget(oldest);
    }
    remembered.set(id, found);
    readings.set(id, { owner: userId, readAtMs });
  }

  /** Settles with the last task of `oneAfterTheOther`. */
  let lastDone: Promise<unknown> = Promise.resolve();

  /** Draws one picture after the other, because each takes one of the threads that hash passwords. */
  function oneAfterTheOther<Result>(task: () => Promise<Result>): Promise<Result> {
    const done = lastDone.then(task);
    lastDone = done.catch(() => {});
    return done;
  }

  /** Draws a picture after a turn of the event loop, in which other work goes on. */
  async function drawInTurn(address: string): Promise<Uint8Array> {
    await nextTurn();
    return draw(address);
  }

  /** The pictures that are being made for codes that had none. */
  const missing = new Map<QrCodeId, Promise<Uint8Array>>();

  /** Draws and saves the picture of a code that was made under another PUBLIC_URL. */
  function drawMissing(id: QrCodeId): Promise<Uint8Array> {
    const present = missing.get(id);
    if (present) return present;
    const address = tipPageUrl(publicUrl, id);
    const saved = oneAfterTheOther(async () => {
      // Another list, or another process, may have had it made since this one was read.
      const made = await storage.findPicture(id, address);
      if (made) return made;
      const png = await drawInTurn(address);
      await storage.savePicture(id, address, png);
      return png;
    }).finally(() => missing.delete(id));
    missing.set(id, saved);
    return saved;
  }

  /** Checks before it draws, because the picture is by far the most of the work. */
  async function createNow(account: Account, serviceCategory: ServiceCategory): Promise<QrCode> {
    if (await storage.hasQrCode(account.id, serviceCategory)) throw new AppError('qr_code_exists');
    for (;;) {
      const code = { id: newQrCodeId(random), userId: account.id, serviceCategory };
      const address = tipPageUrl(publicUrl, code.id);
      const png = await drawInTurn(address);
      const outcome = await storage.createQrCode({ ...code, createdAtMs: clock() }, { address, png });
      switch (outcome) {
        case 'created':
          return withPicture(code, png);
        case 'category_taken':
          throw new AppError('qr_code_exists');
        case 'category_not_offered':
          throw new AppError('category_not_offered');
        case 'id_taken':
          // The chance is one in a thousand million million; another id is drawn.
          continue;
      }
    }
  }

  function withPicture({ id, serviceCategory, userId }: QrCodeRecord, png: Uint8Array): QrCode {
    const imageBase64 = Buffer.from(png).toString('base64');
    return { id, serviceCategory, userId, url: tipPageUrl(publicUrl, id), imageBase64 };
  }

  return {
    async list(account) {
      const codes = await storage.listQrCodes(account.id, publicUrl + TIP_PREFIX);
      const listed: QrCode[] = [];
      // Asked for one after the other, so that the missing pictures of one account do not go before those of the others.
      for (const { picture, ...code } of codes) {
        listed.push(withPicture(code, picture ?? (await drawMissing(code.id))));
      }
      return listed;
    },

    async create(account, serviceCategory) {
      if (!account.serviceCategories.includes(serviceCategory)) throw new AppError('category_not_offered');
      // Of several requests for one service at once, all but the first find its code.
      return oneAfterTheOther(() => createNow(account, serviceCategory));
    },

    async lookup(text) {
      const id = readQrCodeId(text);
      if (!id) throw new AppError('qr_code_not_found');
      const known = remembered.get(id);
      if (known) return known;
      const readAtMs = clock();
      const changesBefore = changes;
      const code = await storage.findQrCode(id);
      if (!code) throw new AppError('qr_code_not_found');
      const { serviceCategory, username, fullName } = code;
      const found = Object.freeze({
        qrCode: Object.freeze({ id, serviceCategory, userId: code.userId }),
        serviceProvider: Object.freeze({ username, fullName, serviceCategory }),
      });
      // What was read before a change may arrive after it.
      if (changes === changesBefore) remember(found, readAtMs);
      return found;
    },

    // Printed codes arrive as they are stored; only what people typed needs reading.
    recall: (text) => remembered.get(text) ?? remembered.get(readQrCodeId(text) ?? '') ?? null,

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
