CREATE TABLE `noted_events` (
	`user_id` text NOT NULL,
	`number` integer NOT NULL,
	`position` integer NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`subject` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`user_id`, `number`),
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "noted_events_place" CHECK("noted_events"."number" > 0 and "noted_events"."position" >= 0),
	CONSTRAINT "noted_events_kind" CHECK("noted_events"."kind" in ('tip.thanked', 'code.changed', 'statement.ready'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `noted_events_id` ON `noted_events` (`id`);