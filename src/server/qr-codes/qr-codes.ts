/**
 * QR codes: one for each service of a provider, with a picture that is made once for each code and address and kept.
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { TipPayments } from '#server/payments/tip-payments.ts';
import type { CodeRefusal } from '#server/storage/ledger.ts';
import { NEW_PAGE } from '#server/storage/rules.ts';
import type {
  Account,
  NewPicture,
  NewQrCode,
  Photo,
  QrCodeRecord,
  Storage,
} from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import {
  isPhotoName,
  newPhotoName,
  newQrCodeId,
  type PhotoName,
  type QrCodeId,
  type RandomBytes,
  readQrCodeId,
  tipPageUrl,
  type UserId,
} from '#shared/ids.ts';
import { PHOTO_PREFIX, TIP_PREFIX } from '#shared/page-paths.ts';
import type { QrCode, QrCodeChange, QrCodeLookup, QrCodeStatus } from '#shared/qr-codes.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import { redrawPhoto } from './photo-picture.ts';
import { drawQrCode } from './qr-image.ts';
import { rememberLookups } from './remembered-lookups.ts';

/** What of a tip page its owner gives away on paper. */
interface OwnPage {
  readonly owner: UserId;
  readonly id: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  /** Who receives the tips, as givers see it. */
  readonly name: string;
  readonly greeting: string | null;
  /** A square, in JPEG. */
  readonly photo: Uint8Array | null;
}

export interface QrCodes {
  /** The account's codes, oldest first, also those that were replaced or retired. */
  list(account: Account): Promise<QrCode[]>;
  /** @throws AppError `category_not_offered`, `qr_code_exists`. */
  create(account: Account, category: ServiceCategory): Promise<QrCode>;
  /**
   * Changes the tip page of a code of the account's, and whether it takes tips.
   * @throws AppError `qr_code_not_found`, also for other people's; `qr_code_replaced`, `qr_code_retired`.
   */
  update(account: Account, change: QrCodeChange): Promise<QrCode>;
  /**
   * Gives a service another code, which takes over the tip page; the one before leads nowhere from then on.
   * @returns the new code.
   * @throws AppError `qr_code_not_found`, also for other people's; `qr_code_replaced`, `qr_code_retired`.
   */
  replace(account: Account, text: string): Promise<QrCode>;
  /**
   * Puts a photo on the tip page of a code of the account's. It is drawn anew, and nothing else of what was sent is kept.
   * @throws AppError as `update`; `not_a_photo`, `photo_unreadable`.
   */
  setPhoto(account: Account, text: string, sent: Uint8Array): Promise<QrCode>;
  /** Takes the photo off the tip page of a code of the account's. @throws AppError as `update`. */
  removePhoto(account: Account, text: string): Promise<QrCode>;
  /**
   * The tip page of a code of the account's, to be printed. A paused code has one.
   * @throws AppError `qr_code_not_found`, also for other people's; `qr_code_replaced`, `qr_code_retired`.
   */
  findOwnPage(account: Account, text: string): Promise<OwnPage>;
  /** A photo in JPEG; null when no page shows one of this name. */
  findPhoto(name: string): Promise<Uint8Array | null>;
  /**
   * Whom a code tips, for anybody who has it, however it was typed. The answer is the same object for as long as it is
   * remembered: until the storage tells that it may have changed. Where other processes may change it, that is five seconds at
   * most, whatever becomes of what they tell.
   * @throws AppError `qr_code_not_found`, `qr_code_replaced`, `qr_code_retired`.
   */
  lookup(text: string): Promise<QrCodeLookup>;
  /** What `lookup` would answer, if it is remembered; null says nothing about the code. */
  recall(text: string): QrCodeLookup | null;
  /** Forgets the look-ups that are too old to be relied on; to be called every second. */
  tick(): void;
}

export function createQrCodes(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  readonly payments: Pick<TipPayments, 'isPayable'>;
  /** How many codes are remembered at most. */
  readonly maxRemembered?: number;
  /** Makes the picture of an address. */
  readonly draw?: (address: string) => Promise<Uint8Array>;
}): QrCodes {
  const { storage, clock, random, publicUrl, payments, maxRemembered, draw = drawQrCode } = deps;

  const remembered = rememberLookups(storage, clock, maxRemembered);

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

  /** A new id with its picture, for which a turn is waited for. */
  async function drawNew(): Promise<{ readonly next: NewQrCode; readonly picture: NewPicture }> {
    const id = newQrCodeId(random);
    const address = tipPageUrl(publicUrl, id);
    const png = await drawInTurn(address);
    return { next: { id, createdAtMs: clock() }, picture: { address, png } };
  }

  /** Checks before it draws, because the picture is by far the most of the work. */
  async function createNow(account: Account, serviceCategory: ServiceCategory): Promise<QrCode> {
    if (await storage.hasQrCode(account.id, serviceCategory)) throw new AppError('qr_code_exists');
    for (;;) {
      const { next, picture } = await drawNew();
      const code = { ...next, userId: account.id, serviceCategory };
      switch (await storage.createQrCode(code, picture)) {
        case 'created':
          return withPicture({ ...code, ...NEW_PAGE }, picture.png);
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

  async function replaceNow({ id: userId }: Account, id: QrCodeId): Promise<QrCode> {
    // Looked for before anything is drawn, because the picture is by far the most of the work.
    const isOwn = (await storage.listQrCodes(userId, publicUrl + TIP_PREFIX)).some((code) => code.id === id);
    if (!isOwn) throw new AppError('qr_code_not_found');
    for (;;) {
      const { next, picture } = await drawNew();
      const result = await storage.replaceQrCode(userId, id, next, picture);
      if (result.outcome === 'replaced') return withPicture(result.code, picture.png);
      // The chance is one in a thousand million million; another id is drawn.
      if (result.outcome !== 'id_taken') throw refusalOf(result);
    }
  }

  function withPicture(code: QrCodeRecord, png: Uint8Array): QrCode {
    const { id, userId, serviceCategory, status, photoName } = code;
    return {
      id,
      serviceCategory,
      userId,
      url: tipPageUrl(publicUrl, id),
      imageBase64: Buffer.from(png).toString('base64'),
      status,
      displayName: code.displayName,
      greeting: code.greeting,
      thankYou: code.thankYou,
      takesWords: code.takesWords,
      photoUrl: photoUrl(photoName),
    };
  }

  /** A code of the account's as its owner sees it. */
  async function findOwn(account: Account, id: QrCodeId): Promise<QrCode> {
    const codes = await storage.listQrCodes(account.id, publicUrl + TIP_PREFIX);
    const found = codes.find((code) => code.id === id);
    if (!found) throw new AppError('qr_code_not_found');
    return withPicture(found, found.picture ?? (await drawMissing(id)));
  }

  async function changePhoto(account: Account, id: QrCodeId, photo: Photo | null): Promise<QrCode> {
    const result = await storage.setPhoto(account.id, id, photo);
    if (result.outcome !== 'updated') throw refusalOf(result);
    return findOwn(account, id);
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

    async update(account, { id: text, ...change }) {
      const id = requireId(text);
      const result = await storage.updateQrCode(account.id, id, change);
      if (result.outcome !== 'updated') throw refusalOf(result);
      return findOwn(account, id);
    },

    async replace(account, text) {
      const id = requireId(text);
      return oneAfterTheOther(() => replaceNow(account, id));
    },

    async setPhoto(account, text, sent) {
      const id = requireId(text);
      // Looked for before any work is done for it.
      await findOwn(account, id);
      const jpeg = await oneAfterTheOther(() => redrawPhoto(sent));
      return changePhoto(account, id, { name: newPhotoName(random), jpeg });
    },

    removePhoto: async (account, text) => changePhoto(account, requireId(text), null),

    async findOwnPage(account, text) {
      const id = requireId(text);
      const code = await storage.findQrCode(id);
      if (code?.userId !== account.id) throw new AppError('qr_code_not_found');
      const { serviceCategory, greeting, photoName } = requireCurrent(code);
      const photo = photoName && (await storage.findPhoto(photoName));
      return { owner: account.id, id, serviceCategory, name: shownReceiver(code).fullName, greeting, photo };
    },

    findPhoto: async (name) => (isPhotoName(name) ? storage.findPhoto(name) : null),

    async lookup(text) {
      const id = requireId(text);
      const known = remembered.get(id);
      if (known) return known;
      const reading = remembered.begin();
      const code = await storage.findQrCode(id);
      if (!code) throw new AppError('qr_code_not_found');
      const { serviceCategory, status, greeting, photoName, takesWords } = requireCurrent(code);
      const { userId, username, fullName } = shownReceiver(code);
      const isPayable = await payments.isPayable(code.userId, serviceCategory);
      const found = Object.freeze({
        qrCode: Object.freeze({ id, serviceCategory, userId, status, isPayable, takesWords }),
        serviceProvider: Object.freeze({
          username,
          fullName,
          serviceCategory,
          greeting,
          photoUrl: photoUrl(photoName),
        }),
      });
      reading.remember(found, code.userId);
      return found;
    },

    // Printed codes arrive as they are stored; only what people typed needs reading.
    recall: (text) => remembered.get(text) ?? remembered.get(readQrCodeId(text) ?? '') ?? null,

    tick: remembered.tick,
  };
}

/** @throws AppError `qr_code_not_found` for what cannot be a code. */
function requireId(text: string): QrCodeId {
  const id = readQrCodeId(text);
  if (!id) throw new AppError('qr_code_not_found');
  return id;
}

/** @throws AppError `qr_code_replaced`, `qr_code_retired`. */
function requireCurrent<Code extends { readonly status: QrCodeStatus }>(code: Code) {
  const { status } = code;
  if (status === 'replaced' || status === 'retired') throw new AppError(`qr_code_${status}`);
  return { ...code, status };
}

function refusalOf({ outcome }: CodeRefusal): AppError {
  const codes = {
    unknown_code: 'qr_code_not_found',
    code_replaced: 'qr_code_replaced',
    code_retired: 'qr_code_retired',
  } as const;
  return new AppError(codes[outcome]);
}

function photoUrl(name: PhotoName | null): string | null {
  return name && PHOTO_PREFIX + name;
}
