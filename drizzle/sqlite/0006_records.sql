CREATE TABLE `closed_usernames` (
	`hash` blob PRIMARY KEY NOT NULL,
	CONSTRAINT "closed_usernames_hash" CHECK(length("closed_usernames"."hash") = 32)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
ALTER TABLE `accounts` ADD `closes_at_ms` integer;
--> statement-breakpoint
ALTER TABLE `accounts` ADD `closed_at_ms` integer;
--> statement-breakpoint
CREATE INDEX `accounts_closing` ON `accounts` (`closes_at_ms`) WHERE closes_at_ms is not null;
--> statement-breakpoint
ALTER TABLE `reversals` ADD `reversed_by` text CONSTRAINT "reversals_reversed_by" CHECK("reversals"."reversed_by" in ('giver', 'receiver'));
--> statement-breakpoint
ALTER TABLE `reversals` ADD `idempotency_key` text;
--> statement-breakpoint
ALTER TABLE `tip_buckets` ADD `detailed_count` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `tip_buckets` ADD `gross_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `tip_buckets` ADD `largest_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
CREATE INDEX `entries_time` ON `entries` (`account_id`,`created_at_ms`);
--> statement-breakpoint
DROP TRIGGER `former_usernames_never_go`;
--> statement-breakpoint
CREATE TRIGGER `former_usernames_never_go` BEFORE DELETE ON `former_usernames`
WHEN (SELECT `closed_at_ms` FROM `accounts` WHERE `id` = OLD.`user_id`) IS NULL
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `closed_usernames_never_change` BEFORE UPDATE ON `closed_usernames`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `closed_usernames_never_go` BEFORE DELETE ON `closed_usernames`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `accounts_stay_closed` BEFORE UPDATE OF `closed_at_ms` ON `accounts`
WHEN OLD.`closed_at_ms` IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an account that was closed stays closed'); END;
