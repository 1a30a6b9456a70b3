/**
 * QR codes: one for each service of a provider, with a picture that is made once for each code and address and kept.
 */
import type { Account, QrCodeRecord, Storage } from '#server/storage/storage.ts';
import type { Clock } from '#shared/calendar.ts';
import type { ServiceCategory } from '#shared/categories.ts';
import { AppError } from '#shared/errors.ts';
import { newQrCodeId, type RandomBytes, readQrCodeId, tipPageUrl } from '#shared/ids.ts';
import type { QrCode, QrCodeLookup } from '#shared/qr-codes.ts';
import { drawQrCode } from './qr-image.ts';

export interface QrCodes {
  /** The account's codes, oldest first. */
  list(account: Account): Promise<QrCode[]>;
  /** @throws AppError `category_not_offered`, `qr_code_exists`. */
  create(account: Account, category: ServiceCategory): Promise<QrCode>;
  /**
   * Whom a code tips, for anybody who has it, however it was typed.
   * @throws AppError `qr_code_not_found`.
   */
  lookup(text: string): Promise<QrCodeLookup>;
}

export function createQrCodes(deps: {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly random: RandomBytes;
  readonly publicUrl: string;
}): QrCodes {
  const { storage, clock, random, publicUrl } = deps;

  return {
    async list(account) {
      const codes = await storage.listQrCodes(account.id, (id) => tipPageUrl(publicUrl, id));
      return Promise.all(
        codes.map(async ({ picture, ...code }) => {
          if (picture) return withPicture(code, picture);
          // PUBLIC_URL has changed since the code was made: the new address gets its picture now, and keeps it.
          const address = tipPageUrl(publicUrl, code.id);
          const png = await drawQrCode(address);
          await storage.savePicture(code.id, address, png);
          return withPicture(code, png);
        }),
      );
    },

    async create(account, serviceCategory) {
      if (!account.serviceCategories.includes(serviceCategory)) throw new AppError('category_not_offered');
      for (;;) {
        const code = { id: newQrCodeId(random), userId: account.id, serviceCategory };
        const address = tipPageUrl(publicUrl, code.id);
        const png = await drawQrCode(address);
        const outcome = await storage.createQrCode({ ...code, createdAtMs: clock() }, { address, png });
        switch (outcome) {
          case 'created':
            return withPicture(code, png);
          case 'category_taken':
            throw new AppError('qr_code_exists');
          case 'category_not_offered':
            throw new AppError('category_not_offered');
          case 'id_taken':
            // One in a thousand million million; draw another.
            continue;
        }
      }
    },

    async lookup(text) {
      const id = readQrCodeId(text);
      const code = id && (await storage.findQrCode(id));
      if (!code) throw new AppError('qr_code_not_found');
      const { serviceCategory, username, fullName } = code;
      return {
        qrCode: { id: code.id, serviceCategory, userId: code.userId },
        serviceProvider: { username, fullName, serviceCategory },
      };
    },
  };
}

function withPicture({ id, serviceCategory, userId }: QrCodeRecord, png: Uint8Array): QrCode {
  return { id, serviceCategory, userId, imageBase64: Buffer.from(png).toString('base64') };
}
