CREATE TABLE "tipwell"."blocked_givers" (
	"receiver_id" text COLLATE "C" NOT NULL,
	"giver_id" text COLLATE "C" NOT NULL,
	"transaction_id" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "blocked_givers_receiver_id_giver_id_pk" PRIMARY KEY("receiver_id","giver_id")
);
--> statement-breakpoint
CREATE TABLE "tipwell"."ready_thank_yous" (
	"user_id" text COLLATE "C" NOT NULL,
	"place" integer NOT NULL,
	"text" text COLLATE "C" NOT NULL,
	CONSTRAINT "ready_thank_yous_user_id_place_pk" PRIMARY KEY("user_id","place"),
	CONSTRAINT "ready_thank_yous_place" CHECK ("tipwell"."ready_thank_yous"."place" between 1 and 3)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."tip_words" (
	"transaction_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"giver_id" text COLLATE "C",
	"receiver_id" text COLLATE "C" NOT NULL,
	"message" text COLLATE "C",
	"giver_name" text COLLATE "C",
	"is_hidden" boolean NOT NULL,
	"thank_you" text COLLATE "C",
	"thanked_at_ms" bigint,
	"reported_at_ms" bigint,
	"settled_at_ms" bigint,
	"is_erased" boolean NOT NULL,
	CONSTRAINT "tip_words_two_people" CHECK ("tipwell"."tip_words"."giver_id" <> "tipwell"."tip_words"."receiver_id"),
	CONSTRAINT "tip_words_thanked" CHECK ("tipwell"."tip_words"."thank_you" is null or "tipwell"."tip_words"."thanked_at_ms" is not null),
	CONSTRAINT "tip_words_settled" CHECK ("tipwell"."tip_words"."settled_at_ms" is null or "tipwell"."tip_words"."reported_at_ms" is not null)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."push_devices" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"session_hash" bytea NOT NULL,
	"endpoint" text COLLATE "C" NOT NULL,
	"p256dh" bytea NOT NULL,
	"auth" bytea NOT NULL,
	"with_words" boolean NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"notified_position" bigint NOT NULL,
	"next_try_ms" bigint NOT NULL,
	"tries" integer NOT NULL,
	"claimed_until_ms" bigint NOT NULL,
	CONSTRAINT "push_devices_keys" CHECK (length("tipwell"."push_devices"."p256dh") = 65 and length("tipwell"."push_devices"."auth") = 16),
	CONSTRAINT "push_devices_position" CHECK ("tipwell"."push_devices"."notified_position" >= 0 and "tipwell"."push_devices"."tries" >= 0)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "takes_words" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "tipwell"."qr_codes" ADD COLUMN "thank_you" text COLLATE "C";
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" ADD CONSTRAINT "blocked_givers_receiver_id_accounts_id_fk" FOREIGN KEY ("receiver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."blocked_givers" ADD CONSTRAINT "blocked_givers_giver_id_accounts_id_fk" FOREIGN KEY ("giver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."ready_thank_yous" ADD CONSTRAINT "ready_thank_yous_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_words" ADD CONSTRAINT "tip_words_giver_id_accounts_id_fk" FOREIGN KEY ("giver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."tip_words" ADD CONSTRAINT "tip_words_receiver_id_accounts_id_fk" FOREIGN KEY ("receiver_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."push_devices" ADD CONSTRAINT "push_devices_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;
--> statement-breakpoint
ALTER TABLE "tipwell"."push_devices" ADD CONSTRAINT "push_devices_session_hash_sessions_token_hash_fk" FOREIGN KEY ("session_hash") REFERENCES "tipwell"."sessions"("token_hash") ON DELETE cascade ON UPDATE cascade;
--> statement-breakpoint
CREATE INDEX "blocked_givers_giver" ON "tipwell"."blocked_givers" USING btree ("giver_id");
--> statement-breakpoint
CREATE INDEX "tip_words_giver" ON "tipwell"."tip_words" USING btree ("giver_id") WHERE giver_id is not null;
--> statement-breakpoint
CREATE INDEX "tip_words_receiver" ON "tipwell"."tip_words" USING btree ("receiver_id");
--> statement-breakpoint
CREATE INDEX "tip_words_reported" ON "tipwell"."tip_words" USING btree ("reported_at_ms") WHERE reported_at_ms is not null and settled_at_ms is null;
--> statement-breakpoint
CREATE UNIQUE INDEX "push_devices_endpoint" ON "tipwell"."push_devices" USING btree ("endpoint");
--> statement-breakpoint
CREATE INDEX "push_devices_user" ON "tipwell"."push_devices" USING btree ("user_id");
--> statement-breakpoint
CREATE INDEX "push_devices_session" ON "tipwell"."push_devices" USING btree ("session_hash");
