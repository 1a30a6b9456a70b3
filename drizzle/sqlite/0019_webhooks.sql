CREATE TABLE `webhooks` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`url` text NOT NULL,
	`kinds` text NOT NULL,
	`secret` blob NOT NULL,
	`old_secret` blob,
	`old_secret_until_ms` integer,
	`created_at_ms` integer NOT NULL,
	`position` integer NOT NULL,
	`number` integer NOT NULL,
	`off_reason` text,
	`off_at_ms` integer,
	`is_told` integer NOT NULL,
	`failing_since_ms` integer,
	`next_try_ms` integer NOT NULL,
	`tries` integer NOT NULL,
	`claimed_until_ms` integer NOT NULL,
	`delivery_count` integer NOT NULL,
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhooks_secret" CHECK(length("webhooks"."secret") between 24 and 64),
	CONSTRAINT "webhooks_old_secret" CHECK(("webhooks"."old_secret" is null) = ("webhooks"."old_secret_until_ms" is null)),
	CONSTRAINT "webhooks_off" CHECK(("webhooks"."off_reason" is null) = ("webhooks"."off_at_ms" is null)),
	CONSTRAINT "webhooks_place" CHECK("webhooks"."position" >= 0 and "webhooks"."number" >= 0 and "webhooks"."tries" >= 0)
) STRICT;
--> statement-breakpoint
CREATE INDEX `webhooks_user` ON `webhooks` (`user_id`);--> statement-breakpoint
CREATE INDEX `webhooks_untold` ON `webhooks` (`id`) WHERE not is_told;--> statement-breakpoint
CREATE TABLE `webhook_deliveries` (
	`webhook_id` text NOT NULL,
	`number` integer NOT NULL,
	`event_id` text NOT NULL,
	`kind` text NOT NULL,
	`tried_at_ms` integer NOT NULL,
	`took_ms` integer NOT NULL,
	`status` integer,
	`failure` text,
	`answer` text NOT NULL,
	PRIMARY KEY(`webhook_id`, `number`),
	FOREIGN KEY (`webhook_id`) REFERENCES `webhooks`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "webhook_deliveries_size" CHECK(length("webhook_deliveries"."answer") <= 4096),
	CONSTRAINT "webhook_deliveries_outcome" CHECK(("webhook_deliveries"."status" is null) <> ("webhook_deliveries"."failure" is null))
) STRICT;
