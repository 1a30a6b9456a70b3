CREATE TABLE "tipwell"."invitations" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"token_hash" "bytea" NOT NULL,
	"email_key" text COLLATE "C",
	"max_uses" integer NOT NULL,
	"uses_left" integer NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	CONSTRAINT "invitations_token_hash" CHECK (length("tipwell"."invitations"."token_hash") = 32),
	CONSTRAINT "invitations_uses_left" CHECK ("tipwell"."invitations"."uses_left" between 0 and "tipwell"."invitations"."max_uses")
);
--> statement-breakpoint
CREATE UNIQUE INDEX "invitations_token" ON "tipwell"."invitations" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "invitations_email" ON "tipwell"."invitations" USING btree ("email_key");--> statement-breakpoint
CREATE INDEX "invitations_expiry" ON "tipwell"."invitations" USING btree ("expires_at_ms");