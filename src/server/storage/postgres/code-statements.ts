/**
 * The statements about codes and what is on their tip pages; see `statements.ts`.
 */
import { and, asc, desc, eq, isNotNull, sql } from 'drizzle-orm';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { PhotoName } from '#shared/ids.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import { prepareInsert } from './placeholders.ts';
import { accounts, photos, providerCategories, qrCodes, qrPictures } from './schema.ts';

/** The names of whom a code tips, for statements that join a code with the account that owns it. */
export const namesOfCode = { username: accounts.username, fullName: accounts.fullName };
const code = {
  id: qrCodes.id,
  userId: qrCodes.userId,
  serviceCategory: qrCodes.category,
  status: qrCodes.status,
  displayName: qrCodes.displayName,
  greeting: qrCodes.greeting,
  thankYou: qrCodes.thankYou,
  photoName: qrCodes.photoName,
  takesWords: qrCodes.takesWords,
};
/** The condition of the index `qr_codes_current`, in its words. */
export const isCurrent = sql`status in ('active', 'paused')`;
export const ownsCode = eq(accounts.id, qrCodes.userId);
/** As givers see it: a code of an account that is being closed takes no tips. */
const statusForGivers = sql<QrCodeStatus>`CASE
  WHEN ${qrCodes.status} = 'active' AND ${accounts.closesAtMs} IS NOT NULL THEN 'paused' ELSE ${qrCodes.status} END`;

export function prepareCodeStatements(db: NodePgDatabase) {
  const value = sql.placeholder;

  return {
    categoryOffered: db
      .select({ category: providerCategories.category })
      .from(providerCategories)
      .where(
        and(
          eq(providerCategories.userId, value('userId')),
          eq(providerCategories.category, value('category')),
          eq(providerCategories.isOffered, true),
        ),
      )
      .prepare('category_offered'),
    /** The service's code that is active or paused. */
    codeOfCategory: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(eq(qrCodes.userId, value('userId')), eq(qrCodes.category, value('category')), isCurrent))
      .prepare('code_of_category'),
    insertQrCode: prepareInsert(db, qrCodes, 'insert_qr_code'),
    /** Each with its picture for the address that is `addressPrefix` and its id. */
    codesOfUser: db
      .select({ ...code, picture: qrPictures.png })
      .from(qrCodes)
      .leftJoin(
        qrPictures,
        and(
          eq(qrPictures.qrCodeId, qrCodes.id),
          eq(qrPictures.address, sql`${value('addressPrefix')} || ${qrCodes.id}`),
        ),
      )
      .where(and(eq(qrCodes.userId, value('userId')), isCurrent))
      .orderBy(asc(qrCodes.sequence))
      .prepare('codes_of_user'),
    /** Without the picture, and those made before the code `before`, unless that is null. */
    endedCodesOfUser: db
      .select(code)
      .from(qrCodes)
      .where(
        and(
          eq(qrCodes.userId, value('userId')),
          sql`not (${isCurrent})`,
          sql`(${value('before')}::text is null or ${qrCodes.sequence} < (
            select earlier.sequence from ${qrCodes} as earlier where earlier.id = ${value('before')} and earlier.user_id = ${value('userId')}
          ))`,
        ),
      )
      .orderBy(desc(qrCodes.sequence))
      .limit(value('atMost'))
      .prepare('ended_codes_of_user'),
    codeWithProvider: db
      .select({ ...code, ...namesOfCode, status: statusForGivers })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(eq(qrCodes.id, value('id')))
      .prepare('code_with_provider'),
    pictureOfCode: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(and(eq(qrPictures.qrCodeId, value('qrCodeId')), eq(qrPictures.address, value('address'))))
      .prepare('picture_of_code'),
    codeById: db
      .select(code)
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare('code_by_id'),
    updateCode: db
      .update(qrCodes)
      .set({
        status: sql`${value('status')}`,
        displayName: sql`${value('displayName')}`,
        greeting: sql`${value('greeting')}`,
        thankYou: sql`${value('thankYou')}`,
        takesWords: sql`${value('takesWords')}`,
        photoName: sql`${value('photoName')}`,
      })
      .where(eq(qrCodes.id, value('id')))
      .prepare('update_code'),
    /** Retires the codes of an account that still lead somewhere, and takes off what was written on the pages of all. */
    clearCodesOfUser: db
      .update(qrCodes)
      .set({
        status: sql`CASE WHEN ${qrCodes.status} IN ('active', 'paused') THEN 'retired' ELSE ${qrCodes.status} END`,
        displayName: sql`${value('displayName')}`,
        greeting: null,
        thankYou: null,
        photoName: null,
      })
      .where(eq(qrCodes.userId, value('userId')))
      .prepare('clear_codes_of_user'),
    photosOfUser: db
      .selectDistinct({ name: sql<PhotoName>`${qrCodes.photoName}` })
      .from(qrCodes)
      .where(and(eq(qrCodes.userId, value('userId')), isNotNull(qrCodes.photoName)))
      .prepare('photos_of_user'),
    insertPhoto: prepareInsert(db, photos, 'insert_photo'),
    photoByName: db
      .select({ jpeg: photos.jpeg })
      .from(photos)
      .where(eq(photos.name, value('name')))
      .prepare('photo_by_name'),
    deletePhoto: db
      .delete(photos)
      .where(eq(photos.name, value('name')))
      .prepare('delete_photo'),
    insertPicture: prepareInsert(db, qrPictures, 'insert_picture'),
  };
}
