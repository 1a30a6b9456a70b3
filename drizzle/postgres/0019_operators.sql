CREATE TABLE "tipwell"."operator_links" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"operator_id" text COLLATE "C" NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	CONSTRAINT "operator_links_token_hash" CHECK (length("tipwell"."operator_links"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."operator_sessions" (
	"token_hash" "bytea" PRIMARY KEY NOT NULL,
	"operator_id" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_used_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"confirmed_at_ms" bigint NOT NULL,
	"address" text COLLATE "C" NOT NULL,
	"device" text COLLATE "C" NOT NULL,
	CONSTRAINT "operator_sessions_token_hash" CHECK (length("tipwell"."operator_sessions"."token_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."operators" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"email" text COLLATE "C" NOT NULL,
	"email_key" text COLLATE "C" NOT NULL,
	"password_hash" text COLLATE "C",
	"created_at_ms" bigint NOT NULL,
	"enrolled_at_ms" bigint
);
--> statement-breakpoint
ALTER TABLE "tipwell"."operator_links" ADD CONSTRAINT "operator_links_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "tipwell"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "tipwell"."operator_sessions" ADD CONSTRAINT "operator_sessions_operator_id_operators_id_fk" FOREIGN KEY ("operator_id") REFERENCES "tipwell"."operators"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "operator_links_operator" ON "tipwell"."operator_links" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_sessions_operator" ON "tipwell"."operator_sessions" USING btree ("operator_id");--> statement-breakpoint
CREATE INDEX "operator_sessions_expiry" ON "tipwell"."operator_sessions" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "operators_email_key" ON "tipwell"."operators" USING btree ("email_key");