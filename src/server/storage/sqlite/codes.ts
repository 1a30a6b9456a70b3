/**
 * Making codes and changing them, as steps that are synchronous: each is a step of a group commit.
 */
import type { PhotoName, QrCodeId, UserId } from '#shared/ids.ts';
import { CLOSED_ACCOUNT } from '../closed-accounts.ts';
import { changedCode, currentCode, newCodeRow, outgoingPhoto, replacementRow } from '../rules.ts';
import type { NewPicture, NewQrCode, Photo, QrCodeChange, QrCodeRecord } from '../storage.ts';
import type { Statements } from './statements.ts';

export function createCodes(statements: Statements) {
  const idExists = (id: QrCodeId) => statements.codeExists.get({ id }) !== undefined;

  function insertPicture(qrCodeId: QrCodeId, { address, png }: NewPicture): void {
    statements.insertPicture.run({ qrCodeId, address, png: Buffer.from(png) });
  }

  function findOwn(userId: UserId, id: QrCodeId): QrCodeRecord | undefined {
    const found = statements.codeById.get({ id });
    return found?.userId === userId ? found : undefined;
  }

  function save({ takesWords, userId: _, serviceCategory: __, ...code }: QrCodeRecord): void {
    statements.updateCode.run({ ...code, takesWords: takesWords ? 1 : 0 });
  }

  function forgetPhoto(name: PhotoName | null): void {
    if (name !== null) statements.deletePhoto.run({ name });
  }

  return {
    create(code: NewQrCode & Pick<QrCodeRecord, 'userId' | 'serviceCategory'>, picture: NewPicture) {
      const row = newCodeRow(code);
      const { userId, category } = row;
      if (!statements.categoryOffered.get({ userId, category })) return 'category_not_offered';
      if (statements.codeOfCategory.get({ userId, category })) return 'category_taken';
      if (idExists(code.id)) return 'id_taken';
      statements.insertQrCode.run(row);
      insertPicture(code.id, picture);
      return 'created';
    },

    update(userId: UserId, id: QrCodeId, change: QrCodeChange) {
      const found = currentCode(findOwn(userId, id));
      if (found.outcome !== 'current') return found;
      const changed = changedCode(found.code, change);
      save(changed);
      return { outcome: 'updated', code: changed } as const;
    },

    replace(userId: UserId, id: QrCodeId, next: NewQrCode, picture: NewPicture) {
      const found = currentCode(findOwn(userId, id));
      if (found.outcome !== 'current') return found;
      const { code } = found;
      if (idExists(next.id)) return { outcome: 'id_taken' } as const;
      // The photo goes over to the new code: the old one shows nothing any more.
      save({ ...code, status: 'replaced', photoName: null });
      statements.insertQrCode.run(replacementRow(code, next));
      insertPicture(next.id, picture);
      return { outcome: 'replaced', code: { ...code, id: next.id } } as const;
    },

    setPhoto(userId: UserId, id: QrCodeId, photo: Photo | null) {
      const found = currentCode(findOwn(userId, id));
      if (found.outcome !== 'current') return found;
      const { code } = found;
      if (photo) statements.insertPhoto.run({ name: photo.name, jpeg: Buffer.from(photo.jpeg) });
      const changed = { ...code, photoName: photo?.name ?? null };
      save(changed);
      forgetPhoto(outgoingPhoto(code, changed.photoName));
      return { outcome: 'updated', code: changed } as const;
    },

    /** Retires all codes of an account that is closed. Its tip pages get a name of their own, so that nothing leads from one to another. */
    close(userId: UserId): void {
      const photos = statements.photosOfUser.all({ userId });
      statements.clearCodesOfUser.run({ userId, displayName: CLOSED_ACCOUNT });
      for (const { name } of photos) forgetPhoto(name);
    },

    /** Retires the current code of a service that is no longer offered, if there is one. */
    retire(userId: UserId, category: QrCodeRecord['serviceCategory']): void {
      const current = statements.codeOfCategory.get({ userId, category });
      const code = current && findOwn(userId, current.id);
      if (!code) return;
      save({ ...code, status: 'retired', photoName: null });
      forgetPhoto(code.photoName);
    },
  };
}
