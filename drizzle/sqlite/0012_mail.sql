CREATE TABLE `mails` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`kind` text NOT NULL,
	`recipient` text NOT NULL,
	`content` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`next_try_ms` integer NOT NULL,
	`tries` integer NOT NULL,
	`claimed_until_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mails_recipient" CHECK(length("mails"."recipient") between 3 and 320),
	CONSTRAINT "mails_size" CHECK(length("mails"."content") <= 2000),
	CONSTRAINT "mails_tries" CHECK("mails"."tries" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `mails_due` ON `mails` (`next_try_ms`);--> statement-breakpoint
CREATE INDEX `mails_user` ON `mails` (`user_id`);--> statement-breakpoint
CREATE TABLE `mail_links` (
	`token_hash` blob PRIMARY KEY NOT NULL,
	`purpose` text NOT NULL,
	`user_id` text NOT NULL,
	`email_key` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mail_links_token_hash" CHECK(length("mail_links"."token_hash") = 32)
) STRICT;
--> statement-breakpoint
CREATE INDEX `mail_links_user` ON `mail_links` (`user_id`);--> statement-breakpoint
CREATE INDEX `mail_links_expiry` ON `mail_links` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `mail_settings` (
	`user_id` text PRIMARY KEY NOT NULL,
	`confirmed_at_ms` integer,
	`refusal` text,
	`refused_at_ms` integer,
	`monthly_statement` integer NOT NULL,
	`time_zone` text NOT NULL,
	`stated_month` text NOT NULL,
	`marks_from_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "mail_settings_refusal" CHECK(("mail_settings"."refusal" is null) = ("mail_settings"."refused_at_ms" is null)),
	CONSTRAINT "mail_settings_monthly_statement" CHECK("mail_settings"."monthly_statement" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE INDEX `mail_settings_statement` ON `mail_settings` (`user_id`) WHERE monthly_statement;