CREATE TABLE "tipwell"."accounts" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"email_key" text COLLATE "C" NOT NULL,
	"username" text COLLATE "C" NOT NULL,
	"full_name" text COLLATE "C" NOT NULL,
	"phone" text COLLATE "C",
	"is_service_provider" boolean NOT NULL,
	"password_hash" text COLLATE "C" NOT NULL,
	"total_tips_received_cents" bigint NOT NULL,
	"total_tips_given_cents" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_position" bigint DEFAULT 0 NOT NULL,
	"password_expires_at_ms" bigint,
	CONSTRAINT "accounts_total_tips_received" CHECK ("tipwell"."accounts"."total_tips_received_cents" >= 0),
	CONSTRAINT "accounts_total_tips_given" CHECK ("tipwell"."accounts"."total_tips_given_cents" >= 0),
	CONSTRAINT "accounts_last_position" CHECK ("tipwell"."accounts"."last_position" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."attempts" (
	"limit_name" text COLLATE "C" NOT NULL,
	"account" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"ends_at_ms" bigint NOT NULL,
	CONSTRAINT "attempts_limit_name_account_address_pk" PRIMARY KEY("limit_name","account","address"),
	CONSTRAINT "attempts_count" CHECK ("tipwell"."attempts"."count" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."checked_accounts" (
	"account_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"position" bigint NOT NULL,
	"received_cents" bigint NOT NULL,
	"given_cents" bigint NOT NULL,
	"buckets_from_ms" bigint
);
--> statement-breakpoint
CREATE TABLE "tipwell"."checkpoints" (
	"id" integer PRIMARY KEY NOT NULL,
	"transaction_sequence" bigint NOT NULL,
	"reversal_sequence" bigint NOT NULL,
	CONSTRAINT "checkpoints_one" CHECK ("tipwell"."checkpoints"."id" = 1)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."entries" (
	"account_id" text COLLATE "C" NOT NULL,
	"position" bigint NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"transaction_sequence" bigint NOT NULL,
	"cents" bigint NOT NULL,
	"balance_after_cents" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "entries_account_id_position_pk" PRIMARY KEY("account_id","position"),
	CONSTRAINT "entries_position" CHECK ("tipwell"."entries"."position" > 0),
	CONSTRAINT "entries_balance" CHECK ("tipwell"."entries"."balance_after_cents" >= 0),
	CONSTRAINT "entries_kind" CHECK (("tipwell"."entries"."kind" in ('received', 'given') and "tipwell"."entries"."cents" > 0) or ("tipwell"."entries"."kind" in ('received_reversed', 'given_reversed') and "tipwell"."entries"."cents" < 0))
);
--> statement-breakpoint
CREATE TABLE "tipwell"."provider_categories" (
	"user_id" text COLLATE "C" NOT NULL,
	"category" text COLLATE "C" NOT NULL,
	CONSTRAINT "provider_categories_user_id_category_pk" PRIMARY KEY("user_id","category")
);
--> statement-breakpoint
CREATE TABLE "tipwell"."qr_codes" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"category" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"sequence" bigint GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."qr_codes_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	CONSTRAINT "qr_codes_id" CHECK (length("tipwell"."qr_codes"."id") = 10)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."qr_pictures" (
	"qr_code_id" text COLLATE "C" NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"png" "bytea" NOT NULL,
	CONSTRAINT "qr_pictures_qr_code_id_address_pk" PRIMARY KEY("qr_code_id","address")
);
--> statement-breakpoint
CREATE TABLE "tipwell"."reversals" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."reversals_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"transaction_sequence" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"giver_position" bigint NOT NULL,
	"receiver_position" bigint NOT NULL,
	CONSTRAINT "reversals_positions" CHECK ("tipwell"."reversals"."giver_position" > 0 and "tipwell"."reversals"."receiver_position" > 0)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."secrets" (
	"name" text COLLATE "C" PRIMARY KEY NOT NULL,
	"key" "bytea" NOT NULL,
	CONSTRAINT "secrets_key" CHECK (length("tipwell"."secrets"."key") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"device" text COLLATE "C" DEFAULT '' NOT NULL,
	CONSTRAINT "sessions_token_hash" CHECK (length("tipwell"."sessions"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."tip_buckets" (
	"account_id" text COLLATE "C" NOT NULL,
	"start_ms" bigint NOT NULL,
	"service_category" text COLLATE "C" NOT NULL,
	"count" bigint NOT NULL,
	"cents" bigint NOT NULL,
	"checked_count" bigint DEFAULT 0 NOT NULL,
	"checked_cents" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "tip_buckets_account_id_start_ms_service_category_pk" PRIMARY KEY("account_id","start_ms","service_category"),
	CONSTRAINT "tip_buckets_quarter" CHECK ("tipwell"."tip_buckets"."start_ms" % 900000 = 0),
	CONSTRAINT "tip_buckets_sums" CHECK ("tipwell"."tip_buckets"."count" >= 0 and "tipwell"."tip_buckets"."cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."transactions" (
	"sequence" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "tipwell"."transactions_sequence_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"id" text COLLATE "C" NOT NULL,
	"giver_id" text COLLATE "C" NOT NULL,
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
	"giver_position" bigint NOT NULL,
	"receiver_position" bigint NOT NULL,
	CONSTRAINT "transactions_amount" CHECK ("tipwell"."transactions"."amount_cents" between 1000 and 1000000),
	CONSTRAINT "transactions_fees" CHECK ("tipwell"."transactions"."giver_fee_cents" >= 0 and "tipwell"."transactions"."receiver_fee_cents" >= 0),
	CONSTRAINT "transactions_net" CHECK ("tipwell"."transactions"."net_amount_cents" > 0 and "tipwell"."transactions"."net_amount_cents" + "tipwell"."transactions"."receiver_fee_cents" = "tipwell"."transactions"."amount_cents"),
	CONSTRAINT "transactions_two_people" CHECK ("tipwell"."transactions"."giver_id" <> "tipwell"."transactions"."receiver_id"),
	CONSTRAINT "transactions_positions" CHECK ("tipwell"."transactions"."giver_position" > 0 and "tipwell"."transactions"."receiver_position" > 0)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."checked_accounts" ADD CONSTRAINT "checked_accounts_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."entries" ADD CONSTRAINT "entries_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."entries" ADD CONSTRAINT "entries_transaction_sequence_transactions_sequence_fk" FOREIGN KEY ("transaction_sequence") REFERENCES "tipwell"."transactions"("sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."provider_categories" ADD CONSTRAINT "provider_categories_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD CONSTRAINT "qr_codes_offered" FOREIGN KEY ("user_id","category") REFERENCES "tipwell"."provider_categories"("user_id","category") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."qr_pictures" ADD CONSTRAINT "qr_pictures_qr_code_id_qr_codes_id_fk" FOREIGN KEY ("qr_code_id") REFERENCES "tipwell"."qr_codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."reversals" ADD CONSTRAINT "reversals_transaction_sequence_transactions_sequence_fk" FOREIGN KEY ("transaction_sequence") REFERENCES "tipwell"."transactions"("sequence") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."sessions" ADD CONSTRAINT "sessions_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."tip_buckets" ADD CONSTRAINT "tip_buckets_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_giver_id_accounts_id_fk" FOREIGN KEY ("giver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_receiver_id_accounts_id_fk" FOREIGN KEY ("receiver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."transactions" ADD CONSTRAINT "transactions_qr_code_id_qr_codes_id_fk" FOREIGN KEY ("qr_code_id") REFERENCES "tipwell"."qr_codes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_email_key" ON "tipwell"."accounts" USING btree ("email_key");--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_username" ON "tipwell"."accounts" USING btree ("username");--> statement-breakpoint
CREATE INDEX "attempts_account" ON "tipwell"."attempts" USING btree ("account");--> statement-breakpoint
CREATE INDEX "attempts_end" ON "tipwell"."attempts" USING btree ("ends_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "qr_codes_user_category" ON "tipwell"."qr_codes" USING btree ("user_id","category");--> statement-breakpoint
CREATE UNIQUE INDEX "reversals_transaction" ON "tipwell"."reversals" USING btree ("transaction_sequence");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "tipwell"."sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "sessions_expiry" ON "tipwell"."sessions" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_id" ON "tipwell"."transactions" USING btree ("id");--> statement-breakpoint
CREATE UNIQUE INDEX "transactions_idempotency" ON "tipwell"."transactions" USING btree ("giver_id","idempotency_key") WHERE idempotency_key is not null;