CREATE TABLE "tipwell"."closed_usernames" (
	"hash" "bytea" PRIMARY KEY NOT NULL,
	CONSTRAINT "closed_usernames_hash" CHECK (length("tipwell"."closed_usernames"."hash") = 32)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD COLUMN "closes_at_ms" bigint;
--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD COLUMN "closed_at_ms" bigint;
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ADD COLUMN "reversed_by" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ADD COLUMN "idempotency_key" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_buckets" ADD COLUMN "detailed_count" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_buckets" ADD COLUMN "gross_cents" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_buckets" ADD COLUMN "largest_cents" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX "accounts_closing" ON "tipwell"."accounts" USING btree ("closes_at_ms") WHERE closes_at_ms is not null;
--> statement-breakpoint
CREATE INDEX "entries_time" ON "tipwell"."entries" USING btree ("account_id","created_at_ms");
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ADD CONSTRAINT "reversals_reversed_by" CHECK ("tipwell"."reversals"."reversed_by" in ('giver', 'receiver'));
--> statement-breakpoint
DROP TRIGGER "former_usernames_never_change" ON "tipwell"."former_usernames";
--> statement-breakpoint
CREATE TRIGGER "former_usernames_never_change" BEFORE UPDATE OR TRUNCATE ON "tipwell"."former_usernames"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a username is never reissued');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."former_usernames_never_go"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT "closed_at_ms" FROM "tipwell"."accounts" WHERE "id" = OLD."user_id") IS NULL
  THEN RAISE EXCEPTION 'a username is never reissued'; END IF;
  RETURN OLD;
END $$;
--> statement-breakpoint
CREATE TRIGGER "former_usernames_never_go" BEFORE DELETE ON "tipwell"."former_usernames"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."former_usernames_never_go"();
--> statement-breakpoint
CREATE TRIGGER "closed_usernames_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."closed_usernames"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a username is never reissued');
--> statement-breakpoint
CREATE TRIGGER "accounts_stay_closed" BEFORE UPDATE OF "closed_at_ms" ON "tipwell"."accounts"
FOR EACH ROW WHEN (OLD."closed_at_ms" IS NOT NULL)
EXECUTE FUNCTION "tipwell"."refuse"('an account that was closed stays closed');
--> statement-breakpoint
DROP TRIGGER "accounts_tell_of_codes" ON "tipwell"."accounts";
--> statement-breakpoint
CREATE TRIGGER "accounts_tell_of_codes" AFTER UPDATE OF "username", "full_name", "closes_at_ms" ON "tipwell"."accounts"
FOR EACH ROW WHEN (
  OLD."username" <> NEW."username" OR OLD."full_name" <> NEW."full_name"
  OR OLD."closes_at_ms" IS DISTINCT FROM NEW."closes_at_ms"
)
EXECUTE FUNCTION "tipwell"."tell_of_codes"();
