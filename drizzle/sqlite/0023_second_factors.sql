CREATE TABLE `passkeys` (
	`id` text PRIMARY KEY NOT NULL,
	`holder_kind` text NOT NULL,
	`holder_id` text NOT NULL,
	`credential_id` text NOT NULL,
	`public_key` blob NOT NULL,
	`counter` integer NOT NULL,
	`transports` text NOT NULL,
	`rp_id` text NOT NULL,
	`name` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_used_at_ms` integer,
	CONSTRAINT "passkeys_holder_kind" CHECK("passkeys"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "passkeys_counter" CHECK("passkeys"."counter" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `passkeys_credential` ON `passkeys` (`credential_id`);--> statement-breakpoint
CREATE INDEX `passkeys_holder` ON `passkeys` (`holder_kind`,`holder_id`);--> statement-breakpoint
CREATE TABLE `totp_secrets` (
	`holder_kind` text NOT NULL,
	`holder_id` text NOT NULL,
	`secret` blob,
	`waiting` blob,
	`last_step` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`holder_kind`, `holder_id`),
	CONSTRAINT "totp_secrets_holder_kind" CHECK("totp_secrets"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "totp_secrets_any" CHECK("totp_secrets"."secret" is not null or "totp_secrets"."waiting" is not null)
) STRICT;
--> statement-breakpoint
CREATE TABLE `recovery_codes` (
	`holder_kind` text NOT NULL,
	`holder_id` text NOT NULL,
	`code_hash` blob NOT NULL,
	PRIMARY KEY(`holder_kind`, `holder_id`, `code_hash`),
	CONSTRAINT "recovery_codes_holder_kind" CHECK("recovery_codes"."holder_kind" in ('account', 'operator')),
	CONSTRAINT "recovery_codes_code_hash" CHECK(length("recovery_codes"."code_hash") = 32)
) STRICT;
--> statement-breakpoint
CREATE TABLE `factor_challenges` (
	`challenge` text PRIMARY KEY NOT NULL,
	`holder_kind` text NOT NULL,
	`holder_id` text NOT NULL,
	`purpose` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	CONSTRAINT "factor_challenges_holder_kind" CHECK("factor_challenges"."holder_kind" in ('account', 'operator'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `factor_challenges_expiry` ON `factor_challenges` (`expires_at_ms`);