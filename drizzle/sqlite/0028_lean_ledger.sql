DROP TRIGGER `adjustments_are_paid`;
--> statement-breakpoint
DROP TRIGGER `adjustments_follow_on`;
--> statement-breakpoint
DROP TRIGGER `former_usernames_never_go`;
--> statement-breakpoint
DROP TRIGGER `payments_are_in_the_ledger`;
--> statement-breakpoint
DROP TRIGGER `reversals_are_refunded`;
--> statement-breakpoint
DROP TRIGGER `reversals_follow_on`;
--> statement-breakpoint
DROP TRIGGER `terms_keep_the_currency`;
--> statement-breakpoint
CREATE TABLE `__new_accounts` (
	`id` text NOT NULL,
	`number` integer PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_key` text NOT NULL,
	`username` text NOT NULL,
	`full_name` text NOT NULL,
	`phone` text,
	`is_service_provider` integer NOT NULL,
	`password_hash` text NOT NULL,
	`total_tips_received_cents` integer NOT NULL,
	`total_tips_given_cents` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`password_expires_at_ms` integer,
	`last_position` integer DEFAULT 0 NOT NULL,
	`closes_at_ms` integer,
	`closed_at_ms` integer,
	`day_start_hour` integer,
	`accepted_terms` text,
	`terms_accepted_at_ms` integer,
	`suspended_at_ms` integer,
	`suspension_reason` text,
	CONSTRAINT "accounts_total_tips_received" CHECK("__new_accounts"."total_tips_received_cents" >= 0),
	CONSTRAINT "accounts_total_tips_given" CHECK("__new_accounts"."total_tips_given_cents" >= 0),
	CONSTRAINT "accounts_last_position" CHECK("__new_accounts"."last_position" >= 0),
	CONSTRAINT "accounts_day_start_hour" CHECK("__new_accounts"."day_start_hour" between 0 and 23),
	CONSTRAINT "accounts_suspension" CHECK(("__new_accounts"."suspended_at_ms" is null) = ("__new_accounts"."suspension_reason" is null)),
	CONSTRAINT "accounts_is_service_provider" CHECK("__new_accounts"."is_service_provider" in (0, 1))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_accounts`("id", "number", "email", "email_key", "username", "full_name", "phone", "is_service_provider", "password_hash", "total_tips_received_cents", "total_tips_given_cents", "created_at_ms", "password_expires_at_ms", "last_position", "closes_at_ms", "closed_at_ms", "day_start_hour", "accepted_terms", "terms_accepted_at_ms", "suspended_at_ms", "suspension_reason") SELECT "id", rowid, "email", "email_key", "username", "full_name", "phone", "is_service_provider", "password_hash", "total_tips_received_cents", "total_tips_given_cents", "created_at_ms", "password_expires_at_ms", "last_position", "closes_at_ms", "closed_at_ms", "day_start_hour", "accepted_terms", "terms_accepted_at_ms", "suspended_at_ms", "suspension_reason" FROM `accounts` ORDER BY rowid;
--> statement-breakpoint
DROP TABLE `accounts`;
--> statement-breakpoint
ALTER TABLE `__new_accounts` RENAME TO `accounts`;
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_id` ON `accounts` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_email_key` ON `accounts` (`email_key`);
--> statement-breakpoint
CREATE UNIQUE INDEX `accounts_username` ON `accounts` (`username`);
--> statement-breakpoint
CREATE INDEX `accounts_closing` ON `accounts` (`closes_at_ms`) WHERE closes_at_ms is not null;
--> statement-breakpoint
CREATE TABLE `__new_qr_codes` (
	`id` text NOT NULL,
	`user_id` text NOT NULL,
	`category` text NOT NULL,
	`created_at_ms` integer NOT NULL,
	`status` text DEFAULT 'active' NOT NULL,
	`display_name` text,
	`greeting` text,
	`photo_name` text,
	`sequence` integer PRIMARY KEY NOT NULL,
	`takes_words` integer DEFAULT true NOT NULL,
	`thank_you` text,
	`is_listed` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`photo_name`) REFERENCES `photos`(`name`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`user_id`,`category`) REFERENCES `provider_categories`(`user_id`,`category`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "qr_codes_id" CHECK(length("__new_qr_codes"."id") = 10),
	CONSTRAINT "qr_codes_status" CHECK("__new_qr_codes"."status" in ('active', 'paused', 'replaced', 'retired')),
	CONSTRAINT "qr_codes_takes_words" CHECK("__new_qr_codes"."takes_words" in (0, 1))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_qr_codes`("id", "user_id", "category", "created_at_ms", "status", "display_name", "greeting", "photo_name", "sequence", "takes_words", "thank_you", "is_listed") SELECT "id", "user_id", "category", "created_at_ms", "status", "display_name", "greeting", "photo_name", rowid, "takes_words", "thank_you", "is_listed" FROM `qr_codes` ORDER BY rowid;
--> statement-breakpoint
DROP TABLE `qr_codes`;
--> statement-breakpoint
ALTER TABLE `__new_qr_codes` RENAME TO `qr_codes`;
--> statement-breakpoint
CREATE UNIQUE INDEX `qr_codes_id` ON `qr_codes` (`id`);
--> statement-breakpoint
CREATE INDEX `qr_codes_user` ON `qr_codes` (`user_id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `qr_codes_current` ON `qr_codes` (`user_id`,`category`) WHERE status in ('active', 'paused');
--> statement-breakpoint
CREATE TABLE `tips` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`created_at_ms` integer NOT NULL,
	`amount_cents` integer NOT NULL,
	`giver_fee_cents` integer NOT NULL,
	`receiver_fee_cents` integer NOT NULL,
	`net_amount_cents` integer NOT NULL,
	`giver` integer,
	`receiver` integer NOT NULL,
	`code` integer NOT NULL,
	`giver_position` integer,
	`receiver_position` integer NOT NULL,
	`terms_version` integer NOT NULL,
	`giver_fee_rate` integer NOT NULL,
	`receiver_fee_rate` integer NOT NULL,
	`category` integer NOT NULL,
	`mode` integer NOT NULL,
	`id` text NOT NULL,
	`idempotency_key` text NOT NULL,
	CONSTRAINT "tips_amount" CHECK("tips"."amount_cents" between 1 and 100000000000),
	CONSTRAINT "tips_fees" CHECK("tips"."giver_fee_cents" >= 0 and "tips"."receiver_fee_cents" >= 0),
	CONSTRAINT "tips_net" CHECK("tips"."net_amount_cents" >= 0 and "tips"."net_amount_cents" + "tips"."receiver_fee_cents" = "tips"."amount_cents"),
	CONSTRAINT "tips_two_people" CHECK("tips"."giver" <> "tips"."receiver"),
	CONSTRAINT "tips_positions" CHECK("tips"."giver_position" > 0 and "tips"."receiver_position" > 0),
	CONSTRAINT "tips_guest" CHECK(("tips"."giver" is null) = ("tips"."giver_position" is null)),
	CONSTRAINT "tips_category" CHECK("tips"."category" between 1 and 8),
	CONSTRAINT "tips_mode" CHECK("tips"."mode" between 0 and 2)
) STRICT;
--> statement-breakpoint
INSERT INTO `tips` (`sequence`, `created_at_ms`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`, `giver`, `receiver`, `code`, `giver_position`, `receiver_position`, `terms_version`, `giver_fee_rate`, `receiver_fee_rate`, `category`, `mode`, `id`, `idempotency_key`)
SELECT `t`.`sequence`, `t`.`created_at_ms`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`,
	(SELECT `number` FROM `accounts` WHERE `id` = `t`.`giver_id`), (SELECT `number` FROM `accounts` WHERE `id` = `t`.`receiver_id`),
	(SELECT `sequence` FROM `qr_codes` WHERE `id` = `t`.`qr_code_id`), `giver_position`, `receiver_position`, `terms_version`, `giver_fee_rate`, `receiver_fee_rate`,
	CASE `service_category` WHEN 'bartender' THEN 1 WHEN 'barber' THEN 2 WHEN 'nailtech' THEN 3 WHEN 'esthetician' THEN 4 WHEN 'server' THEN 5 WHEN 'escort' THEN 6 WHEN 'dj' THEN 7 WHEN 'live_event' THEN 8 END,
	CASE `payment_mode` WHEN 'simulated' THEN 0 WHEN 'test' THEN 1 WHEN 'live' THEN 2 END, `t`.`id`, coalesce(`idempotency_key`, '')
FROM `transactions` `t` ORDER BY `t`.`sequence`;
--> statement-breakpoint
DELETE FROM `sqlite_sequence` WHERE `name` = 'tips';
--> statement-breakpoint
INSERT INTO `sqlite_sequence` (`name`, `seq`) SELECT 'tips', `seq` FROM `sqlite_sequence` WHERE `name` = 'transactions';
--> statement-breakpoint
DROP TABLE `transactions`;
--> statement-breakpoint
CREATE UNIQUE INDEX `tips_id` ON `tips` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `tips_idempotency` ON `tips` (`giver`,`idempotency_key`) WHERE idempotency_key <> '';
--> statement-breakpoint
CREATE TABLE `tip_entries` (
	`transaction_sequence` integer NOT NULL,
	`cents` integer NOT NULL,
	`balance_after_cents` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`account` integer NOT NULL,
	`position` integer NOT NULL,
	`kind` integer NOT NULL,
	PRIMARY KEY(`account`, `position`),
	CONSTRAINT "tip_entries_position" CHECK("tip_entries"."position" > 0),
	CONSTRAINT "tip_entries_balance" CHECK("tip_entries"."balance_after_cents" >= 0),
	CONSTRAINT "tip_entries_kind" CHECK(("tip_entries"."kind" in (1, 2) and "tip_entries"."cents" >= 0) or ("tip_entries"."kind" in (3, 4) and "tip_entries"."cents" <= 0) or "tip_entries"."kind" in (5, 6) or ("tip_entries"."kind" in (7, 8) and "tip_entries"."cents" = 0))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `tip_entries` (`account`, `position`, `kind`, `transaction_sequence`, `cents`, `balance_after_cents`, `created_at_ms`)
SELECT `a`.`number`, `position`, CASE `kind` WHEN 'received' THEN 1 WHEN 'given' THEN 2 WHEN 'received_reversed' THEN 3 WHEN 'given_reversed' THEN 4 WHEN 'received_adjusted' THEN 5 WHEN 'given_adjusted' THEN 6 WHEN 'received_captured' THEN 7 WHEN 'given_captured' THEN 8 END,
	`transaction_sequence`, `cents`, `balance_after_cents`, `e`.`created_at_ms`
FROM `accounts` `a` CROSS JOIN `entries` `e` ON `e`.`account_id` = `a`.`id` ORDER BY `a`.`number`, `position`;
--> statement-breakpoint
DROP TABLE `entries`;
--> statement-breakpoint
CREATE INDEX `tip_entries_time` ON `tip_entries` (`account`,`created_at_ms`);
--> statement-breakpoint
CREATE INDEX `tip_entries_changes` ON `tip_entries` (`account`,`created_at_ms`,`position`) WHERE kind in (3, 4, 5, 6);
--> statement-breakpoint
CREATE TABLE `tip_quarters` (
	`cents` integer NOT NULL,
	`checked_cents` integer DEFAULT 0 NOT NULL,
	`gross_cents` integer DEFAULT 0 NOT NULL,
	`largest_cents` integer DEFAULT 0 NOT NULL,
	`account` integer NOT NULL,
	`quarter` integer NOT NULL,
	`count` integer NOT NULL,
	`checked_count` integer DEFAULT 0 NOT NULL,
	`detailed_count` integer DEFAULT 0 NOT NULL,
	`category` integer NOT NULL,
	PRIMARY KEY(`account`, `quarter`, `category`),
	CONSTRAINT "tip_quarters_sums" CHECK("tip_quarters"."count" >= 0 and "tip_quarters"."cents" >= 0),
	CONSTRAINT "tip_quarters_category" CHECK("tip_quarters"."category" between 1 and 8)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `tip_quarters` (`account`, `quarter`, `category`, `count`, `cents`, `checked_count`, `checked_cents`, `detailed_count`, `gross_cents`, `largest_cents`)
SELECT `a`.`number`, `start_ms` / 900000, CASE `service_category` WHEN 'bartender' THEN 1 WHEN 'barber' THEN 2 WHEN 'nailtech' THEN 3 WHEN 'esthetician' THEN 4 WHEN 'server' THEN 5 WHEN 'escort' THEN 6 WHEN 'dj' THEN 7 WHEN 'live_event' THEN 8 END,
	`count`, `cents`, `checked_count`, `checked_cents`, `detailed_count`, `gross_cents`, `largest_cents`
FROM `accounts` `a` CROSS JOIN `tip_buckets` `b` ON `b`.`account_id` = `a`.`id`;
--> statement-breakpoint
DROP TABLE `tip_buckets`;
--> statement-breakpoint
CREATE TABLE `__new_reversals` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transaction_sequence` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`giver_position` integer,
	`receiver_position` integer NOT NULL,
	`reversed_by` text,
	`idempotency_key` text,
	FOREIGN KEY (`transaction_sequence`) REFERENCES `tips`(`sequence`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reversals_positions" CHECK("__new_reversals"."giver_position" > 0 and "__new_reversals"."receiver_position" > 0),
	CONSTRAINT "reversals_reversed_by" CHECK("__new_reversals"."reversed_by" in ('giver', 'receiver'))
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_reversals`("sequence", "transaction_sequence", "created_at_ms", "giver_position", "receiver_position", "reversed_by", "idempotency_key") SELECT "sequence", "transaction_sequence", "created_at_ms", "giver_position", "receiver_position", "reversed_by", "idempotency_key" FROM `reversals` ORDER BY "sequence";
--> statement-breakpoint
DROP TABLE `reversals`;
--> statement-breakpoint
ALTER TABLE `__new_reversals` RENAME TO `reversals`;
--> statement-breakpoint
CREATE UNIQUE INDEX `reversals_transaction` ON `reversals` (`transaction_sequence`);
--> statement-breakpoint
CREATE TABLE `__new_adjustments` (
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
	FOREIGN KEY (`transaction_sequence`) REFERENCES `tips`(`sequence`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "adjustments_numbers" CHECK("__new_adjustments"."number" > 0),
	CONSTRAINT "adjustments_positions" CHECK("__new_adjustments"."giver_position" > 0 and "__new_adjustments"."receiver_position" > 0),
	CONSTRAINT "adjustments_kind" CHECK("__new_adjustments"."kind" in ('capture', 'refund', 'refund_failed', 'dispute', 'dispute_won', 'dispute_lost', 'debit')),
	CONSTRAINT "adjustments_net" CHECK("__new_adjustments"."net_amount_cents" + "__new_adjustments"."receiver_fee_cents" = "__new_adjustments"."amount_cents")
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_adjustments`("sequence", "transaction_sequence", "number", "kind", "source", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "created_at_ms", "giver_position", "receiver_position") SELECT "sequence", "transaction_sequence", "number", "kind", "source", "amount_cents", "giver_fee_cents", "receiver_fee_cents", "net_amount_cents", "created_at_ms", "giver_position", "receiver_position" FROM `adjustments` ORDER BY "sequence";
--> statement-breakpoint
DROP TABLE `adjustments`;
--> statement-breakpoint
ALTER TABLE `__new_adjustments` RENAME TO `adjustments`;
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_source` ON `adjustments` (`transaction_sequence`,`kind`,`source`);
--> statement-breakpoint
CREATE UNIQUE INDEX `adjustments_number` ON `adjustments` (`transaction_sequence`,`number`);
--> statement-breakpoint
CREATE INDEX `adjustments_moves` ON `adjustments` (`sequence`) WHERE kind <> 'capture';
--> statement-breakpoint
CREATE VIEW `transactions` AS SELECT
	`tips`.`sequence` AS `sequence`,
	`tips`.`id` AS `id`,
	CASE WHEN `tips`.`giver` IS NOT NULL THEN coalesce((SELECT `id` FROM `accounts` WHERE `number` = `tips`.`giver`), 'number ' || `tips`.`giver`) END AS `giver_id`,
	coalesce((SELECT `id` FROM `accounts` WHERE `number` = `tips`.`receiver`), 'number ' || `tips`.`receiver`) AS `receiver_id`,
	coalesce((SELECT `id` FROM `qr_codes` WHERE `qr_codes`.`sequence` = `tips`.`code`), 'number ' || `tips`.`code`) AS `qr_code_id`,
	CASE `tips`.`category` WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || `tips`.`category` END AS `service_category`,
	`tips`.`amount_cents` AS `amount_cents`,
	`tips`.`giver_fee_cents` AS `giver_fee_cents`,
	`tips`.`receiver_fee_cents` AS `receiver_fee_cents`,
	`tips`.`net_amount_cents` AS `net_amount_cents`,
	`tips`.`giver_fee_rate` AS `giver_fee_rate`,
	`tips`.`receiver_fee_rate` AS `receiver_fee_rate`,
	nullif(`tips`.`idempotency_key`, '') AS `idempotency_key`,
	`tips`.`created_at_ms` AS `created_at_ms`,
	`tips`.`giver_position` AS `giver_position`,
	`tips`.`receiver_position` AS `receiver_position`,
	CASE `tips`.`mode` WHEN 0 THEN 'simulated' WHEN 1 THEN 'test' WHEN 2 THEN 'live' ELSE 'number ' || `tips`.`mode` END AS `payment_mode`,
	`tips`.`terms_version` AS `terms_version`,
	`tips`.`giver` AS `giver`,
	`tips`.`receiver` AS `receiver`,
	`tips`.`code` AS `code`
FROM `tips`;
--> statement-breakpoint
CREATE VIEW `entries` AS SELECT
	coalesce((SELECT `id` FROM `accounts` WHERE `number` = `tip_entries`.`account`), 'number ' || `tip_entries`.`account`) AS `account_id`,
	`tip_entries`.`position` AS `position`,
	CASE `tip_entries`.`kind` WHEN 1 THEN 'received' WHEN 2 THEN 'given' WHEN 3 THEN 'received_reversed' WHEN 4 THEN 'given_reversed' WHEN 5 THEN 'received_adjusted' WHEN 6 THEN 'given_adjusted' WHEN 7 THEN 'received_captured' WHEN 8 THEN 'given_captured' ELSE 'number ' || `tip_entries`.`kind` END AS `kind`,
	`tip_entries`.`transaction_sequence` AS `transaction_sequence`,
	`tip_entries`.`cents` AS `cents`,
	`tip_entries`.`balance_after_cents` AS `balance_after_cents`,
	`tip_entries`.`created_at_ms` AS `created_at_ms`,
	`tip_entries`.`account` AS `account`,
	`tip_entries`.`kind` AS `kind_number`
FROM `tip_entries`;
--> statement-breakpoint
CREATE VIEW `tip_buckets` AS SELECT
	coalesce((SELECT `id` FROM `accounts` WHERE `number` = `tip_quarters`.`account`), 'number ' || `tip_quarters`.`account`) AS `account_id`,
	`tip_quarters`.`quarter` * 900000 AS `start_ms`,
	CASE `tip_quarters`.`category` WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || `tip_quarters`.`category` END AS `service_category`,
	`tip_quarters`.`count` AS `count`,
	`tip_quarters`.`cents` AS `cents`,
	`tip_quarters`.`checked_count` AS `checked_count`,
	`tip_quarters`.`checked_cents` AS `checked_cents`,
	`tip_quarters`.`detailed_count` AS `detailed_count`,
	`tip_quarters`.`gross_cents` AS `gross_cents`,
	`tip_quarters`.`largest_cents` AS `largest_cents`,
	`tip_quarters`.`account` AS `account`,
	`tip_quarters`.`quarter` AS `quarter`
FROM `tip_quarters`;
--> statement-breakpoint
CREATE TRIGGER `accounts_never_go` BEFORE DELETE ON `accounts`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `accounts_stay_closed` BEFORE UPDATE OF `closed_at_ms` ON `accounts`
WHEN OLD.`closed_at_ms` IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'an account that was closed stays closed'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_are_paid` BEFORE INSERT ON `adjustments`
WHEN NOT EXISTS (
	SELECT 1 FROM `transactions` JOIN `payments` ON `payments`.`id` = `transactions`.`id`
	WHERE `transactions`.`sequence` = NEW.`transaction_sequence` AND `payments`.`state` IN ('authorised', 'succeeded', 'refunded')
)
BEGIN SELECT RAISE(ABORT, 'a tip is adjusted with its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_follow_on` BEFORE INSERT ON `adjustments`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `adjustments`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_never_change` BEFORE UPDATE ON `adjustments`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `adjustments_never_go` BEFORE DELETE ON `adjustments`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `former_usernames_never_go` BEFORE DELETE ON `former_usernames`
WHEN (SELECT `closed_at_ms` FROM `accounts` WHERE `id` = OLD.`user_id`) IS NULL
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
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
CREATE TRIGGER `qr_codes_end_for_good` BEFORE UPDATE OF `status` ON `qr_codes`
WHEN OLD.`status` IN ('replaced', 'retired') AND NEW.`status` <> OLD.`status`
BEGIN SELECT RAISE(ABORT, 'a code that was replaced or retired leads nowhere any more'); END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_never_change` BEFORE UPDATE OF `id`, `user_id`, `category`, `created_at_ms` ON `qr_codes`
BEGIN SELECT RAISE(ABORT, 'a printed code stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_never_go` BEFORE DELETE ON `qr_codes`
BEGIN SELECT RAISE(ABORT, 'a printed code is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_are_refunded` BEFORE INSERT ON `reversals`
WHEN EXISTS (
	SELECT 1 FROM `transactions` LEFT JOIN `payments` ON `payments`.`id` = `transactions`.`id`
	WHERE `transactions`.`sequence` = NEW.`transaction_sequence` AND `transactions`.`payment_mode` <> 'simulated'
	AND coalesce(`payments`.`state` NOT IN ('authorised', 'succeeded', 'refunded', 'cancelled'), true)
)
BEGIN SELECT RAISE(ABORT, 'a tip is reversed with its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_follow_on` BEFORE INSERT ON `reversals`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `reversals`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_never_change` BEFORE UPDATE ON `reversals`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_never_go` BEFORE DELETE ON `reversals`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `terms_keep_the_currency` BEFORE INSERT ON `terms`
WHEN NEW.`currency` || ' ' || NEW.`exponent` <> coalesce((SELECT `currency` || ' ' || `exponent` FROM `terms` ORDER BY `version` DESC LIMIT 1), 'USD 2')
	AND (EXISTS (SELECT 1 FROM `transactions`) OR EXISTS (SELECT 1 FROM `payments`))
BEGIN SELECT RAISE(ABORT, 'the first tip fixes the currency'); END;
--> statement-breakpoint
CREATE TRIGGER `tip_entries_follow_on` BEFORE INSERT ON `tip_entries`
WHEN NEW.`position` <> (SELECT coalesce(max(`position`), 0) + 1 FROM `tip_entries` WHERE `account` = NEW.`account`)
BEGIN SELECT RAISE(ABORT, 'the entries of an account follow on without a gap'); END;
--> statement-breakpoint
CREATE TRIGGER `tip_entries_never_change` BEFORE UPDATE ON `tip_entries`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `tip_entries_never_go` BEFORE DELETE ON `tip_entries`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `tips_are_in_the_present_currency` BEFORE INSERT ON `tips`
WHEN EXISTS (
	SELECT 1 FROM `terms` WHERE `version` > NEW.`terms_version`
	AND `currency` <> coalesce((SELECT `currency` FROM `terms` WHERE `version` = NEW.`terms_version`), 'USD')
)
BEGIN SELECT RAISE(ABORT, 'the currency has changed'); END;
--> statement-breakpoint
CREATE TRIGGER `tips_are_paid` BEFORE INSERT ON `tips`
WHEN NEW.`mode` <> 0 AND NOT EXISTS (
	SELECT 1 FROM `payments` WHERE `payments`.`id` = NEW.`id` AND `payments`.`state` IN ('pending', 'authorised', 'succeeded', 'refunded', 'cancelled')
	AND `payments`.`giver_id` IS (SELECT `id` FROM `accounts` WHERE `number` = NEW.`giver`) AND `payments`.`receiver_id` IS (SELECT `id` FROM `accounts` WHERE `number` = NEW.`receiver`) AND `payments`.`qr_code_id` IS (SELECT `id` FROM `qr_codes` WHERE `sequence` = NEW.`code`) AND `payments`.`service_category` IS (CASE NEW.`category` WHEN 1 THEN 'bartender' WHEN 2 THEN 'barber' WHEN 3 THEN 'nailtech' WHEN 4 THEN 'esthetician' WHEN 5 THEN 'server' WHEN 6 THEN 'escort' WHEN 7 THEN 'dj' WHEN 8 THEN 'live_event' ELSE 'number ' || NEW.`category` END)
	AND `payments`.`amount_cents` IS NEW.`amount_cents` AND `payments`.`giver_fee_cents` IS NEW.`giver_fee_cents` AND `payments`.`receiver_fee_cents` IS NEW.`receiver_fee_cents` AND `payments`.`net_amount_cents` IS NEW.`net_amount_cents`
	AND `payments`.`giver_fee_rate` IS NEW.`giver_fee_rate` AND `payments`.`receiver_fee_rate` IS NEW.`receiver_fee_rate` AND `payments`.`terms_version` IS NEW.`terms_version` AND `payments`.`payment_mode` IS (CASE NEW.`mode` WHEN 0 THEN 'simulated' WHEN 1 THEN 'test' WHEN 2 THEN 'live' ELSE 'number ' || NEW.`mode` END)
)
BEGIN SELECT RAISE(ABORT, 'a tip is as its payment'); END;
--> statement-breakpoint
CREATE TRIGGER `tips_follow_on` BEFORE INSERT ON `tips`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `tips`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `tips_never_change` BEFORE UPDATE ON `tips`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `tips_never_go` BEFORE DELETE ON `tips`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
