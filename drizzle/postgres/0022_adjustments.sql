CREATE TABLE "tipwell"."adjustments" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."adjustments_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction_sequence" bigint NOT NULL,
	"number" integer NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"source" text COLLATE "C" NOT NULL,
	"amount_cents" bigint NOT NULL,
	"giver_fee_cents" bigint NOT NULL,
	"receiver_fee_cents" bigint NOT NULL,
	"net_amount_cents" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"giver_position" bigint,
	"receiver_position" bigint NOT NULL,
	CONSTRAINT "adjustments_numbers" CHECK ("tipwell"."adjustments"."number" > 0),
	CONSTRAINT "adjustments_positions" CHECK ("tipwell"."adjustments"."giver_position" > 0 and "tipwell"."adjustments"."receiver_position" > 0),
	CONSTRAINT "adjustments_kind" CHECK ("tipwell"."adjustments"."kind" in ('capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost', 'debit')),
	CONSTRAINT "adjustments_net" CHECK ("tipwell"."adjustments"."net_amount_cents" + "tipwell"."adjustments"."receiver_fee_cents" = "tipwell"."adjustments"."amount_cents")
);
--> statement-breakpoint
ALTER TABLE "tipwell"."entries" DROP CONSTRAINT "entries_kind";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" DROP CONSTRAINT "payments_state";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" DROP CONSTRAINT "payments_charge_of_state";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" DROP CONSTRAINT "payments_refund";
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" DROP CONSTRAINT "payout_accounts_user_id_payment_mode_pk";
--> statement-breakpoint
ALTER TABLE "tipwell"."checkpoints" ADD COLUMN "adjustment_sequence" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "platform" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "captures_at_ms" bigint;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "owed_by_receiver_cents" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "owed_to_giver_cents" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "owed_to_receiver_cents" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD COLUMN "platform" text COLLATE "C" DEFAULT '' NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD COLUMN "country" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD COLUMN "payouts_enabled" boolean DEFAULT false NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD COLUMN "disabled_reason" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD COLUMN "read_at_ms" bigint DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD CONSTRAINT "payout_accounts_user_id_payment_mode_platform_pk" PRIMARY KEY("user_id","payment_mode","platform");
--> statement-breakpoint
ALTER TABLE "tipwell"."adjustments" ADD CONSTRAINT "adjustments_transaction_sequence_transactions_sequence_fk" FOREIGN KEY ("transaction_sequence") REFERENCES "tipwell"."transactions"("sequence") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE UNIQUE INDEX "adjustments_source" ON "tipwell"."adjustments" USING btree ("transaction_sequence","kind","source");
--> statement-breakpoint
CREATE UNIQUE INDEX "adjustments_number" ON "tipwell"."adjustments" USING btree ("transaction_sequence","number");
--> statement-breakpoint
CREATE INDEX "payments_time" ON "tipwell"."payments" USING btree ("created_at_ms","id");
--> statement-breakpoint
CREATE INDEX "payments_arriving" ON "tipwell"."payments" USING btree ("receiver_id") WHERE state = 'authorised';
--> statement-breakpoint
CREATE INDEX "payments_debts" ON "tipwell"."payments" USING btree ("created_at_ms","id") WHERE owed_by_receiver_cents + owed_to_giver_cents + owed_to_receiver_cents > 0;
--> statement-breakpoint
CREATE INDEX "payout_accounts_read" ON "tipwell"."payout_accounts" USING btree ("payment_mode","read_at_ms");
--> statement-breakpoint
ALTER TABLE "tipwell"."entries" ADD CONSTRAINT "entries_kind" CHECK (("tipwell"."entries"."kind" in ('received', 'given') and "tipwell"."entries"."cents" >= 0) or ("tipwell"."entries"."kind" in ('received_reversed', 'given_reversed') and "tipwell"."entries"."cents" <= 0) or "tipwell"."entries"."kind" in ('received_adjusted', 'given_adjusted') or ("tipwell"."entries"."kind" in ('received_captured', 'given_captured') and "tipwell"."entries"."cents" = 0));
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_captures" CHECK (("tipwell"."payments"."state" in ('authorised', 'cancelled')) = ("tipwell"."payments"."captures_at_ms" is not null));
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_owed" CHECK ("tipwell"."payments"."owed_by_receiver_cents" >= 0 and "tipwell"."payments"."owed_to_giver_cents" >= 0 and "tipwell"."payments"."owed_to_receiver_cents" >= 0 and ("tipwell"."payments"."owed_by_receiver_cents" + "tipwell"."payments"."owed_to_giver_cents" + "tipwell"."payments"."owed_to_receiver_cents" = 0 or "tipwell"."payments"."state" in ('succeeded', 'refunded')));
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_state" CHECK ("tipwell"."payments"."state" in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded', 'authorised', 'cancelled'));
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_charge_of_state" CHECK (("tipwell"."payments"."state" in ('authorised', 'succeeded', 'refunded', 'cancelled')) = ("tipwell"."payments"."charge_id" is not null));
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_refund" CHECK ("tipwell"."payments"."refund_asked_at_ms" is null or "tipwell"."payments"."state" in ('authorised', 'succeeded', 'refunded', 'cancelled'));
--> statement-breakpoint
DROP TRIGGER "payments_move_on" ON "tipwell"."payments";
--> statement-breakpoint
CREATE TRIGGER "payments_move_on" BEFORE UPDATE OF "state" ON "tipwell"."payments"
FOR EACH ROW WHEN (NEW."state" <> OLD."state" AND OLD."state" || ' ' || NEW."state" NOT IN ('created pending', 'created failed', 'created expired', 'pending authorised', 'pending succeeded', 'pending failed', 'pending expired', 'authorised succeeded', 'authorised cancelled', 'succeeded refunded'))
EXECUTE FUNCTION "tipwell"."refuse"('a payment that has ended stays as it is');
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "tipwell"."payments_are_in_the_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW."state" IN ('authorised', 'succeeded') AND NOT EXISTS (SELECT FROM "tipwell"."transactions" WHERE "id" = NEW."id"))
    OR (NEW."state" IN ('refunded', 'cancelled') AND NOT EXISTS (
      SELECT FROM "tipwell"."transactions" JOIN "tipwell"."reversals" ON "transaction_sequence" = "transactions"."sequence"
      WHERE "id" = NEW."id"
    ))
    OR (OLD."state" = 'authorised' AND NEW."state" = 'succeeded' AND NOT EXISTS (
      SELECT FROM "tipwell"."transactions" JOIN "tipwell"."adjustments" ON "transaction_sequence" = "transactions"."sequence"
      WHERE "id" = NEW."id" AND "kind" = 'capture'
    ))
  THEN RAISE EXCEPTION 'the ledger tells what became of a payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
DROP TRIGGER "payments_keep_their_names" ON "tipwell"."payments";
--> statement-breakpoint
CREATE TRIGGER "payments_keep_their_names" BEFORE UPDATE OF "checkout_id", "checkout_url", "charge_id", "platform" ON "tipwell"."payments"
FOR EACH ROW WHEN (
  (OLD."checkout_id" IS NOT NULL AND (OLD."checkout_id", OLD."checkout_url") IS DISTINCT FROM (NEW."checkout_id", NEW."checkout_url"))
  OR (OLD."charge_id" IS NOT NULL AND OLD."charge_id" IS DISTINCT FROM NEW."charge_id")
  OR (OLD."platform" IS NOT NULL AND OLD."platform" IS DISTINCT FROM NEW."platform")
)
EXECUTE FUNCTION "tipwell"."refuse"('a payment stays what it is');
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "tipwell"."transactions_are_paid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "tipwell"."payments"
    WHERE "payments"."id" = NEW."id" AND "payments"."state" IN ('pending', 'authorised', 'succeeded', 'refunded', 'cancelled')
      AND "payments"."giver_id" IS NOT DISTINCT FROM NEW."giver_id"
      AND "payments"."receiver_id" = NEW."receiver_id" AND "payments"."qr_code_id" = NEW."qr_code_id" AND "payments"."service_category" = NEW."service_category"
      AND "payments"."amount_cents" = NEW."amount_cents" AND "payments"."giver_fee_cents" = NEW."giver_fee_cents" AND "payments"."receiver_fee_cents" = NEW."receiver_fee_cents" AND "payments"."net_amount_cents" = NEW."net_amount_cents"
      AND "payments"."giver_fee_rate" = NEW."giver_fee_rate" AND "payments"."receiver_fee_rate" = NEW."receiver_fee_rate" AND "payments"."terms_version" = NEW."terms_version" AND "payments"."payment_mode" = NEW."payment_mode"
  ) THEN RAISE EXCEPTION 'a tip is as its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE OR REPLACE FUNCTION "tipwell"."reversals_are_refunded"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "tipwell"."transactions" LEFT JOIN "tipwell"."payments" ON "payments"."id" = "transactions"."id"
    WHERE "transactions"."sequence" = NEW."transaction_sequence" AND "transactions"."payment_mode" <> 'simulated'
      AND coalesce("payments"."state" NOT IN ('authorised', 'succeeded', 'refunded', 'cancelled'), true)
  ) THEN RAISE EXCEPTION 'a tip is reversed with its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "adjustments_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."adjustments"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."adjustments_are_paid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "tipwell"."transactions" JOIN "tipwell"."payments" ON "payments"."id" = "transactions"."id"
    WHERE "transactions"."sequence" = NEW."transaction_sequence" AND "payments"."state" IN ('authorised', 'succeeded', 'refunded')
  ) THEN RAISE EXCEPTION 'a tip is adjusted with its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "adjustments_are_paid" BEFORE INSERT ON "tipwell"."adjustments"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."adjustments_are_paid"();
