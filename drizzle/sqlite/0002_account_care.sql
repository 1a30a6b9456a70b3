CREATE TABLE `attempts` (
	`limit_name` text NOT NULL,
	`account` text NOT NULL,
	`address` text NOT NULL,
	`count` integer NOT NULL,
	`ends_at_ms` integer NOT NULL,
	PRIMARY KEY(`limit_name`, `account`, `address`),
	CONSTRAINT "attempts_count" CHECK("attempts"."count" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `attempts_account` ON `attempts` (`account`);--> statement-breakpoint
CREATE INDEX `attempts_end` ON `attempts` (`ends_at_ms`);--> statement-breakpoint
ALTER TABLE `accounts` ADD `password_expires_at_ms` integer;--> statement-breakpoint
ALTER TABLE `sessions` ADD `device` text DEFAULT '' NOT NULL;