import { sql } from 'drizzle-orm';
import { check, foreignKey, index, primaryKey, uniqueIndex } from 'drizzle-orm/pg-core';
import type { ServiceCategory } from '#shared/categories.ts';
import type { PhotoName, QrCodeId } from '#shared/ids.ts';
import type { QrCodeStatus } from '#shared/qr-codes.ts';
import { providerCategories } from './accounts.ts';
import { boolean, bytes, table, text, userId, whole } from './columns.ts';
import type { CodeNumber } from './numbers.ts';

/** Photos of tip pages. A name is never used for a second photo. */
export const photos = table(
  'photos',
  {
    name: text('name').$type<PhotoName>().primaryKey(),
    jpeg: bytes('jpeg').notNull(),
  },
  (t) => [check('photos_size', sql`length(${t.jpeg}) between 1 and 262144`)],
);

export const qrCodes = table(
  'qr_codes',
  {
    id: text('id').$type<QrCodeId>().primaryKey(),
    userId: userId('user_id').notNull(),
    category: text('category').$type<ServiceCategory>().notNull(),
    createdAtMs: whole('created_at_ms').notNull(),
    status: text('status').$type<QrCodeStatus>().notNull().default('active'),
    displayName: text('display_name'),
    greeting: text('greeting'),
    photoName: text('photo_name')
      .$type<PhotoName>()
      .references(() => photos.name),
    /** The order of creation, and the code's name within the ledger. */
    sequence: whole('sequence').$type<CodeNumber>().notNull().generatedAlwaysAsIdentity(),
    takesWords: boolean('takes_words').notNull().default(true),
    thankYou: text('thank_you'),
    isListed: boolean('is_listed').notNull().default(false),
  },
  (t) => [
    uniqueIndex('qr_codes_sequence').on(t.sequence),
    index('qr_codes_user').on(t.userId),
    // A photo that goes looks for other codes with it.
    index('qr_codes_photo').on(t.photoName).where(sql`photo_name is not null`),
    uniqueIndex('qr_codes_current').on(t.userId, t.category).where(sql`status in ('active', 'paused')`),
    foreignKey({
      // PostgreSQL would cut off drizzle's default name.
      name: 'qr_codes_offered',
      columns: [t.userId, t.category],
      foreignColumns: [providerCategories.userId, providerCategories.category],
    }),
    check('qr_codes_id', sql`length(${t.id}) = 10`),
    check('qr_codes_status', sql`${t.status} in ('active', 'paused', 'replaced', 'retired')`),
  ],
);

/** One picture for each code and address; a changed PUBLIC_URL asks for another. */
export const qrPictures = table(
  'qr_pictures',
  {
    qrCodeId: text('qr_code_id')
      .$type<QrCodeId>()
      .notNull()
      .references(() => qrCodes.id),
    address: text('address').notNull(),
    png: bytes('png').notNull(),
  },
  (t) => [primaryKey({ columns: [t.qrCodeId, t.address] })],
);
