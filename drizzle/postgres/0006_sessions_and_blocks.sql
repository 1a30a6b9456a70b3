ALTER TABLE "tipwell"."blocked_givers" ADD COLUMN "service_category" text COLLATE "C";
--> statement-breakpoint
-- A block goes on for the service of the tip by which it was made.
UPDATE "tipwell"."blocked_givers" AS "block"
SET "service_category" = "tip"."service_category"
FROM "tipwell"."transactions" AS "tip"
WHERE "tip"."id" = "block"."transaction_id";
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" ALTER COLUMN "service_category" SET NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" DROP CONSTRAINT "blocked_givers_receiver_id_giver_id_pk";
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" ADD CONSTRAINT "blocked_givers_receiver_id_giver_id_service_category_pk" PRIMARY KEY("receiver_id","giver_id","service_category");
--> statement-breakpoint
ALTER TABLE "tipwell"."sessions" ADD COLUMN "confirmed_at_ms" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE "tipwell"."sessions" SET "expires_at_ms" = least("expires_at_ms", "created_at_ms" + 7776000000);
