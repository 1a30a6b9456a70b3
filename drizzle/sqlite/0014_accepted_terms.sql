ALTER TABLE `accounts` ADD `accepted_terms` text;--> statement-breakpoint
ALTER TABLE `accounts` ADD `terms_accepted_at_ms` integer;