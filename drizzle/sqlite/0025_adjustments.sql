CREATE TABLE `adjustments` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transaction_sequence` integer NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`source` text NOT NULL,
	`amount_cents` integer NOT NULL,
	`giver_fee_cents` integer NOT NULL,
	`receiver_fee_cents` integer NOT NULL,
	`net_amount_cents` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`giver_position` integer,
	`receiver_position` integer NOT NULL,
	FOREIGN KEY (`transaction_sequence`) REFERENCES `transactions`(`sequence`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "adjustments_numbers" CHECK("adjustments"."number" > 0),
	CONSTRAINT "adjustments_positions" CHECK("adjustments"."giver_position" > 0 and "adjustments"."receiver_position" > 0),
	CONSTRAINT "adjustments_kind" CHECK("adjustments"."kind" in ('capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost', 'debit')),
	CONSTRAINT "adjustments_net" CHECK("adjustments"."net_amount_cents" + "adjustments"."receiver_fee_cents" = "adjustments"."amount_cents")
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_source` ON `adjustments` (`transaction_sequence`,`kind`,`source`);
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_number` ON `adjustments` (`transaction_sequence`,`number`);
--> statement-breakpoint
ALTER TABLE `entries` DROP CONSTRAINT "entries_kind";
--> statement-breakpoint
ALTER TABLE `entries` ADD CONSTRAINT "entries_kind" CHECK(("entries"."kind" in ('received', 'given') and "entries"."cents" >= 0) or ("entries"."kind" in ('received_reversed', 'given_reversed') and "entries"."cents" <= 0) or "entries"."kind" in ('received_adjusted', 'given_adjusted') or ("entries"."kind" in ('received_captured', 'given_captured') and "entries"."cents" = 0));
--> statement-breakpoint
ALTER TABLE `payments` DROP CONSTRAINT "payments_state";
--> statement-breakpoint
ALTER TABLE `payments` DROP CONSTRAINT "payments_charge_of_state";
--> statement-breakpoint
ALTER TABLE `payments` DROP CONSTRAINT "payments_refund";
--> statement-breakpoint
ALTER TABLE `payments` ADD `platform` text;
--> statement-breakpoint
ALTER TABLE `payments` ADD `captures_at_ms` integer;
--> statement-breakpoint
ALTER TABLE `payments` ADD `owed_by_receiver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD `owed_to_giver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD `owed_to_receiver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_state" CHECK("payments"."state" in ('created', 'pending', 'succeeded', 'failed', 'expired', 'refunded', 'authorised', 'cancelled'));
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_charge_of_state" CHECK(("payments"."state" in ('authorised', 'succeeded', 'refunded', 'cancelled')) = ("payments"."charge_id" is not null));
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_refund" CHECK("payments"."refund_asked_at_ms" is null or "payments"."state" in ('authorised', 'succeeded', 'refunded', 'cancelled'));
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_captures" CHECK(("payments"."state" in ('authorised', 'cancelled')) = ("payments"."captures_at_ms" is not null));
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_owed" CHECK("payments"."owed_by_receiver_cents" >= 0 and "payments"."owed_to_giver_cents" >= 0 and "payments"."owed_to_receiver_cents" >= 0 and ("payments"."owed_by_receiver_cents" + "payments"."owed_to_giver_cents" + "payments"."owed_to_receiver_cents" = 0 or "payments"."state" in ('succeeded', 'refunded')));
--> statement-breakpoint
CREATE INDEX `payments_time` ON `payments` (`created_at_ms`,`id`);
--> statement-breakpoint
CREATE INDEX `payments_arriving` ON `payments` (`receiver_id`) WHERE state = 'authorised';
--> statement-breakpoint
CREATE INDEX `payments_debts` ON `payments` (`created_at_ms`,`id`) WHERE owed_by_receiver_cents + owed_to_giver_cents + owed_to_receiver_cents > 0;
--> statement-breakpoint
CREATE TABLE `__new_payout_accounts` (
	`user_id` text NOT NULL,
	`payment_mode` text NOT NULL,
	`platform` text DEFAULT '' NOT NULL,
	`account_id` text NOT NULL,
	`charges_enabled` integer NOT NULL,
	`missing` text NOT NULL,
	`changed_at_ms` integer NOT NULL,
	`country` text,
	`payouts_enabled` integer DEFAULT false NOT NULL,
	`disabled_reason` text,
	`read_at_ms` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`user_id`, `payment_mode`, `platform`),
	FOREIGN KEY (`user_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "payout_accounts_mode" CHECK("__new_payout_accounts"."payment_mode" in ('test', 'live')),
	CONSTRAINT "payout_accounts_charges_enabled" CHECK("__new_payout_accounts"."charges_enabled" in (0, 1)),
	CONSTRAINT "payout_accounts_payouts_enabled" CHECK("__new_payout_accounts"."payouts_enabled" in (0, 1))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_payout_accounts` (`user_id`, `payment_mode`, `account_id`, `charges_enabled`, `missing`, `changed_at_ms`) SELECT `user_id`, `payment_mode`, `account_id`, `charges_enabled`, `missing`, `changed_at_ms` FROM `payout_accounts`;
--> statement-breakpoint
DROP TABLE `payout_accounts`;
--> statement-breakpoint
ALTER TABLE `__new_payout_accounts` RENAME TO `payout_accounts`;
--> statement-breakpoint
CREATE UNIQUE INDEX `payout_accounts_account` ON `payout_accounts` (`account_id`);
--> statement-breakpoint
CREATE INDEX `payout_accounts_read` ON `payout_accounts` (`payment_mode`,`read_at_ms`);
--> statement-breakpoint
ALTER TABLE `checkpoints` ADD `adjustment_sequence` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
DROP TRIGGER `payments_move_on`;
--> statement-breakpoint
CREATE TRIGGER `payments_move_on` BEFORE UPDATE OF `state` ON `payments`
WHEN NEW.`state` <> OLD.`state` AND OLD.`state` || ' ' || NEW.`state` NOT IN ('created pending', 'created failed', 'created expired', 'pending authorised', 'pending succeeded', 'pending failed', 'pending expired', 'authorised succeeded', 'authorised cancelled', 'succeeded refunded')
BEGIN SELECT RAISE(ABORT, 'a payment that has ended stays as it is'); END;
--> statement-breakpoint
DROP TRIGGER `payments_are_in_the_ledger`;
--> statement-breakpoint
CREATE TRIGGER `payments_are_in_the_ledger` BEFORE UPDATE OF `state` ON `payments`
WHEN (NEW.`state` IN ('authorised', 'succeeded') AND NOT EXISTS (SELECT 1 FROM `transactions` WHERE `id` = NEW.`id`))
	OR (NEW.`state` IN ('refunded', 'cancelled') AND NOT EXISTS (
		SELECT 1 FROM `transactions` JOIN `reversals` ON `transaction_sequence` = `transactions`.`sequence` WHERE `id` = NEW.`id`
	))
	OR (OLD.`state` = 'authorised' AND NEW.`state` = 'succeeded' AND NOT EXISTS (
		SELECT 1 FROM `transactions` JOIN `adjustments` ON `transaction_sequence` = `transactions`.`sequence` WHERE `id` = NEW.`id` AND `kind` = 'capture'
	))
BEGIN SELECT RAISE(ABORT, 'the ledger tells what became of a payment'); END;
--> statement-breakpoint
DROP TRIGGER `payments_keep_their_names`;
--> statement-breakpoint
CREATE TRIGGER `payments_keep_their_names` BEFORE UPDATE OF `checkout_id`, `checkout_url`, `charge_id`, `platform` ON `payments`
WHEN (OLD.`checkout_id` IS NOT NULL AND (NEW.`checkout_id` IS NOT OLD.`checkout_id` OR NEW.`checkout_url` IS NOT OLD.`checkout_url`))
	OR (OLD.`charge_id` IS NOT NULL AND NEW.`charge_id` IS NOT OLD.`charge_id`)
	OR (OLD.`platform` IS NOT NULL AND NEW.`platform` IS NOT OLD.`platform`)
BEGIN SELECT RAISE(ABORT, 'a payment stays what it is'); END;
--> statement-breakpoint
DROP TRIGGER `transactions_are_paid`;
--> statement-breakpoint
CREATE TRIGGER `transactions_are_paid` BEFORE INSERT ON `transactions`
WHEN NEW.`payment_mode` <> 'simulated' AND NOT EXISTS (
	SELECT 1 FROM `payments` WHERE `payments`.`id` = NEW.`id` AND `payments`.`state` IN ('pending', 'authorised', 'succeeded', 'refunded', 'cancelled')
	AND `payments`.`giver_id` IS NEW.`giver_id` AND `payments`.`receiver_id` IS NEW.`receiver_id` AND `payments`.`qr_code_id` IS NEW.`qr_code_id` AND `payments`.`service_category` IS NEW.`service_category`
	AND `payments`.`amount_cents` IS NEW.`amount_cents` AND `payments`.`giver_fee_cents` IS NEW.`giver_fee_cents` AND `payments`.`receiver_fee_cents` IS NEW.`receiver_fee_cents` AND `payments`.`net_amount_cents` IS NEW.`net_amount_cents`
	AND `payments`.`giver_fee_rate` IS NEW.`giver_fee_rate` AND `payments`.`receiver_fee_rate` IS NEW.`receiver_fee_rate` AND `payments`.`terms_version` IS NEW.`terms_version` AND `payments`.`payment_mode` IS NEW.`payment_mode`
)
BEGIN SELECT RAISE(ABORT, 'a tip is as its payment'); END;
--> statement-breakpoint
DROP TRIGGER `reversals_are_refunded`;
--> statement-breakpoint
CREATE TRIGGER `reversals_are_refunded` BEFORE INSERT ON `reversals`
WHEN EXISTS (
	SELECT 1 FROM `transactions` LEFT JOIN `payments` ON `payments`.`id` = `transactions`.`id`
	WHERE `transactions`.`sequence` = NEW.`transaction_sequence` AND `transactions`.`payment_mode` <> 'simulated'
	AND coalesce(`payments`.`state` NOT IN ('authorised', 'succeeded', 'refunded', 'cancelled'), true)
)
BEGIN SELECT RAISE(ABORT, 'a tip is reversed with its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_never_change` BEFORE UPDATE ON `adjustments`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_never_go` BEFORE DELETE ON `adjustments`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_follow_on` BEFORE INSERT ON `adjustments`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `adjustments`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_are_paid` BEFORE INSERT ON `adjustments`
WHEN NOT EXISTS (
	SELECT 1 FROM `transactions` JOIN `payments` ON `payments`.`id` = `transactions`.`id`
	WHERE `transactions`.`sequence` = NEW.`transaction_sequence` AND `payments`.`state` IN ('authorised', 'succeeded', 'refunded')
)
BEGIN SELECT RAISE(ABORT, 'a tip is adjusted with its payment'); END;
