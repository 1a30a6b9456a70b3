/** What PostgreSQL reads for the tips that it records together. */
import { eq, sql } from 'drizzle-orm';
import type { UserId } from '#shared/ids.ts';
import type { PresentBlock } from '../rules/words.ts';
import { qrCodes } from '../schema/codes.ts';
import { reversals, transactions } from '../schema/ledger.ts';
import { blockedGivers, tipWords } from '../schema/words.ts';
import { type Builder, value } from './builder.ts';
import { code } from './codes.ts';
import { isReversed, transaction } from './tips.ts';

export function tipGroupStatements({ db, isIn, choose }: Builder) {
  return {
    /** Each with the blocks that its owner has of the givers; pages of other services are read only where there are blocks. */
    codesWithBlocks: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...code,
          blocks: sql<readonly (PresentBlock & { readonly giverId: UserId })[]>`array(
            select json_build_object('giverId', giver_id, 'serviceCategory', service_category,
              'pageId', page.id, 'displayName', page.display_name)
            from ${blockedGivers} left join lateral (
              select id, display_name from ${qrCodes} as own
              where own.user_id = receiver_id and own.category = service_category and own.status in ('active', 'paused') limit 1
            ) as page on true
            where receiver_id = qr_codes.user_id and giver_id = any (${value('giverIds')}::text[])
          )`,
        })
        .from(qrCodes)
        .where(isIn(qrCodes.id, 'codeIds')),
    }),
    /**
     * Those of the ids, and those of the givers and their keys. The limits of one row keep the planner from joining: as long as its
     * statistics know of no keys, it would read the whole index of the keys for each group (measured: 1.6 ms for each tip after
     * some thousand).
     */
    earlierTips: choose('SQLite records tips one by one', {
      sqlite: null,
      postgres: db
        .select({
          ...transaction,
          /** Null as a whole where there are none. */
          words: { message: tipWords.message, giverName: tipWords.giverName, isErased: tipWords.isErased },
        })
        .from(sql`(
          select sequence from unnest(${value('ids')}::text[]) as own (tip_id)
          cross join lateral (select sequence from ${transactions} where id = tip_id limit 1) as tip
          union
          select sequence from unnest(${value('giverIds')}::text[], ${value('keys')}::text[]) as key (giver, word)
          cross join lateral (
            select sequence from ${transactions}
            where giver_id = giver and idempotency_key = word and idempotency_key is not null limit 1
          ) as tip
        ) as found`)
        .innerJoin(transactions, sql`${transactions.sequence} = found.sequence`)
        .leftJoin(reversals, isReversed)
        .leftJoin(tipWords, eq(tipWords.transactionId, transactions.id)),
    }),
  };
}
