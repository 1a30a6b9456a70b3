CREATE TABLE `operators` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`password_hash` text,
	`created_at_ms` integer NOT NULL,
	`enrolled_at_ms` integer
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `operators_email_key` ON `operators` (`email_key`);--> statement-breakpoint
CREATE TABLE `operator_sessions` (
	`token_hash` blob PRIMARY KEY NOT NULL,
	`operator_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`last_used_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`confirmed_at_ms` integer NOT NULL,
	`address` text NOT NULL,
	`device` text NOT NULL,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "operator_sessions_token_hash" CHECK(length("operator_sessions"."token_hash") = 32)
) STRICT;
--> statement-breakpoint
CREATE INDEX `operator_sessions_operator` ON `operator_sessions` (`operator_id`);--> statement-breakpoint
CREATE INDEX `operator_sessions_expiry` ON `operator_sessions` (`expires_at_ms`);--> statement-breakpoint
CREATE TABLE `operator_links` (
	`token_hash` blob PRIMARY KEY NOT NULL,
	`operator_id` text NOT NULL,
	`expires_at_ms` integer NOT NULL,
	FOREIGN KEY (`operator_id`) REFERENCES `operators`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "operator_links_token_hash" CHECK(length("operator_links"."token_hash") = 32)
) STRICT;
--> statement-breakpoint
CREATE INDEX `operator_links_operator` ON `operator_links` (`operator_id`);