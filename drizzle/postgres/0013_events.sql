CREATE TABLE "tipwell"."noted_events" (
	"user_id" text COLLATE "C" NOT NULL,
	"number" bigint NOT NULL,
	"position" bigint NOT NULL,
	"id" text COLLATE "C" NOT NULL,
	"kind" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "noted_events_user_id_number_pk" PRIMARY KEY("user_id","number"),
	CONSTRAINT "noted_events_place" CHECK ("tipwell"."noted_events"."number" > 0 and "tipwell"."noted_events"."position" >= 0),
	CONSTRAINT "noted_events_kind" CHECK ("tipwell"."noted_events"."kind" in ('tip.thanked', 'code.changed', 'statement.ready'))
);
--> statement-breakpoint
ALTER TABLE "tipwell"."noted_events" ADD CONSTRAINT "noted_events_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "noted_events_id" ON "tipwell"."noted_events" USING btree ("id");