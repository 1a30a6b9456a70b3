CREATE TABLE `accounts` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`username` text NOT NULL,
	`full_name` text NOT NULL,
	`phone` text,
	`is_service_provider` integer NOT NULL,
	`password_hash` text NOT NULL,
	`total_tips_received_cents` integer NOT NULL,
	`total_tips_given_cents` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	CONSTRAINT "accounts_is_service_provider" CHECK("accounts"."is_service_provider" in (0, 1)),
	CONSTRAINT "accounts_total_tips_received" CHECK("accounts"."total_tips_received_cents" >= 0),
	CONSTRAINT "accounts_total_tips_given" CHECK("accounts"."total_tips_given_cents" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_key` ON `accounts` (`email_key`);--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_username` ON `accounts` (`username`);--> statement-breakpoint
CREATE TABLE `provider_categories` (
	`user_id` text NOT NULL,
	`category` text NOT NULL,
	PRIMARY KEY(`user_id`, `category`),
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `qr_codes` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`category` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`,`category`) REFERENCES `provider_categories`(`user_id`,`category`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "qr_codes_id" CHECK(length("qr_codes"."id") = 10)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `qr_codes_user_category` ON `qr_codes` (`user_id`,`category`);--> statement-breakpoint
CREATE TABLE `qr_pictures` (
	`qr_code_id` text NOT NULL,
	`address` text NOT NULL,
	`png` blob NOT NULL,
	PRIMARY KEY(`qr_code_id`, `address`),
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`token_hash` blob PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "sessions_token_hash" CHECK(length("sessions"."token_hash") = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `sessions_user` ON `sessions` (`user_id`);--> statement-breakpoint
CREATE INDEX `sessions_expiry` ON `sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `transactions` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`giver_id` text NOT NULL,
	`receiver_id` text NOT NULL,
	`qr_code_id` text NOT NULL,
	`service_category` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`giver_fee_cents` integer NOT NULL,
	`receiver_fee_cents` integer NOT NULL,
	`net_amount_cents` integer NOT NULL,
	`giver_fee_rate` integer NOT NULL,
	`receiver_fee_rate` integer NOT NULL,
	`status` text NOT NULL,
	`idempotency_key` text,
	`created_at_ms` integer NOT NULL,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transactions_amount" CHECK("transactions"."amount_cents" between 1000 and 1000000),
	CONSTRAINT "transactions_fees" CHECK("transactions"."giver_fee_cents" >= 0 and "transactions"."receiver_fee_cents" >= 0),
	CONSTRAINT "transactions_net" CHECK("transactions"."net_amount_cents" > 0 and "transactions"."net_amount_cents" + "transactions"."receiver_fee_cents" = "transactions"."amount_cents"),
	CONSTRAINT "transactions_two_people" CHECK("transactions"."giver_id" <> "transactions"."receiver_id"),
	CONSTRAINT "transactions_status" CHECK("transactions"."status" in ('completed'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_id` ON `transactions` (`id`);--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_idempotency` ON `transactions` (`giver_id`,`idempotency_key`) WHERE idempotency_key is not null;--> statement-breakpoint
CREATE INDEX `transactions_giver` ON `transactions` (`giver_id`);--> statement-breakpoint
CREATE INDEX `transactions_receiver` ON `transactions` (`receiver_id`);--> statement-breakpoint
CREATE INDEX `transactions_receiver_time` ON `transactions` (`receiver_id`,`created_at_ms`);