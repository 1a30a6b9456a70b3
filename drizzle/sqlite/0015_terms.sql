CREATE TABLE `terms` (
	`version` integer PRIMARY KEY NOT NULL,
	`from_ms` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`currency` text NOT NULL,
	`exponent` integer NOT NULL,
	`giver_fee_rate` integer NOT NULL,
	`receiver_fee_rate` integer NOT NULL,
	`min_tip_cents` integer NOT NULL,
	`max_tip_cents` integer NOT NULL,
	`quick_amounts` text NOT NULL,
	CONSTRAINT "terms_exponent" CHECK("terms"."exponent" in (0, 2, 3)),
	CONSTRAINT "terms_giver_fee_rate" CHECK("terms"."giver_fee_rate" between 0 and 10000),
	CONSTRAINT "terms_receiver_fee_rate" CHECK("terms"."receiver_fee_rate" between 0 and 10000),
	CONSTRAINT "terms_min_tip" CHECK("terms"."min_tip_cents" >= 1),
	CONSTRAINT "terms_max_tip" CHECK("terms"."max_tip_cents" between "terms"."min_tip_cents" and 100000000000)
) STRICT;
--> statement-breakpoint
ALTER TABLE `payments` DROP CONSTRAINT "payments_amount";
--> statement-breakpoint
ALTER TABLE `payments` DROP CONSTRAINT "payments_net";
--> statement-breakpoint
ALTER TABLE `payments` ADD `terms_version` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_amount" CHECK("payments"."amount_cents" between 1 and 100000000000);
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_net" CHECK("payments"."net_amount_cents" >= 0 and "payments"."net_amount_cents" + "payments"."receiver_fee_cents" = "payments"."amount_cents");
--> statement-breakpoint
ALTER TABLE `transactions` DROP CONSTRAINT "transactions_amount";
--> statement-breakpoint
ALTER TABLE `transactions` DROP CONSTRAINT "transactions_net";
--> statement-breakpoint
ALTER TABLE `transactions` ADD `terms_version` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `transactions` ADD CONSTRAINT "transactions_amount" CHECK("transactions"."amount_cents" between 1 and 100000000000);
--> statement-breakpoint
ALTER TABLE `transactions` ADD CONSTRAINT "transactions_net" CHECK("transactions"."net_amount_cents" >= 0 and "transactions"."net_amount_cents" + "transactions"."receiver_fee_cents" = "transactions"."amount_cents");
--> statement-breakpoint
ALTER TABLE `entries` DROP CONSTRAINT "entries_kind";
--> statement-breakpoint
ALTER TABLE `entries` ADD CONSTRAINT "entries_kind" CHECK(("entries"."kind" in ('received', 'given') and "entries"."cents" >= 0) or ("entries"."kind" in ('received_reversed', 'given_reversed') and "entries"."cents" <= 0));
--> statement-breakpoint
DROP TRIGGER `payments_never_change`;
--> statement-breakpoint
CREATE TRIGGER `payments_never_change` BEFORE UPDATE OF `id`, `giver_id`, `receiver_id`, `qr_code_id`, `service_category`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`, `giver_fee_rate`, `receiver_fee_rate`, `terms_version`, `idempotency_key`, `created_at_ms`, `payment_mode`, `destination`, `expires_at_ms` ON `payments`
BEGIN SELECT RAISE(ABORT, 'a payment stays what it is'); END;
--> statement-breakpoint
DROP TRIGGER `transactions_are_paid`;
--> statement-breakpoint
CREATE TRIGGER `transactions_are_paid` BEFORE INSERT ON `transactions`
WHEN NEW.`payment_mode` <> 'simulated' AND NOT EXISTS (
	SELECT 1 FROM `payments` WHERE `payments`.`id` = NEW.`id` AND `payments`.`state` IN ('pending', 'succeeded', 'refunded')
	AND `payments`.`giver_id` IS NEW.`giver_id` AND `payments`.`receiver_id` IS NEW.`receiver_id` AND `payments`.`qr_code_id` IS NEW.`qr_code_id` AND `payments`.`service_category` IS NEW.`service_category`
	AND `payments`.`amount_cents` IS NEW.`amount_cents` AND `payments`.`giver_fee_cents` IS NEW.`giver_fee_cents` AND `payments`.`receiver_fee_cents` IS NEW.`receiver_fee_cents` AND `payments`.`net_amount_cents` IS NEW.`net_amount_cents`
	AND `payments`.`giver_fee_rate` IS NEW.`giver_fee_rate` AND `payments`.`receiver_fee_rate` IS NEW.`receiver_fee_rate` AND `payments`.`terms_version` IS NEW.`terms_version` AND `payments`.`payment_mode` IS NEW.`payment_mode`
)
BEGIN SELECT RAISE(ABORT, 'a tip is as its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `terms_never_change` BEFORE UPDATE ON `terms`
BEGIN SELECT RAISE(ABORT, 'terms stay what they were'); END;
--> statement-breakpoint
CREATE TRIGGER `terms_never_go` BEFORE DELETE ON `terms`
BEGIN SELECT RAISE(ABORT, 'terms stay what they were'); END;
--> statement-breakpoint
CREATE TRIGGER `terms_follow_on` BEFORE INSERT ON `terms`
WHEN NEW.`version` <> 1 + (SELECT coalesce(max(`version`), 0) FROM `terms`)
BEGIN SELECT RAISE(ABORT, 'versions of terms follow on without a gap'); END;
--> statement-breakpoint
CREATE TRIGGER `terms_keep_the_currency` BEFORE INSERT ON `terms`
WHEN NEW.`currency` || ' ' || NEW.`exponent` <> coalesce((SELECT `currency` || ' ' || `exponent` FROM `terms` ORDER BY `version` DESC LIMIT 1), 'USD 2')
	AND (EXISTS (SELECT 1 FROM `transactions`) OR EXISTS (SELECT 1 FROM `payments`))
BEGIN SELECT RAISE(ABORT, 'the first tip fixes the currency'); END;
--> statement-breakpoint
CREATE TRIGGER `transactions_are_in_the_present_currency` BEFORE INSERT ON `transactions`
WHEN EXISTS (
	SELECT 1 FROM `terms` WHERE `version` > NEW.`terms_version`
	AND `currency` <> coalesce((SELECT `currency` FROM `terms` WHERE `version` = NEW.`terms_version`), 'USD')
)
BEGIN SELECT RAISE(ABORT, 'the currency has changed'); END;
--> statement-breakpoint
CREATE TRIGGER `payments_are_in_the_present_currency` BEFORE INSERT ON `payments`
WHEN EXISTS (
	SELECT 1 FROM `terms` WHERE `version` > NEW.`terms_version`
	AND `currency` <> coalesce((SELECT `currency` FROM `terms` WHERE `version` = NEW.`terms_version`), 'USD')
)
BEGIN SELECT RAISE(ABORT, 'the currency has changed'); END;
