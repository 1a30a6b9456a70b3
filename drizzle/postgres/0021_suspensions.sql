ALTER TABLE "tipwell"."accounts" ADD COLUMN "suspended_at_ms" bigint;--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD COLUMN "suspension_reason" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD CONSTRAINT "accounts_suspension" CHECK (("tipwell"."accounts"."suspended_at_ms" is null) = ("tipwell"."accounts"."suspension_reason" is null));--> statement-breakpoint
DROP TRIGGER "accounts_tell_of_codes" ON "tipwell"."accounts";--> statement-breakpoint
CREATE TRIGGER "accounts_tell_of_codes" AFTER UPDATE OF "username", "full_name", "closes_at_ms", "suspended_at_ms" ON "tipwell"."accounts"
FOR EACH ROW WHEN (
  OLD."username" <> NEW."username" OR OLD."full_name" <> NEW."full_name"
  OR OLD."closes_at_ms" IS DISTINCT FROM NEW."closes_at_ms"
  OR OLD."suspended_at_ms" IS DISTINCT FROM NEW."suspended_at_ms"
)
EXECUTE FUNCTION "tipwell"."tell_of_codes"();
