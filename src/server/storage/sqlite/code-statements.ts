/**
 * The statements about codes and what is on their tip pages; see `statements.ts`.
 */
import { and, asc, desc, eq, sql } from 'drizzle-orm';
import type { BetterSQLite3Database } from 'drizzle-orm/better-sqlite3';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import { given, prepareInsert } from './placeholders.ts';
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

export function prepareCodeStatements(db: BetterSQLite3Database) {
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
      .prepare(),
    /** The service's code that is active or paused; the index holds no others, and SQLite uses it only when the query says so. */
    codeOfCategory: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(eq(qrCodes.userId, value('userId')), eq(qrCodes.category, value('category')), isCurrent))
      .prepare(),
    insertQrCode: prepareInsert(db, qrCodes),
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
      .where(and(eq(qrCodes.userId, given('userId')), isCurrent))
      .orderBy(asc(sql`${qrCodes}.rowid`))
      .prepare(),
    /** Without the picture, and those made before the code `before`, unless that is null. */
    endedCodesOfUser: db
      .select(code)
      .from(qrCodes)
      .where(
        and(
          eq(qrCodes.userId, given('userId')),
          sql`not (${isCurrent})`,
          sql`(${value('before')} is null or ${qrCodes}.rowid < (
            select earlier.rowid from ${qrCodes} as earlier where earlier.id = ${value('before')} and earlier.user_id = ${value('userId')}
          ))`,
        ),
      )
      .orderBy(desc(sql`${qrCodes}.rowid`))
      .limit(value('atMost'))
      .prepare(),
    codeById: db
      .select(code)
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
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
      .prepare(),
    insertPhoto: prepareInsert(db, photos),
    photoByName: db
      .select({ jpeg: photos.jpeg })
      .from(photos)
      .where(eq(photos.name, value('name')))
      .prepare(),
    deletePhoto: db
      .delete(photos)
      .where(eq(photos.name, value('name')))
      .prepare(),
    codeExists: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(eq(qrCodes.id, value('id')))
      .prepare(),
    codeWithProvider: db
      .select({ ...code, ...namesOfCode, status: statusForGivers })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(eq(qrCodes.id, given('id')))
      .prepare(),
    pictureOfCode: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(and(eq(qrPictures.qrCodeId, value('qrCodeId')), eq(qrPictures.address, value('address'))))
      .prepare(),
    insertPicture: prepareInsert(db, qrPictures, (insert) => insert.onConflictDoNothing()),
  };
}
