CREATE TABLE `__new_blocked_givers` (
	`receiver_id` text NOT NULL,
	`giver_id` text NOT NULL,
	`transaction_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`service_category` text NOT NULL,
	PRIMARY KEY(`receiver_id`, `giver_id`, `service_category`),
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
-- A block goes on for the service of the tip by which it was made.
INSERT INTO `__new_blocked_givers`
SELECT `block`.`receiver_id`, `block`.`giver_id`, `block`.`transaction_id`, `block`.`created_at_ms`, `tip`.`service_category`
FROM `blocked_givers` AS `block`
JOIN `transactions` AS `tip` ON `tip`.`id` = `block`.`transaction_id`;
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
