CREATE TABLE "tipwell"."factor_challenges" (
	"challenge" text COLLATE "C" PRIMARY KEY NOT NULL,
	"holder_kind" text COLLATE "C" NOT NULL,
	"holder_id" text COLLATE "C" NOT NULL,
	"purpose" text COLLATE "C" NOT NULL,
	"expires_at_ms" bigint NOT NULL,
	CONSTRAINT "factor_challenges_holder_kind" CHECK ("tipwell"."factor_challenges"."holder_kind" in ('account', 'operator'))
);
--> statement-breakpoint
CREATE TABLE "tipwell"."passkeys" (
	"id" text COLLATE "C" PRIMARY KEY NOT NULL,
	"holder_kind" text COLLATE "C" NOT NULL,
	"holder_id" text COLLATE "C" NOT NULL,
	"credential_id" text COLLATE "C" NOT NULL,
	"public_key" "bytea" NOT NULL,
	"counter" bigint NOT NULL,
	"transports" text COLLATE "C" NOT NULL,
	"rp_id" text COLLATE "C" NOT NULL,
	"name" text COLLATE "C" NOT NULL,
	"created_at_ms" bigint NOT NULL,
	"last_used_at_ms" bigint,
	CONSTRAINT "passkeys_holder_kind" CHECK ("tipwell"."passkeys"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "passkeys_counter" CHECK ("tipwell"."passkeys"."counter" >= 0)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."recovery_codes" (
	"holder_kind" text COLLATE "C" NOT NULL,
	"holder_id" text COLLATE "C" NOT NULL,
	"code_hash" "bytea" NOT NULL,
	CONSTRAINT "recovery_codes_holder_kind_holder_id_code_hash_pk" PRIMARY KEY("holder_kind","holder_id","code_hash"),
	CONSTRAINT "recovery_codes_holder_kind" CHECK ("tipwell"."recovery_codes"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "recovery_codes_code_hash" CHECK (length("tipwell"."recovery_codes"."code_hash") = 32)
);
--> statement-breakpoint
CREATE TABLE "tipwell"."totp_secrets" (
	"holder_kind" text COLLATE "C" NOT NULL,
	"holder_id" text COLLATE "C" NOT NULL,
	"secret" "bytea",
	"waiting" "bytea",
	"last_step" bigint NOT NULL,
	"created_at_ms" bigint NOT NULL,
	CONSTRAINT "totp_secrets_holder_kind_holder_id_pk" PRIMARY KEY("holder_kind","holder_id"),
	CONSTRAINT "totp_secrets_holder_kind" CHECK ("tipwell"."totp_secrets"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "totp_secrets_any" CHECK ("tipwell"."totp_secrets"."secret" is not null or "tipwell"."totp_secrets"."waiting" is not null)
);
--> statement-breakpoint
CREATE INDEX "factor_challenges_expiry" ON "tipwell"."factor_challenges" USING btree ("expires_at_ms");--> statement-breakpoint
CREATE UNIQUE INDEX "passkeys_credential" ON "tipwell"."passkeys" USING btree ("credential_id");--> statement-breakpoint
CREATE INDEX "passkeys_holder" ON "tipwell"."passkeys" USING btree ("holder_kind","holder_id");