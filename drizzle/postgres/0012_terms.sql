CREATE TABLE "tipwell"."terms" (
	"version" integer PRIMARY KEY NOT NULL,
	"from_ms" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"currency" text COLLATE "C" NOT NULL,
	"exponent" integer NOT NULL,
	"giver_fee_rate" integer NOT NULL,
	"receiver_fee_rate" integer NOT NULL,
	"min_tip_cents" bigint NOT NULL,
	"max_tip_cents" bigint NOT NULL,
	"quick_amounts" text COLLATE "C" NOT NULL,
	CONSTRAINT "terms_exponent" CHECK ("tipwell"."terms"."exponent" in (0, 2, 3)),
	CONSTRAINT "terms_giver_fee_rate" CHECK ("tipwell"."terms"."giver_fee_rate" between 0 and 10000),
	CONSTRAINT "terms_receiver_fee_rate" CHECK ("tipwell"."terms"."receiver_fee_rate" between 0 and 10000),
	CONSTRAINT "terms_min_tip" CHECK ("tipwell"."terms"."min_tip_cents" >= 1),
	CONSTRAINT "terms_max_tip" CHECK ("tipwell"."terms"."max_tip_cents" between "tipwell"."terms"."min_tip_cents" and 100000000000)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."entries" DROP CONSTRAINT "entries_kind";
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" DROP CONSTRAINT "transactions_amount";
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" DROP CONSTRAINT "transactions_net";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" DROP CONSTRAINT "payments_amount";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" DROP CONSTRAINT "payments_net";
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD COLUMN "terms_version" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "terms_version" integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."entries" ADD CONSTRAINT "entries_kind" CHECK (("tipwell"."entries"."kind" in ('received', 'given') and "tipwell"."entries"."cents" >= 0) or ("tipwell"."entries"."kind" in ('received_reversed', 'given_reversed') and "tipwell"."entries"."cents" <= 0));
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_amount" CHECK ("tipwell"."transactions"."amount_cents" between 1 and 100000000000);
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_net" CHECK ("tipwell"."transactions"."net_amount_cents" >= 0 and "tipwell"."transactions"."net_amount_cents" + "tipwell"."transactions"."receiver_fee_cents" = "tipwell"."transactions"."amount_cents");
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_amount" CHECK ("tipwell"."payments"."amount_cents" between 1 and 100000000000);
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_net" CHECK ("tipwell"."payments"."net_amount_cents" >= 0 and "tipwell"."payments"."net_amount_cents" + "tipwell"."payments"."receiver_fee_cents" = "tipwell"."payments"."amount_cents");
--> statement-breakpoint
DROP TRIGGER "payments_never_change" ON "tipwell"."payments";
--> statement-breakpoint
CREATE TRIGGER "payments_never_change" BEFORE UPDATE OF "id", "giver_id", "receiver_id", "qr_code_id", "service_category", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "giver_fee_rate", "receiver_fee_rate", "terms_version", "idempotency_key", "created_at_ms", "payment_mode", "destination", "expires_at_ms" ON "tipwell"."payments"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."refuse"('a payment stays what it is');
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "tipwell"."transactions_are_paid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "tipwell"."payments"
    WHERE "payments"."id" = NEW."id" AND "payments"."state" IN ('pending', 'succeeded', 'refunded')
      AND "payments"."giver_id" IS NOT DISTINCT FROM NEW."giver_id"
      AND "payments"."receiver_id" = NEW."receiver_id" AND "payments"."qr_code_id" = NEW."qr_code_id" AND "payments"."service_category" = NEW."service_category"
      AND "payments"."amount_cents" = NEW."amount_cents" AND "payments"."giver_fee_cents" = NEW."giver_fee_cents" AND "payments"."receiver_fee_cents" = NEW."receiver_fee_cents" AND "payments"."net_amount_cents" = NEW."net_amount_cents"
      AND "payments"."giver_fee_rate" = NEW."giver_fee_rate" AND "payments"."receiver_fee_rate" = NEW."receiver_fee_rate" AND "payments"."terms_version" = NEW."terms_version" AND "payments"."payment_mode" = NEW."payment_mode"
  ) THEN RAISE EXCEPTION 'a tip is as its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "terms_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."terms"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('terms stay what they were');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."terms_follow_on"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."version" <> 1 + (SELECT coalesce(max("version"), 0) FROM "tipwell"."terms")
  THEN RAISE EXCEPTION 'versions of terms follow on without a gap'; END IF;
  IF NEW."currency" || ' ' || NEW."exponent" <> coalesce((SELECT "currency" || ' ' || "exponent" FROM "tipwell"."terms" ORDER BY "version" DESC LIMIT 1), 'USD 2') THEN
    -- Waits for tips that are not committed yet, and lets others wait until they see these terms.
    LOCK TABLE "tipwell"."transactions", "tipwell"."payments" IN SHARE MODE;
    IF EXISTS (SELECT FROM "tipwell"."transactions") OR EXISTS (SELECT FROM "tipwell"."payments")
    THEN RAISE EXCEPTION 'the first tip fixes the currency'; END IF;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "terms_follow_on" BEFORE INSERT ON "tipwell"."terms"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."terms_follow_on"();
--> statement-breakpoint
CREATE FUNCTION "tipwell"."are_in_the_present_currency"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "inserted" JOIN "tipwell"."terms" AS "later" ON "later"."version" > "inserted"."terms_version"
    LEFT JOIN "tipwell"."terms" AS "own" ON "own"."version" = "inserted"."terms_version"
    WHERE "later"."currency" <> coalesce("own"."currency", 'USD')
  ) THEN RAISE EXCEPTION 'the currency has changed'; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "transactions_are_in_the_present_currency" AFTER INSERT ON "tipwell"."transactions"
REFERENCING NEW TABLE AS "inserted"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."are_in_the_present_currency"();
--> statement-breakpoint
CREATE TRIGGER "payments_are_in_the_present_currency" AFTER INSERT ON "tipwell"."payments"
REFERENCING NEW TABLE AS "inserted"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."are_in_the_present_currency"();
