import { and, asc, desc, eq, inArray, isNotNull, sql } from 'drizzle-orm';
import type { PhotoName } from '#shared/ids.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import { accounts, providerCategories } from '../schema/accounts.ts';
import { photos, qrCodes, qrPictures } from '../schema/codes.ts';
import type { AccountNumber } from '../schema/numbers.ts';
import { allBut, type Builder, givenAllBut, insertOnce, is, matches, value } from './builder.ts';

/** The provider's names, for statements that join a code with its account. */
const namesOfCode = { username: accounts.username, fullName: accounts.fullName };
/** The names of a receiver, for statements that join a tip or payment with its code and that with its account. */
export const receiverNames = {
  receiverName: namesOfCode.fullName,
  receiverUsername: namesOfCode.username,
  displayName: qrCodes.displayName,
  defaultThankYou: qrCodes.thankYou,
};
export const code = {
  ...allBut(qrCodes, 'category', 'createdAtMs', 'sequence'),
  serviceCategory: qrCodes.category,
};
/** The exact condition of the index `qr_codes_current`, without which SQLite does not use it. */
export const isCurrent = sql`status in ('active', 'paused')`;
/** Says of the category what is always true: SQLite takes the index of all codes that an account ever had otherwise. */
const isCurrentOfAnyCategory = and(isCurrent, sql`category > ''`);
export const ownsCode = eq(accounts.id, qrCodes.userId);
const statusForGivers = sql<QrCodeStatus>`case
  when ${qrCodes.status} = 'active' and (${accounts.closesAtMs} is not null or ${accounts.suspendedAtMs} is not null)
  then 'paused' else ${qrCodes.status} end`;
/** Read with the code, so that a tip asks for no statement more; true of one who is closed, too. */
const isGiverSuspended = sql`exists (
  select 1 from ${accounts} as giver where giver.id = ${value('giverId')}
    and (giver.suspended_at_ms is not null or giver.closed_at_ms is not null)
)`.mapWith(Boolean);

export function codeStatements({ db }: Builder) {
  return {
    categoryOffered: db
      .select({ category: providerCategories.category })
      .from(providerCategories)
      .where(
        and(
          is(providerCategories.userId, 'userId'),
          is(providerCategories.category, 'category'),
          eq(providerCategories.isOffered, true),
        ),
      ),
    codeOfCategory: db
      .select({ id: qrCodes.id })
      .from(qrCodes)
      .where(and(is(qrCodes.userId, 'userId'), is(qrCodes.category, 'category'), isCurrent)),
    insertQrCode: insertOnce(db, qrCodes),
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
      .where(and(is(qrCodes.userId, 'userId'), isCurrentOfAnyCategory))
      .orderBy(asc(qrCodes.sequence)),
    /** Without pictures, older than the code `before` unless that is null. */
    endedCodesOfUser: db
      .select(code)
      .from(qrCodes)
      .where(
        and(
          is(qrCodes.userId, 'userId'),
          sql`not (${isCurrent})`,
          sql`(cast(${value('before')} as text) is null or ${qrCodes.sequence} < (
            select earlier.sequence from ${qrCodes} as earlier where earlier.id = ${value('before')} and earlier.user_id = ${value('userId')}
          ))`,
        ),
      )
      .orderBy(desc(qrCodes.sequence))
      .limit(value('atMost')),
    codeWithProvider: db
      .select({ ...code, ...namesOfCode, status: statusForGivers })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(is(qrCodes.id, 'id')),
    codeForGiver: db
      .select({
        ...code,
        ...namesOfCode,
        status: statusForGivers,
        isGiverSuspended,
        number: qrCodes.sequence,
        receiver: accounts.number,
        giver: sql<AccountNumber | null>`(select number from ${accounts} where id = ${value('giverId')})`,
      })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(is(qrCodes.id, 'id')),
    publicCodes: db
      .select({ ...code, ...namesOfCode, status: statusForGivers })
      .from(qrCodes)
      .innerJoin(accounts, ownsCode)
      .where(and(is(accounts.username, 'username'), eq(qrCodes.isListed, true), isCurrentOfAnyCategory))
      .orderBy(asc(qrCodes.sequence)),
    pictureOfCode: db
      .select({ png: qrPictures.png })
      .from(qrPictures)
      .where(matches(qrPictures, 'qrCodeId', 'address')),
    codeWithAge: db
      .select({
        id: qrCodes.id,
        userId: qrCodes.userId,
        status: qrCodes.status,
        serviceCategory: qrCodes.category,
        displayName: qrCodes.displayName,
        createdAtMs: qrCodes.createdAtMs,
      })
      .from(qrCodes)
      .where(is(qrCodes.id, 'id')),
    codeById: db.select(code).from(qrCodes).where(is(qrCodes.id, 'id')),
    updateCode: db
      .update(qrCodes)
      .set(givenAllBut(qrCodes, 'id', 'userId', 'category', 'createdAtMs', 'sequence'))
      .where(is(qrCodes.id, 'id')),
    clearCodesOfUser: db
      .update(qrCodes)
      .set({
        ...givenAllBut(
          qrCodes,
          'id',
          'userId',
          'category',
          'createdAtMs',
          'sequence',
          'status',
          'takesWords',
        ),
        status: sql`case when ${qrCodes.status} in ('active', 'paused') then 'retired' else ${qrCodes.status} end`,
      })
      .where(is(qrCodes.userId, 'userId')),
    photosOfUser: db
      .selectDistinct({ name: sql<PhotoName>`${qrCodes.photoName}` })
      .from(qrCodes)
      .where(and(is(qrCodes.userId, 'userId'), isNotNull(qrCodes.photoName))),
    insertPhoto: insertOnce(db, photos),
    photoByName: db.select({ jpeg: photos.jpeg }).from(photos).where(is(photos.name, 'name')),
    deletePhoto: db.delete(photos).where(is(photos.name, 'name')),
    insertPicture: insertOnce(db, qrPictures),
    deletePicturesOf: db.delete(qrPictures).where(is(qrPictures.qrCodeId, 'id')),
    deletePicturesOfUser: db
      .delete(qrPictures)
      .where(
        inArray(
          qrPictures.qrCodeId,
          db.select({ id: qrCodes.id }).from(qrCodes).where(is(qrCodes.userId, 'userId')),
        ),
      ),
  };
}
