ALTER TABLE "tipwell"."adjustments" DROP CONSTRAINT "adjustments_transaction_sequence_transactions_sequence_fk";
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" DROP CONSTRAINT "reversals_transaction_sequence_transactions_sequence_fk";
--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD COLUMN "number" integer NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."accounts_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1);
--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_number" ON "tipwell"."accounts" USING btree ("number");
--> statement-breakpoint
CREATE UNIQUE INDEX "qr_codes_sequence" ON "tipwell"."qr_codes" USING btree ("sequence");
--> statement-breakpoint
CREATE TABLE "tipwell"."tips" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."tips_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"created_at_ms" bigint NOT NULL,
	"amount_cents" bigint NOT NULL,
	"giver_fee_cents" bigint NOT NULL,
	"receiver_fee_cents" bigint NOT NULL,
	"net_amount_cents" bigint NOT NULL,
	"giver" integer,
	"receiver" integer NOT NULL,
	"code" integer NOT NULL,
	"giver_position" integer,
	"receiver_position" integer NOT NULL,
	"terms_version" integer NOT NULL,
	"giver_fee_rate" smallint NOT NULL,
	"receiver_fee_rate" smallint NOT NULL,
	"category" smallint NOT NULL,
	"mode" smallint NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"idempotency_key" text COLLATE "C" NOT NULL,
	CONSTRAINT "tips_amount" CHECK ("tipwell"."tips"."amount_cents" between 1 and 100000000000),
	CONSTRAINT "tips_fees" CHECK ("tipwell"."tips"."giver_fee_cents" >= 0 and "tipwell"."tips"."receiver_fee_cents" >= 0),
	CONSTRAINT "tips_net" CHECK ("tipwell"."tips"."net_amount_cents" >= 0 and "tipwell"."tips"."net_amount_cents" + "tipwell"."tips"."receiver_fee_cents" = "tipwell"."tips"."amount_cents"),
	CONSTRAINT "tips_two_people" CHECK ("tipwell"."tips"."giver" <> "tipwell"."tips"."receiver"),
	CONSTRAINT "tips_positions" CHECK ("tipwell"."tips"."giver_position" > 0 and "tipwell"."tips"."receiver_position" > 0),
	CONSTRAINT "tips_guest" CHECK (("tipwell"."tips"."giver" is null) = ("tipwell"."tips"."giver_position" is null)),
	CONSTRAINT "tips_category" CHECK ("tipwell"."tips"."category" between 1 and 8),
	CONSTRAINT "tips_mode" CHECK ("tipwell"."tips"."mode" between 0 and 2)
);
--> statement-breakpoint
INSERT INTO "tipwell"."tips" ("sequence", "created_at_ms", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "giver", "receiver", "code", "giver_position", "receiver_position", "terms_version", "giver_fee_rate", "receiver_fee_rate", "category", "mode", "id", "idempotency_key")
OVERRIDING SYSTEM VALUE
SELECT "t"."sequence", "t"."created_at_ms", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "g"."number", "r"."number", "q"."sequence",
	"giver_position", "receiver_position", "terms_version", "giver_fee_rate", "receiver_fee_rate",
	CASE "service_category" WHEN 'bartender' THEN 1 WHEN 'barber' THEN 2 WHEN 'nailtech' THEN 3 WHEN 'esthetician' THEN 4 WHEN 'server' THEN 5 WHEN 'escort' THEN 6 WHEN 'dj' THEN 7 WHEN 'live_event' THEN 8 END,
	CASE "payment_mode" WHEN 'simulated' THEN 0 WHEN 'test' THEN 1 WHEN 'live' THEN 2 END, "t"."id", coalesce("idempotency_key", '')
FROM "tipwell"."transactions" "t" LEFT JOIN "tipwell"."accounts" "g" ON "g"."id" = "t"."giver_id"
	LEFT JOIN "tipwell"."accounts" "r" ON "r"."id" = "t"."receiver_id" LEFT JOIN "tipwell"."qr_codes" "q" ON "q"."id" = "t"."qr_code_id"
ORDER BY "t"."sequence";
--> statement-breakpoint
SELECT setval('"tipwell"."tips_sequence_seq"', "last_value", "is_called") FROM "tipwell"."transactions_sequence_seq";
--> statement-breakpoint
CREATE UNIQUE INDEX "tips_id" ON "tipwell"."tips" USING btree ("id");
--> statement-breakpoint
CREATE UNIQUE INDEX "tips_idempotency" ON "tipwell"."tips" USING btree ("giver","idempotency_key") WHERE idempotency_key <> '';
--> statement-breakpoint
CREATE TABLE "tipwell"."tip_entries" (
	"transaction_sequence" bigint NOT NULL,
	"cents" bigint NOT NULL,
	"balance_after_cents" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"account" integer NOT NULL,
	"position" integer NOT NULL,
	"kind" smallint NOT NULL,
	CONSTRAINT "tip_entries_position" CHECK ("tipwell"."tip_entries"."position" > 0),
	CONSTRAINT "tip_entries_balance" CHECK ("tipwell"."tip_entries"."balance_after_cents" >= 0),
	CONSTRAINT "tip_entries_kind" CHECK (("tipwell"."tip_entries"."kind" in (1, 2) and "tipwell"."tip_entries"."cents" >= 0) or ("tipwell"."tip_entries"."kind" in (3, 4) and "tipwell"."tip_entries"."cents" <= 0) or "tipwell"."tip_entries"."kind" in (5, 6) or ("tipwell"."tip_entries"."kind" in (7, 8) and "tipwell"."tip_entries"."cents" = 0))
);
--> statement-breakpoint
INSERT INTO "tipwell"."tip_entries" ("account", "position", "kind", "transaction_sequence", "cents", "balance_after_cents", "created_at_ms")
SELECT "a"."number", "position", CASE "kind" WHEN 'received' THEN 1 WHEN 'given' THEN 2 WHEN 'received_reversed' THEN 3 WHEN 'given_reversed' THEN 4 WHEN 'received_adjusted' THEN 5 WHEN 'given_adjusted' THEN 6 WHEN 'received_captured' THEN 7 WHEN 'given_captured' THEN 8 END,
	"transaction_sequence", "cents", "balance_after_cents", "e"."created_at_ms"
FROM "tipwell"."entries" "e" JOIN "tipwell"."accounts" "a" ON "a"."id" = "e"."account_id" ORDER BY "transaction_sequence";
--> statement-breakpoint
DROP TABLE "tipwell"."entries";
--> statement-breakpoint
DROP TABLE "tipwell"."transactions";
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_entries" ADD CONSTRAINT "tip_entries_account_position_pk" PRIMARY KEY("account","position");
--> statement-breakpoint
CREATE INDEX "tip_entries_time" ON "tipwell"."tip_entries" USING btree ("account","created_at_ms");
--> statement-breakpoint
CREATE INDEX "tip_entries_changes" ON "tipwell"."tip_entries" USING btree ("account","created_at_ms","position") WHERE kind in (3, 4, 5, 6);
--> statement-breakpoint
CREATE TABLE "tipwell"."tip_quarters" (
	"cents" bigint NOT NULL,
	"checked_cents" bigint DEFAULT 0 NOT NULL,
	"gross_cents" bigint DEFAULT 0 NOT NULL,
	"largest_cents" bigint DEFAULT 0 NOT NULL,
	"account" integer NOT NULL,
	"quarter" integer NOT NULL,
	"count" integer NOT NULL,
	"checked_count" integer DEFAULT 0 NOT NULL,
	"detailed_count" integer DEFAULT 0 NOT NULL,
	"category" smallint NOT NULL,
	CONSTRAINT "tip_quarters_account_quarter_category_pk" PRIMARY KEY("account","quarter","category"),
	CONSTRAINT "tip_quarters_sums" CHECK ("tipwell"."tip_quarters"."count" >= 0 and "tipwell"."tip_quarters"."cents" >= 0),
	CONSTRAINT "tip_quarters_category" CHECK ("tipwell"."tip_quarters"."category" between 1 and 8)
);
--> statement-breakpoint
INSERT INTO "tipwell"."tip_quarters" ("account", "quarter", "category", "count", "cents", "checked_count", "checked_cents", "detailed_count", "gross_cents", "largest_cents")
SELECT "a"."number", "start_ms" / 900000, CASE "service_category" WHEN 'bartender' THEN 1 WHEN 'barber' THEN 2 WHEN 'nailtech' THEN 3 WHEN 'esthetician' THEN 4 WHEN 'server' THEN 5 WHEN 'escort' THEN 6 WHEN 'dj' THEN 7 WHEN 'live_event' THEN 8 END,
	"count", "cents", "checked_count", "checked_cents", "detailed_count", "gross_cents", "largest_cents"
FROM "tipwell"."tip_buckets" "b" JOIN "tipwell"."accounts" "a" ON "a"."id" = "b"."account_id";
--> statement-breakpoint
DROP TABLE "tipwell"."tip_buckets";
--> statement-breakpoint
ALTER TABLE "tipwell"."adjustments" ADD CONSTRAINT "adjustments_transaction_sequence_tips_sequence_fk" FOREIGN KEY ("transaction_sequence") REFERENCES "tipwell"."tips"("sequence") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ADD CONSTRAINT "reversals_transaction_sequence_tips_sequence_fk" FOREIGN KEY ("transaction_sequence") REFERENCES "tipwell"."tips"("sequence") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE VIEW "tipwell"."transactions" AS SELECT
	"tips"."sequence" AS "sequence",
	"tips"."id" AS "id",
	CASE WHEN "tips"."giver" IS NOT NULL THEN coalesce((SELECT "id" FROM "tipwell"."accounts" WHERE "number" = "tips"."giver"), 'number ' || "tips"."giver") END AS "giver_id",
	coalesce((SELECT "id" FROM "tipwell"."accounts" WHERE "number" = "tips"."receiver"), 'number ' || "tips"."receiver") AS "receiver_id",
	coalesce((SELECT "id" FROM "tipwell"."qr_codes" WHERE "qr_codes"."sequence" = "tips"."code"), 'number ' || "tips"."code") AS "qr_code_id",
	(CASE "tips"."category" WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || "tips"."category" END) COLLATE "C" AS "service_category",
	"tips"."amount_cents" AS "amount_cents",
	"tips"."giver_fee_cents" AS "giver_fee_cents",
	"tips"."receiver_fee_cents" AS "receiver_fee_cents",
	"tips"."net_amount_cents" AS "net_amount_cents",
	"tips"."giver_fee_rate" AS "giver_fee_rate",
	"tips"."receiver_fee_rate" AS "receiver_fee_rate",
	nullif("tips"."idempotency_key", '') AS "idempotency_key",
	"tips"."created_at_ms" AS "created_at_ms",
	"tips"."giver_position" AS "giver_position",
	"tips"."receiver_position" AS "receiver_position",
	(CASE "tips"."mode" WHEN 0 THEN 'simulated' WHEN 1 THEN 'test' WHEN 2 THEN 'live' ELSE 'number ' || "tips"."mode" END) COLLATE "C" AS "payment_mode",
	"tips"."terms_version" AS "terms_version",
	"tips"."giver" AS "giver",
	"tips"."receiver" AS "receiver",
	"tips"."code" AS "code"
FROM "tipwell"."tips";
--> statement-breakpoint
CREATE VIEW "tipwell"."entries" AS SELECT
	coalesce((SELECT "id" FROM "tipwell"."accounts" WHERE "number" = "tip_entries"."account"), 'number ' || "tip_entries"."account") AS "account_id",
	"tip_entries"."position" AS "position",
	(CASE "tip_entries"."kind" WHEN 1 THEN 'received' WHEN 2 THEN 'given' WHEN 3 THEN 'received_reversed' WHEN 4 THEN 'given_reversed' WHEN 5 THEN 'received_adjusted' WHEN 6 THEN 'given_adjusted' WHEN 7 THEN 'received_captured' WHEN 8 THEN 'given_captured' ELSE 'number ' || "tip_entries"."kind" END) COLLATE "C" AS "kind",
	"tip_entries"."transaction_sequence" AS "transaction_sequence",
	"tip_entries"."cents" AS "cents",
	"tip_entries"."balance_after_cents" AS "balance_after_cents",
	"tip_entries"."created_at_ms" AS "created_at_ms",
	"tip_entries"."account" AS "account",
	"tip_entries"."kind" AS "kind_number"
FROM "tipwell"."tip_entries";
--> statement-breakpoint
CREATE VIEW "tipwell"."tip_buckets" AS SELECT
	coalesce((SELECT "id" FROM "tipwell"."accounts" WHERE "number" = "tip_quarters"."account"), 'number ' || "tip_quarters"."account") AS "account_id",
	"tip_quarters"."quarter"::bigint * 900000 AS "start_ms",
	(CASE "tip_quarters"."category" WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || "tip_quarters"."category" END) COLLATE "C" AS "service_category",
	"tip_quarters"."count" AS "count",
	"tip_quarters"."cents" AS "cents",
	"tip_quarters"."checked_count" AS "checked_count",
	"tip_quarters"."checked_cents" AS "checked_cents",
	"tip_quarters"."detailed_count" AS "detailed_count",
	"tip_quarters"."gross_cents" AS "gross_cents",
	"tip_quarters"."largest_cents" AS "largest_cents",
	"tip_quarters"."account" AS "account",
	"tip_quarters"."quarter" AS "quarter"
FROM "tipwell"."tip_quarters";
--> statement-breakpoint
CREATE TRIGGER "tips_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."tips"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
CREATE TRIGGER "tip_entries_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."tip_entries"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
DROP FUNCTION "tipwell"."entries_follow_on"();
--> statement-breakpoint
CREATE FUNCTION "tipwell"."tip_entries_follow_on"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "inserted"
    WHERE "inserted"."position" > 1 AND NOT EXISTS (
      SELECT FROM "tipwell"."tip_entries"
      WHERE "tip_entries"."account" = "inserted"."account" AND "tip_entries"."position" = "inserted"."position" - 1
    )
  ) THEN RAISE EXCEPTION 'the entries of an account follow on without a gap'; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "tip_entries_follow_on" AFTER INSERT ON "tipwell"."tip_entries"
REFERENCING NEW TABLE AS "inserted"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."tip_entries_follow_on"();
--> statement-breakpoint
DROP FUNCTION "tipwell"."transactions_are_paid"();
--> statement-breakpoint
CREATE FUNCTION "tipwell"."tips_are_paid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "tipwell"."payments"
    WHERE "payments"."id" = NEW."id" AND "payments"."state" IN ('pending', 'authorised', 'succeeded', 'refunded', 'cancelled')
      AND "payments"."giver_id" IS NOT DISTINCT FROM (SELECT "accounts"."id" FROM "tipwell"."accounts" WHERE "number" = NEW."giver")
      AND "payments"."receiver_id" = (SELECT "accounts"."id" FROM "tipwell"."accounts" WHERE "number" = NEW."receiver")
      AND "payments"."qr_code_id" = (SELECT "qr_codes"."id" FROM "tipwell"."qr_codes" WHERE "sequence" = NEW."code")
      AND "payments"."service_category" = CASE NEW."category" WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || NEW."category" END
      AND "payments"."amount_cents" = NEW."amount_cents" AND "payments"."giver_fee_cents" = NEW."giver_fee_cents" AND "payments"."receiver_fee_cents" = NEW."receiver_fee_cents" AND "payments"."net_amount_cents" = NEW."net_amount_cents"
      AND "payments"."giver_fee_rate" = NEW."giver_fee_rate" AND "payments"."receiver_fee_rate" = NEW."receiver_fee_rate" AND "payments"."terms_version" = NEW."terms_version"
      AND "payments"."payment_mode" = CASE NEW."mode" WHEN 0 THEN 'simulated' WHEN 1 THEN 'test' WHEN 2 THEN 'live' ELSE 'number ' || NEW."mode" END
  ) THEN RAISE EXCEPTION 'a tip is as its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "tips_are_paid" BEFORE INSERT ON "tipwell"."tips"
FOR EACH ROW WHEN (NEW."mode" <> 0) EXECUTE FUNCTION "tipwell"."tips_are_paid"();
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "tipwell"."terms_follow_on"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."version" <> 1 + (SELECT coalesce(max("version"), 0) FROM "tipwell"."terms")
  THEN RAISE EXCEPTION 'versions of terms follow on without a gap'; END IF;
  IF NEW."currency" || ' ' || NEW."exponent" <> coalesce((SELECT "currency" || ' ' || "exponent" FROM "tipwell"."terms" ORDER BY "version" DESC LIMIT 1), 'USD 2') THEN
    -- Waits for tips that are not committed yet, and lets others wait until they see these terms.
    LOCK TABLE "tipwell"."tips", "tipwell"."payments" IN SHARE MODE;
    IF EXISTS (SELECT FROM "tipwell"."tips") OR EXISTS (SELECT FROM "tipwell"."payments")
    THEN RAISE EXCEPTION 'the first tip fixes the currency'; END IF;
  END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "tips_are_in_the_present_currency" AFTER INSERT ON "tipwell"."tips"
REFERENCING NEW TABLE AS "inserted"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."are_in_the_present_currency"();
