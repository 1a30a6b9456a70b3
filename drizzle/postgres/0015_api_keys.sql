CREATE TABLE "tipwell"."api_keys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"user_id" text COLLATE "C" NOT NULL,
	"key_hash" "bytea" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"scopes" text COLLATE "C" NOT NULL,
	"addresses" text COLLATE "C" NOT NULL,
	"ending" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	"last_used_at_ms" bigint,
	CONSTRAINT "api_keys_key_hash" CHECK (length("tipwell"."api_keys"."key_hash") = 32),
	CONSTRAINT "api_keys_scopes" CHECK (length("tipwell"."api_keys"."scopes") > 0)
);
--> statement-breakpoint
ALTER TABLE "tipwell"."api_keys" ADD CONSTRAINT "api_keys_user_id_accounts_id_fk" FOREIGN KEY ("user_id") REFERENCES "tipwell"."accounts"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash" ON "tipwell"."api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE INDEX "api_keys_user" ON "tipwell"."api_keys" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "api_keys_expiry" ON "tipwell"."api_keys" USING btree ("expires_at_ms");