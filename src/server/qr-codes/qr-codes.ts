/** The QR codes of a provider: one for each service, with a tip page of its own. */
import type { TipPayments } from '#server/payments/tip-payments.ts';
import { createWorkQueue, WORK_LIMITS, type WorkOwner } from '#server/queue/work-queue.ts';
import type { Photo, QrCodeRecord } from '#server/storage/port/codes.ts';
import type { Account, Storage } from '#server/storage/port/storage.ts';
import { NEW_PAGE } from '#server/storage/rules/codes.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { isPhotoName, newPhotoName, type QrCodeId, type RandomBytes, tipPageUrl } from '#shared/ids.ts';
import { invalidField } from '#shared/invalid-field.ts';
import { TIP_PREFIX } from '#shared/page-paths.ts';
import type { EndedQrCode, EndedQrCodes, EndedQrCodesQuery, QrCode, QrCodeChange } from '#shared/qr-codes.ts';
import { shownReceiver } from '#shared/tip-pages.ts';
import { isPicture, loadDecoder, openPicture } from '../picture-decoder.ts';
import { type CodePictures, createCodePictures, type DrawPicture } from './code-pictures.ts';
import { photoUrl, refusalOfCode, requireCurrent, requireId, requireOwn } from './code-refusals.ts';
import { createPublicCodes, type PublicCodes } from './public-codes.ts';

const PHOTO_EDGE = 512;
/** A square of this size takes some 60 kB, and twice as much where every pixel is noise. */
const PHOTO_QUALITY = 82;

interface OwnPage {
  readonly id: QrCodeId;
  readonly serviceCategory: ServiceCategory;
  readonly name: string;
  readonly greeting: string | null;
  /** A square, in JPEG. */
  readonly photo: Uint8Array | null;
}

export interface QrCodes extends PublicCodes {
  /** The account's current codes, oldest first. @throws AppError `busy`, when a picture is missing. */
  list(account: Account, owner: WorkOwner): Promise<QrCode[]>;
  /** Newest first. @throws AppError `invalid_input` when the cursor is no code of this account. */
  listEnded(account: Account, query: EndedQrCodesQuery): Promise<EndedQrCodes>;
  /** @throws AppError `category_not_offered`, `qr_code_exists`, `busy`. */
  create(account: Account, category: ServiceCategory, owner: WorkOwner): Promise<QrCode>;
  /** @throws AppError `qr_code_not_found`, also for other people's; `qr_code_replaced`, `qr_code_retired`. */
  update(account: Account, change: QrCodeChange, owner: WorkOwner): Promise<QrCode>;
  /** The new code takes over the tip page; the old one leads nowhere. @throws AppError as `update`; `busy`. */
  replace(account: Account, text: string, owner: WorkOwner): Promise<QrCode>;
  /** Encodes the photo anew. @throws AppError as `update`; `not_a_photo`, `photo_unreadable`, `busy`. */
  setPhoto(account: Account, text: string, sent: Uint8Array, owner: WorkOwner): Promise<QrCode>;
  /** @throws AppError as `update`. */
  removePhoto(account: Account, text: string, owner: WorkOwner): Promise<QrCode>;
  /** Finds the page also of a paused code. @throws AppError as `update`. */
  findOwnPage(account: Account, text: string): Promise<OwnPage>;
  /** A photo in JPEG; null when no page shows one of this name. */
  findPhoto(name: string): Promise<Uint8Array | null>;
}

export function createQrCodes(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
  readonly payments: Pick<TipPayments, 'isPayable'>;
  readonly maxRemembered?: number;
  readonly draw: DrawPicture;
}): QrCodes {
  const { storage, clock, random, publicUrl } = deps;
  const pictures = createCodePictures(deps);
  const photoQueue = createWorkQueue(WORK_LIMITS.photos);
  const oneAtATime = createOneAtATime();

  const withPicture = (code: QrCodeRecord, png: Uint8Array) => qrCodeFrom(code, png, publicUrl);
  const { createNow, replaceNow } = createMaking(storage, pictures, withPicture);

  async function shown(code: QrCodeRecord, owner: WorkOwner): Promise<QrCode> {
    const picture = await storage.findPicture(code.id, tipPageUrl(publicUrl, code.id));
    return withPicture(code, picture ?? (await pictures.drawMissing(code.id, owner)));
  }

  async function changePhoto(
    account: Account,
    id: QrCodeId,
    photo: Photo | null,
    owner: WorkOwner,
  ): Promise<QrCode> {
    const result = await storage.setPhoto(account.id, id, photo, clock());
    if (result.outcome !== 'updated') throw refusalOfCode(result);
    return shown(result.code, owner);
  }

  return {
    ...createPublicCodes(deps),

    async list(account, owner) {
      const codes = await storage.listQrCodes(account.id, publicUrl + TIP_PREFIX);
      const listed: QrCode[] = [];
      // One after the other, so that the missing pictures of one account do not precede those of others.
      for (const { picture, ...code } of codes) {
        listed.push(withPicture(code, picture ?? (await pictures.drawMissing(code.id, owner))));
      }
      return listed;
    },

    async listEnded(account, { cursor, limit }) {
      if (cursor && (await storage.findQrCode(cursor))?.userId !== account.id)
        throw invalidField('cursor', 'The cursor is not valid.');
      const found = await storage.listEndedQrCodes(account.id, cursor ?? null, limit + 1);
      const codes = found.slice(0, limit).map((code) => endedCode(code, publicUrl));
      return { codes, nextCursor: found.length > limit ? (codes.at(-1)?.id ?? null) : null };
    },

    async create(account, serviceCategory, owner) {
      if (!account.serviceCategories.includes(serviceCategory)) throw new AppError('category_not_offered');
      return oneAtATime(`${account.id} ${serviceCategory}`, () => createNow(account, serviceCategory, owner));
    },

    async update(account, { id: text, ...change }, owner) {
      const result = await storage.updateQrCode(account.id, requireId(text), change, clock());
      if (result.outcome !== 'updated') throw refusalOfCode(result);
      return shown(result.code, owner);
    },

    async replace(account, text, owner) {
      const id = requireId(text);
      return oneAtATime(`${account.id} ${id}`, () => replaceNow(account, id, owner));
    },

    async setPhoto(account, text, sent, owner) {
      const id = requireId(text);
      requireCurrent(requireOwn(await storage.findQrCode(id), account.id));
      const jpeg = await photoQueue.take(owner, () => redrawPhoto(sent));
      return changePhoto(account, id, { name: newPhotoName(random), jpeg }, owner);
    },

    removePhoto: async (account, text, owner) => changePhoto(account, requireId(text), null, owner),

    async findOwnPage(account, text) {
      const id = requireId(text);
      const code = requireCurrent(requireOwn(await storage.findQrCode(id), account.id));
      const { serviceCategory, greeting, photoName } = code;
      const photo = photoName && (await storage.findPhoto(photoName));
      return { id, serviceCategory, name: shownReceiver(code).fullName, greeting, photo };
    },

    findPhoto: async (name) => (isPhotoName(name) ? storage.findPhoto(name) : null),
  };
}

/** Makes new codes, each under an id that no other code has. */
function createMaking(
  storage: Pick<Storage, 'hasQrCode' | 'createQrCode' | 'findQrCode' | 'replaceQrCode'>,
  pictures: Pick<CodePictures, 'drawNew'>,
  withPicture: (code: QrCodeRecord, png: Uint8Array) => QrCode,
) {
  async function createNow(
    account: Account,
    serviceCategory: ServiceCategory,
    owner: WorkOwner,
  ): Promise<QrCode> {
    if (await storage.hasQrCode(account.id, serviceCategory)) throw new AppError('qr_code_exists');
    for (;;) {
      const { next, picture } = await pictures.drawNew(owner);
      const owned = { userId: account.id, serviceCategory };
      switch (await storage.createQrCode({ ...next, ...owned }, picture)) {
        case 'created':
          return withPicture({ id: next.id, ...owned, ...NEW_PAGE }, picture.png);
        case 'category_taken':
          throw new AppError('qr_code_exists');
        case 'category_not_offered':
          throw new AppError('category_not_offered');
        case 'id_taken':
          // The chance is one in 10¹⁵; another id is drawn.
          continue;
      }
    }
  }

  async function replaceNow({ id: userId }: Account, id: QrCodeId, owner: WorkOwner): Promise<QrCode> {
    // Checked before drawing, because the picture is by far the most work.
    requireCurrent(requireOwn(await storage.findQrCode(id), userId));
    for (;;) {
      const { next, picture } = await pictures.drawNew(owner);
      const result = await storage.replaceQrCode(userId, id, next, picture);
      if (result.outcome === 'replaced') return withPicture(result.code, picture.png);
      // The chance is one in 10¹⁵; another id is drawn.
      if (result.outcome !== 'id_taken') throw refusalOfCode(result);
    }
  }

  return { createNow, replaceNow };
}

function qrCodeFrom({ photoName, ...code }: QrCodeRecord, png: Uint8Array, publicUrl: string): QrCode {
  return {
    ...code,
    url: tipPageUrl(publicUrl, code.id),
    imageBase64: Buffer.from(png).toString('base64'),
    photoUrl: photoUrl(photoName),
  };
}

function endedCode({ photoName: _, status, ...code }: QrCodeRecord, publicUrl: string): EndedQrCode {
  if (status !== 'replaced' && status !== 'retired')
    throw new Error('a current code is among the ended ones');
  return { ...code, status, url: tipPageUrl(publicUrl, code.id) };
}

/** Of several requests for one thing at once, all but the first find the first one's code, and draw none. */
function createOneAtATime() {
  const inTheMaking = new Map<string, Promise<unknown>>();

  return async <Result>(what: string, make: () => Promise<Result>): Promise<Result> => {
    for (let present = inTheMaking.get(what); present; present = inTheMaking.get(what))
      await present.catch(() => {});
    const made = make().finally(() => inTheMaking.delete(what));
    inTheMaking.set(what, made);
    return made;
  };
}

/**
 * Encodes a photo anew, so that nothing else of the file is kept, such as the place where it was taken.
 * @returns a JPEG of at most 512 x 512 pixels, without metadata.
 * @throws AppError `not_a_photo` for another signature than of JPEG, PNG or WebP; `photo_unreadable` for a picture that
 *   `openPicture` refuses, or that cannot be drawn.
 */
async function redrawPhoto(sent: Uint8Array): Promise<Uint8Array> {
  if (!isPicture(sent)) throw new AppError('not_a_photo');
  await loadDecoder();
  try {
    const picture = await openPicture(sent);
    return await picture
      .autoOrient()
      .resize(PHOTO_EDGE, PHOTO_EDGE, { fit: 'cover', withoutEnlargement: true })
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .jpeg({ quality: PHOTO_QUALITY })
      .toBuffer();
  } catch (cause) {
    throw new AppError('photo_unreadable', { cause });
  }
}
