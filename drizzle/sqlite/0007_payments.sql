CREATE TABLE `payment_notices` (
	`id` text PRIMARY KEY NOT NULL,
	`received_at_ms` integer NOT NULL
) STRICT;
--> statement-breakpoint
CREATE INDEX `payment_notices_time` ON `payment_notices` (`received_at_ms`);
--> statement-breakpoint
CREATE TABLE `payments` (
	`id` text PRIMARY KEY NOT NULL,
	`giver_id` text,
	`receiver_id` text NOT NULL,
	`qr_code_id` text NOT NULL,
	`service_category` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`giver_fee_cents` integer NOT NULL,
	`receiver_fee_cents` integer NOT NULL,
	`net_amount_cents` integer NOT NULL,
	`giver_fee_rate` integer NOT NULL,
	`receiver_fee_rate` integer NOT NULL,
	`idempotency_key` text,
	`created_at_ms` integer NOT NULL,
	`payment_mode` text NOT NULL,
	`destination` text NOT NULL,
	`state` text DEFAULT 'created' NOT NULL,
	`changed_at_ms` integer NOT NULL,
	`expires_at_ms` integer NOT NULL,
	`checkout_id` text,
	`checkout_url` text,
	`charge_id` text,
	`look_at_ms` integer,
	`look_count` integer DEFAULT 0 NOT NULL,
	`refund_asked_at_ms` integer,
	`refund_asked_by` text,
	`refund_key` text,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payments_amount" CHECK("payments"."amount_cents" between 1000 and 1000000),
	CONSTRAINT "payments_fees" CHECK("payments"."giver_fee_cents" >= 0 and "payments"."receiver_fee_cents" >= 0),
	CONSTRAINT "payments_net" CHECK("payments"."net_amount_cents" > 0 and "payments"."net_amount_cents" + "payments"."receiver_fee_cents" = "payments"."amount_cents"),
	CONSTRAINT "payments_two_people" CHECK("payments"."giver_id" <> "payments"."receiver_id"),
	CONSTRAINT "payments_mode" CHECK("payments"."payment_mode" in ('test', 'live')),
	CONSTRAINT "payments_state" CHECK("payments"."state" in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded')),
	CONSTRAINT "payments_page" CHECK(("payments"."checkout_id" is null) = ("payments"."checkout_url" is null)),
	CONSTRAINT "payments_page_of_state" CHECK("payments"."state" in ('created', 'failed', 'expired') or "payments"."checkout_id" is not null),
	CONSTRAINT "payments_charge_of_state" CHECK(("payments"."state" in ('succeeded', 'refunded')) = ("payments"."charge_id" is not null)),
	CONSTRAINT "payments_refund" CHECK("payments"."refund_asked_at_ms" is null or "payments"."state" in ('succeeded', 'refunded')),
	CONSTRAINT "payments_refund_asked_by" CHECK("payments"."refund_asked_by" in ('giver', 'receiver'))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_idempotency` ON `payments` (`giver_id`,`idempotency_key`) WHERE idempotency_key is not null;
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_checkout` ON `payments` (`checkout_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `payments_charge` ON `payments` (`charge_id`);
--> statement-breakpoint
CREATE INDEX `payments_giver` ON `payments` (`giver_id`,`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `payments_look` ON `payments` (`look_at_ms`) WHERE look_at_ms is not null;
--> statement-breakpoint
CREATE TABLE `payout_accounts` (
	`user_id` text NOT NULL,
	`payment_mode` text NOT NULL,
	`account_id` text NOT NULL,
	`charges_enabled` integer NOT NULL,
	`missing` text NOT NULL,
	`changed_at_ms` integer NOT NULL,
	PRIMARY KEY(`user_id`, `payment_mode`),
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payout_accounts_mode" CHECK("payout_accounts"."payment_mode" in ('test', 'live')),
	CONSTRAINT "payout_accounts_charges_enabled" CHECK("payout_accounts"."charges_enabled" in (0, 1))
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_accounts_account` ON `payout_accounts` (`account_id`);
--> statement-breakpoint
ALTER TABLE `transactions` ALTER COLUMN `giver_id` DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE `transactions` ALTER COLUMN `giver_position` DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE `reversals` ALTER COLUMN `giver_position` DROP NOT NULL;
--> statement-breakpoint
ALTER TABLE `transactions` ADD `payment_mode` text DEFAULT 'simulated' NOT NULL CONSTRAINT "transactions_payment_mode" CHECK("transactions"."payment_mode" in ('simulated', 'test', 'live'));
--> statement-breakpoint
ALTER TABLE `transactions` ADD CONSTRAINT "transactions_guest" CHECK(("transactions"."giver_id" is null) = ("transactions"."giver_position" is null));
--> statement-breakpoint
CREATE TRIGGER `payments_move_on` BEFORE UPDATE OF `state` ON `payments`
WHEN NEW.`state` <> OLD.`state` AND OLD.`state` || ' ' || NEW.`state` NOT IN ('created pending', 'created failed', 'created expired', 'pending succeeded', 'pending failed', 'pending expired', 'succeeded refunded')
BEGIN SELECT RAISE(ABORT, 'a payment that has ended stays as it is'); END;
--> statement-breakpoint
CREATE TRIGGER `payments_are_in_the_ledger` BEFORE UPDATE OF `state` ON `payments`
WHEN (NEW.`state` = 'succeeded' AND NOT EXISTS (SELECT 1 FROM `transactions` WHERE `id` = NEW.`id`))
	OR (NEW.`state` = 'refunded' AND NOT EXISTS (
		SELECT 1 FROM `transactions` JOIN `reversals` ON `transaction_sequence` = `transactions`.`sequence` WHERE `id` = NEW.`id`
	))
BEGIN SELECT RAISE(ABORT, 'the ledger tells what became of a payment'); END;
--> statement-breakpoint
CREATE TRIGGER `payments_never_change` BEFORE UPDATE OF `id`, `giver_id`, `receiver_id`, `qr_code_id`, `service_category`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`, `giver_fee_rate`, `receiver_fee_rate`, `idempotency_key`, `created_at_ms`, `payment_mode`, `destination`, `expires_at_ms` ON `payments`
BEGIN SELECT RAISE(ABORT, 'a payment stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `payments_keep_their_names` BEFORE UPDATE OF `checkout_id`, `checkout_url`, `charge_id` ON `payments`
WHEN (OLD.`checkout_id` IS NOT NULL AND (NEW.`checkout_id` IS NOT OLD.`checkout_id` OR NEW.`checkout_url` IS NOT OLD.`checkout_url`))
	OR (OLD.`charge_id` IS NOT NULL AND NEW.`charge_id` IS NOT OLD.`charge_id`)
BEGIN SELECT RAISE(ABORT, 'a payment stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `payments_never_go` BEFORE DELETE ON `payments`
BEGIN SELECT RAISE(ABORT, 'a payment stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `transactions_are_paid` BEFORE INSERT ON `transactions`
WHEN NEW.`payment_mode` <> 'simulated' AND NOT EXISTS (
	SELECT 1 FROM `payments` WHERE `payments`.`id` = NEW.`id` AND `payments`.`state` IN ('pending', 'succeeded', 'refunded')
	AND `payments`.`giver_id` IS NEW.`giver_id` AND `payments`.`receiver_id` IS NEW.`receiver_id` AND `payments`.`qr_code_id` IS NEW.`qr_code_id` AND `payments`.`service_category` IS NEW.`service_category`
	AND `payments`.`amount_cents` IS NEW.`amount_cents` AND `payments`.`giver_fee_cents` IS NEW.`giver_fee_cents` AND `payments`.`receiver_fee_cents` IS NEW.`receiver_fee_cents` AND `payments`.`net_amount_cents` IS NEW.`net_amount_cents`
	AND `payments`.`giver_fee_rate` IS NEW.`giver_fee_rate` AND `payments`.`receiver_fee_rate` IS NEW.`receiver_fee_rate` AND `payments`.`payment_mode` IS NEW.`payment_mode`
)
BEGIN SELECT RAISE(ABORT, 'a tip is as its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_are_refunded` BEFORE INSERT ON `reversals`
WHEN EXISTS (
	SELECT 1 FROM `transactions` LEFT JOIN `payments` ON `payments`.`id` = `transactions`.`id`
	WHERE `transactions`.`sequence` = NEW.`transaction_sequence` AND `transactions`.`payment_mode` <> 'simulated'
	AND coalesce(`payments`.`state` NOT IN ('succeeded', 'refunded'), true)
)
BEGIN SELECT RAISE(ABORT, 'a tip is reversed with its payment'); END;
