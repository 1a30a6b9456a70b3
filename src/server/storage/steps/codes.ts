/** The owner's account is locked first, as for a tip, so that no tip reaches a code that was paused or ended. */
import { isDeepStrictEqual } from 'node:util';
import type { QrCodeId, UserId } from '#shared/ids.ts';
import type { CodeStorage, NewPicture, QrCodeRecord } from '../port/codes.ts';
import type { Operations } from '../port/operations.ts';
import { CLOSED_PAGE, changedCode, currentCode, newCodeRow, replacementRow } from '../rules/codes.ts';
import type { Statements } from '../statements/all.ts';
import { isNoted, noteAct } from './audit.ts';
import { changingCodes, type Engine, type StepOf, transacting } from './engine.ts';
import { noteEvent } from './events.ts';
import type { Step } from './step.ts';
import { isStorable } from './storable.ts';

export const createCodes = (engine: Engine) =>
  ({
    createQrCode: transacting(engine)(createCode),
    updateQrCode: changingCodes(engine)(updateCode),
    replaceQrCode: changingCodes(engine)(replaceCode),
    setPhoto: changingCodes(engine)(setPhoto),

    hasQrCode: async (userId, category) =>
      (await engine.read(({ codeOfCategory }) => codeOfCategory.one({ userId, category }))) !== undefined,

    findPhoto: async (name) =>
      (await engine.read(({ photoByName }) => photoByName.one({ name })))?.jpeg ?? null,

    listQrCodes: (userId, addressPrefix) =>
      engine.read(({ codesOfUser }) => codesOfUser.all({ userId, addressPrefix })),

    listEndedQrCodes: (userId, before, atMost) =>
      engine.read(({ endedCodesOfUser }) => endedCodesOfUser.all({ userId, before, atMost })),

    findQrCode: async (id) =>
      (await engine.read(({ codeWithProvider }) => codeWithProvider.one({ id }))) ?? null,

    async listPublicCodes(username) {
      if (!isStorable(username)) return [];
      return engine.read(({ publicCodes }) => publicCodes.all({ username }));
    },

    findPicture: async (qrCodeId, address) =>
      (await engine.read(({ pictureOfCode }) => pictureOfCode.one({ qrCodeId, address })))?.png ?? null,

    savePicture: (qrCodeId, address, png) =>
      engine.change((statements) => insertPicture(statements, qrCodeId, { address, png })),
  }) satisfies CodeStorage;

const createCode: StepOf<CodeStorage['createQrCode']> = function* (statements, isRepeated, code, picture) {
  const row = newCodeRow(code);
  const { userId, category } = row;
  yield* statements.lockAccount.one({ id: userId });
  if (!(yield* statements.categoryOffered.one({ userId, category }))) return 'category_not_offered';
  if ((yield* statements.insertQrCode.change(row)) === 0) {
    const present = yield* statements.codeOfCategory.one({ userId, category });
    if (isRepeated && present?.id === code.id) return 'created';
    return present ? 'category_taken' : 'id_taken';
  }
  yield* insertPicture(statements, code.id, picture);
  yield* noteChange(statements, userId, code.id, code.createdAtMs);
  return 'created';
};

const updateCode: StepOf<CodeStorage['updateQrCode']> = function* (statements, _, userId, id, change, nowMs) {
  const found = yield* lockOwn(statements, userId, id);
  if (found.outcome !== 'current') return found;
  const code = changedCode(found.code, change);
  if (isDeepStrictEqual(code, found.code)) return { outcome: 'updated', code };
  yield* statements.updateCode.change({ ...code });
  yield* noteChange(statements, userId, id, nowMs);
  return { outcome: 'updated', code };
};

const replaceCode: StepOf<CodeStorage['replaceQrCode']> = function* (
  statements,
  isRepeated,
  userId,
  id,
  next,
  picture,
) {
  const found = yield* lockOwn(statements, userId, id);
  const taken = yield* statements.codeById.one({ id: next.id });
  if (isRepeated && taken?.userId === userId) return { outcome: 'replaced', code: taken };
  if (found.outcome !== 'current') return found;
  if (taken) return { outcome: 'id_taken' };
  const { code } = found;
  yield* endCode(statements, code, 'replaced');
  if ((yield* statements.insertQrCode.change(replacementRow(code, next))) === 0)
    throw new Error('an id of 50 random bits was taken at the same moment');
  yield* insertPicture(statements, next.id, picture);
  for (const changed of [id, next.id]) yield* noteChange(statements, userId, changed, next.createdAtMs);
  return { outcome: 'replaced', code: { ...code, id: next.id } };
};

const setPhoto: StepOf<CodeStorage['setPhoto']> = function* (statements, _, userId, id, photo, nowMs) {
  const found = yield* lockOwn(statements, userId, id);
  if (found.outcome !== 'current') return found;
  const code = { ...found.code, photoName: photo?.name ?? null };
  if (isDeepStrictEqual(code, found.code)) return { outcome: 'updated', code };
  if (photo) yield* statements.insertPhoto.change({ name: photo.name, jpeg: Buffer.from(photo.jpeg) });
  yield* statements.updateCode.change({ ...code });
  yield* forgetPhoto(statements, found.code.photoName);
  yield* noteChange(statements, userId, id, nowMs);
  return { outcome: 'updated', code };
};

export const stopCode: StepOf<Operations['stopCode']> = function* (
  statements,
  isRepeated,
  userId,
  id,
  nowMs,
  act,
) {
  const found = yield* lockOwn(statements, userId, id);
  if (found.outcome !== 'current') {
    const isOwn = isRepeated && found.outcome === 'code_retired' && (yield* isNoted(statements, act));
    return isOwn ? { outcome: 'stopped' } : found;
  }
  yield* retire(statements, found.code, nowMs);
  yield* noteAct(statements, isRepeated, act);
  return { outcome: 'stopped' };
};

/** Retires the current code of a service that is given up. Requires the account's lock. */
export function* retireCode(
  statements: Statements,
  userId: UserId,
  category: QrCodeRecord['serviceCategory'],
  nowMs: number | undefined,
): Step<void> {
  const current = yield* statements.codeOfCategory.one({ userId, category });
  const code = current && (yield* statements.codeById.one({ id: current.id }));
  if (code) yield* retire(statements, code, nowMs);
}

function* retire(statements: Statements, code: QrCodeRecord, nowMs: number | undefined): Step<void> {
  yield* endCode(statements, code, 'retired');
  yield* forgetPhoto(statements, code.photoName);
  yield* noteChange(statements, code.userId, code.id, nowMs);
}

/** Nothing shows the picture of a code that has ended. */
function* endCode(statements: Statements, code: QrCodeRecord, status: 'replaced' | 'retired'): Step<void> {
  yield* statements.updateCode.change({ ...code, status, photoName: null });
  yield* statements.deletePicturesOf.change({ id: code.id });
}

/** Each tip page gets a name of its own, so that nothing links them. Requires the account's lock. */
export function* closeCodes(statements: Statements, userId: UserId): Step<void> {
  const photos = yield* statements.photosOfUser.all({ userId });
  yield* statements.clearCodesOfUser.change({ userId, ...CLOSED_PAGE });
  yield* statements.deletePicturesOfUser.change({ userId });
  for (const { name } of photos) yield* forgetPhoto(statements, name);
}

/** Requires the account's lock. */
function* noteChange(
  statements: Statements,
  userId: UserId,
  subject: QrCodeId,
  createdAtMs: number | undefined,
): Step<void> {
  if (createdAtMs !== undefined)
    yield* noteEvent(statements, userId, { kind: 'code.changed', subject, createdAtMs });
}

function* lockOwn(statements: Statements, userId: UserId, id: QrCodeId) {
  yield* statements.lockAccount.one({ id: userId });
  const code = yield* statements.codeById.one({ id });
  return currentCode(code?.userId === userId ? code : undefined);
}

function* insertPicture(
  { insertPicture }: Statements,
  qrCodeId: QrCodeId,
  { address, png }: NewPicture,
): Step<void> {
  yield* insertPicture.change({ qrCodeId, address, png: Buffer.from(png) });
}

function* forgetPhoto({ deletePhoto }: Statements, name: QrCodeRecord['photoName']): Step<void> {
  if (name !== null) yield* deletePhoto.change({ name });
}
