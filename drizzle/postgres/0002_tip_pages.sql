CREATE TABLE "tipwell"."former_usernames" (
	"username" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tipwell"."photos" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"jpeg" "bytea" NOT NULL,
	CONSTRAINT "photos_size" CHECK (length("tipwell"."photos"."jpeg") between 1 and 262144)
);
--> statement-breakpoint
DROP INDEX "tipwell"."qr_codes_user_category";--> statement-breakpoint
ALTER TABLE "tipwell"."provider_categories" ADD COLUMN "is_offered" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "status" text COLLATE "C" DEFAULT 'active' NOT NULL;--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "display_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "greeting" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "photo_name" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tipwell"."former_usernames" ADD CONSTRAINT "former_usernames_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD CONSTRAINT "qr_codes_photo_name_photos_name_fk" FOREIGN KEY ("photo_name") REFERENCES "tipwell"."photos"("name") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "qr_codes_user" ON "tipwell"."qr_codes" USING btree ("user_id");--> statement-breakpoint
CREATE UNIQUE INDEX "qr_codes_current" ON "tipwell"."qr_codes" USING btree ("user_id","category") WHERE status in ('active', 'paused');--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD CONSTRAINT "qr_codes_status" CHECK ("tipwell"."qr_codes"."status" in ('active', 'paused', 'replaced', 'retired'));--> statement-breakpoint
DROP TRIGGER "qr_codes_never_change" ON "tipwell"."qr_codes";--> statement-breakpoint
CREATE TRIGGER "qr_codes_never_change" BEFORE UPDATE OF "id", "user_id", "category", "created_at_ms" ON "tipwell"."qr_codes"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a printed code stays what it is');
--> statement-breakpoint
CREATE TRIGGER "qr_codes_never_go" BEFORE DELETE OR TRUNCATE ON "tipwell"."qr_codes"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a printed code is never reissued');
--> statement-breakpoint
CREATE TRIGGER "qr_codes_end_for_good" BEFORE UPDATE OF "status" ON "tipwell"."qr_codes"
FOR EACH ROW WHEN (OLD."status" IN ('replaced', 'retired') AND NEW."status" <> OLD."status")
EXECUTE FUNCTION "tipwell"."refuse"('a code that was replaced or retired leads nowhere any more');
--> statement-breakpoint
CREATE TRIGGER "former_usernames_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."former_usernames"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a username is never reissued');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."tell_of_code"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('tipwell', 'c:' || NEW."user_id"); RETURN NULL; END $$;
--> statement-breakpoint
CREATE TRIGGER "qr_codes_tell" AFTER UPDATE ON "tipwell"."qr_codes"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."tell_of_code"();
