ALTER TABLE "tipwell"."blocked_givers" ADD COLUMN "page_name" text COLLATE "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" DROP CONSTRAINT "blocked_givers_receiver_id_giver_id_pk";
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" ADD CONSTRAINT "blocked_givers_receiver_id_giver_id_page_name_pk" PRIMARY KEY("receiver_id","giver_id","page_name");
--> statement-breakpoint
-- A block goes on for the page that was tipped, and for what has become of that page.
UPDATE "tipwell"."blocked_givers" AS "block"
SET "page_name" = CASE WHEN "page"."display_name" = "receiver"."full_name" THEN '' ELSE coalesce("page"."display_name", '') END
FROM "tipwell"."accounts" AS "receiver", "tipwell"."transactions" AS "tip", "tipwell"."qr_codes" AS "page"
WHERE "receiver"."id" = "block"."receiver_id" AND "tip"."id" = "block"."transaction_id" AND "page"."id" = "tip"."qr_code_id";
--> statement-breakpoint
INSERT INTO "tipwell"."blocked_givers" ("receiver_id", "giver_id", "page_name", "transaction_id", "created_at_ms")
SELECT "block"."receiver_id", "block"."giver_id",
	CASE WHEN "page"."display_name" = "receiver"."full_name" THEN '' ELSE coalesce("page"."display_name", '') END,
	"block"."transaction_id", "block"."created_at_ms"
FROM "tipwell"."blocked_givers" AS "block"
JOIN "tipwell"."accounts" AS "receiver" ON "receiver"."id" = "block"."receiver_id"
JOIN "tipwell"."transactions" AS "tip" ON "tip"."id" = "block"."transaction_id"
JOIN "tipwell"."qr_codes" AS "page" ON "page"."user_id" = "block"."receiver_id"
	AND "page"."category" = "tip"."service_category" AND "page"."status" IN ('active', 'paused')
ON CONFLICT DO NOTHING;
--> statement-breakpoint
ALTER TABLE "tipwell"."sessions" ADD COLUMN "confirmed_at_ms" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE "tipwell"."sessions" SET "expires_at_ms" = least("expires_at_ms", "created_at_ms" + 7776000000);
