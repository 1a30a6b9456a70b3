ALTER TABLE `accounts` ADD `suspended_at_ms` integer;--> statement-breakpoint
ALTER TABLE `accounts` ADD `suspension_reason` text CONSTRAINT "accounts_suspension" CHECK(("accounts"."suspended_at_ms" is null) = ("accounts"."suspension_reason" is null));
