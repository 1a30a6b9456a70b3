ALTER TABLE `payments` ADD `refused_take_backs` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `payments` ADD `refused_give_backs` integer DEFAULT 0 NOT NULL;