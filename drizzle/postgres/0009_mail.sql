CREATE TABLE "tipwell"."mail_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"purpose" text COLLATE "C" NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"email_key" text COLLATE "C" NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	CONSTRAINT "mail_links_token_hash" CHECK (length("tipwell"."mail_links"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."mail_settings" (
	"user_id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"confirmed_at_ms" bigint,
	"refusal" text COLLATE "C",
	"refused_at_ms" bigint,
	"monthly_statement" boolean NOT NULL,
	"time_zone" text COLLATE "C" NOT NULL,
	"stated_month" text COLLATE "C" NOT NULL,
	"marks_from_ms" bigint NOT NULL,
	CONSTRAINT "mail_settings_refusal" CHECK (("tipwell"."mail_settings"."refusal" is null) = ("tipwell"."mail_settings"."refused_at_ms" is null))
);
--> statement-breakpoint
CREATE TABLE "tipwell"."mails" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C",
	"kind" text COLLATE "C" NOT NULL,
	"recipient" text COLLATE "C" NOT NULL,
	"content" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"next_try_ms" bigint NOT NULL,
	"tries" integer NOT NULL,
	"claimed_until_ms" bigint NOT NULL,
	CONSTRAINT "mails_recipient" CHECK (length("tipwell"."mails"."recipient") between 3 and 320),
	CONSTRAINT "mails_size" CHECK (length("tipwell"."mails"."content") <= 2000),
	CONSTRAINT "mails_tries" CHECK ("tipwell"."mails"."tries" >= 0)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."mail_links" ADD CONSTRAINT "mail_links_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."mail_settings" ADD CONSTRAINT "mail_settings_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."mails" ADD CONSTRAINT "mails_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "mail_links_user" ON "tipwell"."mail_links" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "mail_links_expiry" ON "tipwell"."mail_links" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE INDEX "mail_settings_statement" ON "tipwell"."mail_settings" USING btree ("user_id") WHERE monthly_statement;--> statement-breakpoint
CREATE INDEX "mails_due" ON "tipwell"."mails" USING btree ("next_try_ms");--> statement-breakpoint
CREATE INDEX "mails_user" ON "tipwell"."mails" USING btree ("user_id");