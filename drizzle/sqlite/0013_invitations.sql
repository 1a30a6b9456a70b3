CREATE TABLE `invitations` (
	`id` text PRIMARY KEY NOT NULL,
	`token_hash` blob NOT NULL,
	`email_key` text,
	`max_uses` integer NOT NULL,
	`uses_left` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	CONSTRAINT "invitations_token_hash" CHECK(length("invitations"."token_hash") = 32),
	CONSTRAINT "invitations_uses_left" CHECK("invitations"."uses_left" between 0 and "invitations"."max_uses")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `invitations_token` ON `invitations` (`token_hash`);--> statement-breakpoint
CREATE INDEX `invitations_email` ON `invitations` (`email_key`);--> statement-breakpoint
CREATE INDEX `invitations_expiry` ON `invitations` (`expires_at_ms`);