CREATE TABLE "tipwell"."payment_notices" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"received_at_ms" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tipwell"."payments" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"giver_id" text COLLATE "C",
	"receiver_id" text COLLATE "C" NOT NULL,
	"qr_code_id" text COLLATE "C" NOT NULL,
	"service_category" text COLLATE "C" NOT NULL,
	"amount_cents" bigint NOT NULL,
	"giver_fee_cents" bigint NOT NULL,
	"receiver_fee_cents" bigint NOT NULL,
	"net_amount_cents" bigint NOT NULL,
	"giver_fee_rate" integer NOT NULL,
	"receiver_fee_rate" integer NOT NULL,
	"idempotency_key" text COLLATE "C",
	"created_at_ms" bigint NOT NULL,
	"payment_mode" text COLLATE "C" NOT NULL,
	"destination" text COLLATE "C" NOT NULL,
	"state" text COLLATE "C" DEFAULT 'created' NOT NULL,
	"changed_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"checkout_id" text COLLATE "C",
	"checkout_url" text COLLATE "C",
	"charge_id" text COLLATE "C",
	"look_at_ms" bigint,
	"look_count" integer DEFAULT 0 NOT NULL,
	"refund_asked_at_ms" bigint,
	"refund_asked_by" text COLLATE "C",
	"refund_key" text COLLATE "C",
	CONSTRAINT "payments_amount" CHECK ("tipwell"."payments"."amount_cents" between 1000 and 1000000),
	CONSTRAINT "payments_fees" CHECK ("tipwell"."payments"."giver_fee_cents" >= 0 and "tipwell"."payments"."receiver_fee_cents" >= 0),
	CONSTRAINT "payments_net" CHECK ("tipwell"."payments"."net_amount_cents" > 0 and "tipwell"."payments"."net_amount_cents" + "tipwell"."payments"."receiver_fee_cents" = "tipwell"."payments"."amount_cents"),
	CONSTRAINT "payments_two_people" CHECK ("tipwell"."payments"."giver_id" <> "tipwell"."payments"."receiver_id"),
	CONSTRAINT "payments_mode" CHECK ("tipwell"."payments"."payment_mode" in ('test', 'live')),
	CONSTRAINT "payments_state" CHECK ("tipwell"."payments"."state" in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded')),
	CONSTRAINT "payments_page" CHECK (("tipwell"."payments"."checkout_id" is null) = ("tipwell"."payments"."checkout_url" is null)),
	CONSTRAINT "payments_page_of_state" CHECK ("tipwell"."payments"."state" in ('created', 'failed', 'expired') or "tipwell"."payments"."checkout_id" is not null),
	CONSTRAINT "payments_charge_of_state" CHECK (("tipwell"."payments"."state" in ('succeeded', 'refunded')) = ("tipwell"."payments"."charge_id" is not null)),
	CONSTRAINT "payments_refund" CHECK ("tipwell"."payments"."refund_asked_at_ms" is null or "tipwell"."payments"."state" in ('succeeded', 'refunded')),
	CONSTRAINT "payments_refund_asked_by" CHECK ("tipwell"."payments"."refund_asked_by" in ('giver', 'receiver'))
);
--> statement-breakpoint
CREATE TABLE "tipwell"."payout_accounts" (
	"user_id" text COLLATE "C" NOT NULL,
	"payment_mode" text COLLATE "C" NOT NULL,
	"account_id" text COLLATE "C" NOT NULL,
	"charges_enabled" boolean NOT NULL,
	"missing" text COLLATE "C" NOT NULL,
	"changed_at_ms" bigint NOT NULL,
	CONSTRAINT "payout_accounts_user_id_payment_mode_pk" PRIMARY KEY("user_id","payment_mode"),
	CONSTRAINT "payout_accounts_mode" CHECK ("tipwell"."payout_accounts"."payment_mode" in ('test', 'live'))
);
--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ALTER COLUMN "giver_position" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ALTER COLUMN "giver_id" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ALTER COLUMN "giver_position" DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD COLUMN "payment_mode" text COLLATE "C" DEFAULT 'simulated' NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_giver_id_accounts_id_fk" FOREIGN KEY ("giver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_receiver_id_accounts_id_fk" FOREIGN KEY ("receiver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_qr_code_id_qr_codes_id_fk" FOREIGN KEY ("qr_code_id") REFERENCES "tipwell"."qr_codes"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."payout_accounts" ADD CONSTRAINT "payout_accounts_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "payment_notices_time" ON "tipwell"."payment_notices" USING btree ("received_at_ms");
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_idempotency" ON "tipwell"."payments" USING btree ("giver_id","idempotency_key") WHERE idempotency_key is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_checkout" ON "tipwell"."payments" USING btree ("checkout_id");
--> statement-breakpoint
CREATE UNIQUE INDEX "payments_charge" ON "tipwell"."payments" USING btree ("charge_id");
--> statement-breakpoint
CREATE INDEX "payments_giver" ON "tipwell"."payments" USING btree ("giver_id","created_at_ms","id");
--> statement-breakpoint
CREATE INDEX "payments_look" ON "tipwell"."payments" USING btree ("look_at_ms") WHERE look_at_ms is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX "payout_accounts_account" ON "tipwell"."payout_accounts" USING btree ("account_id");
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_guest" CHECK (("tipwell"."transactions"."giver_id" is null) = ("tipwell"."transactions"."giver_position" is null));
--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_payment_mode" CHECK ("tipwell"."transactions"."payment_mode" in ('simulated', 'test', 'live'));
--> statement-breakpoint
CREATE TRIGGER "payments_move_on" BEFORE UPDATE OF "state" ON "tipwell"."payments"
FOR EACH ROW WHEN (NEW."state" <> OLD."state" AND OLD."state" || ' ' || NEW."state" NOT IN ('created pending', 'created failed', 'created expired', 'pending succeeded', 'pending failed', 'pending expired', 'succeeded refunded'))
EXECUTE FUNCTION "tipwell"."refuse"('a payment that has ended stays as it is');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."payments_are_in_the_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (NEW."state" = 'succeeded' AND NOT EXISTS (SELECT FROM "tipwell"."transactions" WHERE "id" = NEW."id"))
    OR (NEW."state" = 'refunded' AND NOT EXISTS (
      SELECT FROM "tipwell"."transactions" JOIN "tipwell"."reversals" ON "transaction_sequence" = "transactions"."sequence"
      WHERE "id" = NEW."id"
    ))
  THEN RAISE EXCEPTION 'the ledger tells what became of a payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "payments_are_in_the_ledger" BEFORE UPDATE OF "state" ON "tipwell"."payments"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."payments_are_in_the_ledger"();
--> statement-breakpoint
CREATE TRIGGER "payments_never_change" BEFORE UPDATE OF "id", "giver_id", "receiver_id", "qr_code_id", "service_category", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "giver_fee_rate", "receiver_fee_rate", "idempotency_key", "created_at_ms", "payment_mode", "destination", "expires_at_ms" ON "tipwell"."payments"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."refuse"('a payment stays what it is');
--> statement-breakpoint
CREATE TRIGGER "payments_keep_their_names" BEFORE UPDATE OF "checkout_id", "checkout_url", "charge_id" ON "tipwell"."payments"
FOR EACH ROW WHEN (
  (OLD."checkout_id" IS NOT NULL AND (OLD."checkout_id", OLD."checkout_url") IS DISTINCT FROM (NEW."checkout_id", NEW."checkout_url"))
  OR (OLD."charge_id" IS NOT NULL AND OLD."charge_id" IS DISTINCT FROM NEW."charge_id")
)
EXECUTE FUNCTION "tipwell"."refuse"('a payment stays what it is');
--> statement-breakpoint
CREATE TRIGGER "payments_never_go" BEFORE DELETE OR TRUNCATE ON "tipwell"."payments"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a payment stays what it is');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."transactions_are_paid"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (
    SELECT FROM "tipwell"."payments"
    WHERE "payments"."id" = NEW."id" AND "payments"."state" IN ('pending', 'succeeded', 'refunded')
      AND "payments"."giver_id" IS NOT DISTINCT FROM NEW."giver_id"
      AND "payments"."receiver_id" = NEW."receiver_id" AND "payments"."qr_code_id" = NEW."qr_code_id" AND "payments"."service_category" = NEW."service_category"
      AND "payments"."amount_cents" = NEW."amount_cents" AND "payments"."giver_fee_cents" = NEW."giver_fee_cents" AND "payments"."receiver_fee_cents" = NEW."receiver_fee_cents" AND "payments"."net_amount_cents" = NEW."net_amount_cents"
      AND "payments"."giver_fee_rate" = NEW."giver_fee_rate" AND "payments"."receiver_fee_rate" = NEW."receiver_fee_rate" AND "payments"."payment_mode" = NEW."payment_mode"
  ) THEN RAISE EXCEPTION 'a tip is as its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "transactions_are_paid" BEFORE INSERT ON "tipwell"."transactions"
FOR EACH ROW WHEN (NEW."payment_mode" <> 'simulated') EXECUTE FUNCTION "tipwell"."transactions_are_paid"();
--> statement-breakpoint
CREATE FUNCTION "tipwell"."reversals_are_refunded"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "tipwell"."transactions" LEFT JOIN "tipwell"."payments" ON "payments"."id" = "transactions"."id"
    WHERE "transactions"."sequence" = NEW."transaction_sequence" AND "transactions"."payment_mode" <> 'simulated'
      AND coalesce("payments"."state" NOT IN ('succeeded', 'refunded'), true)
  ) THEN RAISE EXCEPTION 'a tip is reversed with its payment'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "reversals_are_refunded" BEFORE INSERT ON "tipwell"."reversals"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."reversals_are_refunded"();
--> statement-breakpoint
CREATE FUNCTION "tipwell"."tell_of_payout_accounts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('tipwell', 'c:' || coalesce(NEW."user_id", OLD."user_id")); RETURN NULL; END $$;
--> statement-breakpoint
CREATE TRIGGER "payout_accounts_tell_of_codes" AFTER INSERT OR UPDATE OR DELETE ON "tipwell"."payout_accounts"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."tell_of_payout_accounts"();
