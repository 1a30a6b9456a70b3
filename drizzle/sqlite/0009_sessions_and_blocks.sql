CREATE TABLE `__new_blocked_givers` (
	`receiver_id` text NOT NULL,
	`giver_id` text NOT NULL,
	`transaction_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`page_name` text DEFAULT '' NOT NULL,
	PRIMARY KEY(`receiver_id`, `giver_id`, `page_name`),
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
-- A block goes on for the page that was tipped, and for what has become of that page.
INSERT OR IGNORE INTO `__new_blocked_givers`
SELECT `block`.`receiver_id`, `block`.`giver_id`, `block`.`transaction_id`, `block`.`created_at_ms`,
	CASE WHEN `page`.`display_name` = `receiver`.`full_name` THEN '' ELSE coalesce(`page`.`display_name`, '') END
FROM `blocked_givers` AS `block`
JOIN `accounts` AS `receiver` ON `receiver`.`id` = `block`.`receiver_id`
JOIN `transactions` AS `tip` ON `tip`.`id` = `block`.`transaction_id`
JOIN `qr_codes` AS `page` ON `page`.`user_id` = `block`.`receiver_id` AND (
	`page`.`id` = `tip`.`qr_code_id` OR (`page`.`category` = `tip`.`service_category` AND `page`.`status` IN ('active', 'paused'))
);
--> statement-breakpoint
DROP TABLE `blocked_givers`;
--> statement-breakpoint
ALTER TABLE `__new_blocked_givers` RENAME TO `blocked_givers`;
--> statement-breakpoint
CREATE INDEX `blocked_givers_giver` ON `blocked_givers` (`giver_id`);
--> statement-breakpoint
ALTER TABLE `sessions` ADD `confirmed_at_ms` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
UPDATE `sessions` SET `expires_at_ms` = min(`expires_at_ms`, `created_at_ms` + 7776000000);
