CREATE TABLE `blocked_givers` (
	`receiver_id` text NOT NULL,
	`giver_id` text NOT NULL,
	`transaction_id` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`receiver_id`, `giver_id`),
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `blocked_givers_giver` ON `blocked_givers` (`giver_id`);
--> statement-breakpoint
CREATE TABLE `ready_thank_yous` (
	`user_id` text NOT NULL,
	`place` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`user_id`, `place`),
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "ready_thank_yous_place" CHECK("ready_thank_yous"."place" between 1 and 3)
) STRICT;
--> statement-breakpoint
CREATE TABLE `tip_words` (
	`transaction_id` text PRIMARY KEY NOT NULL,
	`giver_id` text,
	`receiver_id` text NOT NULL,
	`message` text,
	`giver_name` text,
	`is_hidden` integer NOT NULL,
	`thank_you` text,
	`thanked_at_ms` integer,
	`reported_at_ms` integer,
	`settled_at_ms` integer,
	`is_erased` integer NOT NULL,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tip_words_two_people" CHECK("tip_words"."giver_id" <> "tip_words"."receiver_id"),
	CONSTRAINT "tip_words_hidden" CHECK("tip_words"."is_hidden" in (0, 1)),
	CONSTRAINT "tip_words_erased" CHECK("tip_words"."is_erased" in (0, 1)),
	CONSTRAINT "tip_words_thanked" CHECK("tip_words"."thank_you" is null or "tip_words"."thanked_at_ms" is not null),
	CONSTRAINT "tip_words_settled" CHECK("tip_words"."settled_at_ms" is null or "tip_words"."reported_at_ms" is not null)
) STRICT;
--> statement-breakpoint
CREATE INDEX `tip_words_giver` ON `tip_words` (`giver_id`) WHERE giver_id is not null;
--> statement-breakpoint
CREATE INDEX `tip_words_receiver` ON `tip_words` (`receiver_id`);
--> statement-breakpoint
CREATE INDEX `tip_words_reported` ON `tip_words` (`reported_at_ms`) WHERE reported_at_ms is not null and settled_at_ms is null;
--> statement-breakpoint
CREATE TABLE `push_devices` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`session_hash` blob NOT NULL,
	`endpoint` text NOT NULL,
	`p256dh` blob NOT NULL,
	`auth` blob NOT NULL,
	`with_words` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`notified_position` integer NOT NULL,
	`next_try_ms` integer NOT NULL,
	`tries` integer NOT NULL,
	`claimed_until_ms` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session_hash`) REFERENCES `sessions`(`token_hash`) ON UPDATE cascade ON DELETE cascade,
	CONSTRAINT "push_devices_keys" CHECK(length("push_devices"."p256dh") = 65 and length("push_devices"."auth") = 16),
	CONSTRAINT "push_devices_with_words" CHECK("push_devices"."with_words" in (0, 1)),
	CONSTRAINT "push_devices_position" CHECK("push_devices"."notified_position" >= 0 and "push_devices"."tries" >= 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `push_devices_endpoint` ON `push_devices` (`endpoint`);
--> statement-breakpoint
CREATE INDEX `push_devices_user` ON `push_devices` (`user_id`);
--> statement-breakpoint
CREATE INDEX `push_devices_session` ON `push_devices` (`session_hash`);
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `takes_words` integer DEFAULT true NOT NULL CONSTRAINT "qr_codes_takes_words" CHECK("qr_codes"."takes_words" in (0, 1));
--> statement-breakpoint
ALTER TABLE `qr_codes` ADD `thank_you` text;
