CREATE INDEX `former_usernames_user` ON `former_usernames` (`user_id`);--> statement-breakpoint
CREATE INDEX `qr_codes_photo` ON `qr_codes` (`photo_name`) WHERE photo_name is not null;--> statement-breakpoint
CREATE INDEX `payout_accounts_restricted` ON `payout_accounts` (`payment_mode`) WHERE disabled_reason is not null;--> statement-breakpoint
CREATE INDEX `adjustments_disputes` ON `adjustments` (`sequence`) WHERE kind = 'dispute';--> statement-breakpoint
CREATE INDEX `audit_log_actor` ON `audit_log` (`actor_name`);