CREATE TABLE `former_usernames` (
	`username` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `photos` (
	`name` text PRIMARY KEY NOT NULL,
	`jpeg` blob NOT NULL,
	CONSTRAINT "photos_size" CHECK(length("photos"."jpeg") between 1 and 262144)
) STRICT;
--> statement-breakpoint
ALTER TABLE `provider_categories` ADD `is_offered` integer DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `status` text DEFAULT 'active' NOT NULL CONSTRAINT "qr_codes_status" CHECK("qr_codes"."status" in ('active', 'paused', 'replaced', 'retired'));
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `display_name` text;
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `greeting` text;
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `photo_name` text REFERENCES `photos`(`name`) ON UPDATE no action ON DELETE no action;
--> statement-breakpoint
DROP INDEX `qr_codes_user_category`;
--> statement-breakpoint
CREATE INDEX `qr_codes_user` ON `qr_codes` (`user_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `qr_codes_current` ON `qr_codes` (`user_id`,`category`) WHERE status in ('active', 'paused');
--> statement-breakpoint
DROP TRIGGER `qr_codes_never_change`;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_never_change` BEFORE UPDATE OF `id`, `user_id`, `category`, `created_at_ms` ON `qr_codes`
BEGIN SELECT RAISE(ABORT, 'a printed code stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_end_for_good` BEFORE UPDATE OF `status` ON `qr_codes`
WHEN OLD.`status` IN ('replaced', 'retired') AND NEW.`status` <> OLD.`status`
BEGIN SELECT RAISE(ABORT, 'a code that was replaced or retired leads nowhere any more'); END;
--> statement-breakpoint
CREATE TRIGGER `former_usernames_never_change` BEFORE UPDATE ON `former_usernames`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `former_usernames_never_go` BEFORE DELETE ON `former_usernames`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
