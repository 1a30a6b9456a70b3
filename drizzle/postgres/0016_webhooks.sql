CREATE TABLE "tipwell"."webhook_deliveries" (
	"webhook_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"event_id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"tried_at_ms" bigint NOT NULL,
	"took_ms" bigint NOT NULL,
	"status" integer,
	"failure" text COLLATE "C",
	"answer" text COLLATE "C" NOT NULL,
	CONSTRAINT "webhook_deliveries_webhook_id_number_pk" PRIMARY KEY("webhook_id","number"),
	CONSTRAINT "webhook_deliveries_size" CHECK (length("tipwell"."webhook_deliveries"."answer") <= 4096),
	CONSTRAINT "webhook_deliveries_outcome" CHECK (("tipwell"."webhook_deliveries"."status" is null) <> ("tipwell"."webhook_deliveries"."failure" is null))
);
--> statement-breakpoint
CREATE TABLE "tipwell"."webhooks" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"url" text COLLATE "C" NOT NULL,
	"kinds" text COLLATE "C" NOT NULL,
	"secret" "bytea" NOT NULL,
	"old_secret" "bytea",
	"old_secret_until_ms" bigint,
	"created_at_ms" bigint NOT NULL,
	"position" bigint NOT NULL,
	"number" bigint NOT NULL,
	"off_reason" text COLLATE "C",
	"off_at_ms" bigint,
	"is_told" boolean NOT NULL,
	"failing_since_ms" bigint,
	"next_try_ms" bigint NOT NULL,
	"tries" integer NOT NULL,
	"claimed_until_ms" bigint NOT NULL,
	"delivery_count" bigint NOT NULL,
	CONSTRAINT "webhooks_secret" CHECK (length("tipwell"."webhooks"."secret") between 24 and 64),
	CONSTRAINT "webhooks_old_secret" CHECK (("tipwell"."webhooks"."old_secret" is null) = ("tipwell"."webhooks"."old_secret_until_ms" is null)),
	CONSTRAINT "webhooks_off" CHECK (("tipwell"."webhooks"."off_reason" is null) = ("tipwell"."webhooks"."off_at_ms" is null)),
	CONSTRAINT "webhooks_place" CHECK ("tipwell"."webhooks"."position" >= 0 and "tipwell"."webhooks"."number" >= 0 and "tipwell"."webhooks"."tries" >= 0)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."webhook_deliveries" ADD CONSTRAINT "webhook_deliveries_webhook_id_webhooks_id_fk" FOREIGN KEY ("webhook_id") REFERENCES "tipwell"."webhooks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."webhooks" ADD CONSTRAINT "webhooks_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "webhooks_user" ON "tipwell"."webhooks" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "webhooks_untold" ON "tipwell"."webhooks" USING btree ("id") WHERE not is_told;