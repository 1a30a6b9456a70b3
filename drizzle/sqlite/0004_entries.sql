CREATE TABLE `checked_accounts` (
	`account_id` text PRIMARY KEY NOT NULL,
	`position` integer NOT NULL,
	`received_cents` integer NOT NULL,
	`given_cents` integer NOT NULL,
	`buckets_from_ms` integer,
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `checkpoints` (
	`id` integer PRIMARY KEY NOT NULL,
	`transaction_sequence` integer NOT NULL,
	`reversal_sequence` integer NOT NULL,
	CONSTRAINT "checkpoints_one" CHECK("checkpoints"."id" = 1)
) STRICT;
--> statement-breakpoint
INSERT INTO `checkpoints` (`id`, `transaction_sequence`, `reversal_sequence`)
SELECT 1, coalesce(max(`sequence`), 0), 0 FROM `transactions`;
--> statement-breakpoint
CREATE TABLE `entries` (
	`account_id` text NOT NULL,
	`position` integer NOT NULL,
	`kind` text NOT NULL,
	`transaction_sequence` integer NOT NULL,
	`cents` integer NOT NULL,
	`balance_after_cents` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	PRIMARY KEY(`account_id`, `position`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`transaction_sequence`) REFERENCES `transactions`(`sequence`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "entries_position" CHECK("entries"."position" > 0),
	CONSTRAINT "entries_balance" CHECK("entries"."balance_after_cents" >= 0),
	CONSTRAINT "entries_kind" CHECK(("entries"."kind" in ('received', 'given') and "entries"."cents" > 0) or ("entries"."kind" in ('received_reversed', 'given_reversed') and "entries"."cents" < 0))
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `reversals` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`transaction_sequence` integer NOT NULL,
	`created_at_ms` integer NOT NULL,
	`giver_position` integer NOT NULL,
	`receiver_position` integer NOT NULL,
	FOREIGN KEY (`transaction_sequence`) REFERENCES `transactions`(`sequence`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "reversals_positions" CHECK("reversals"."giver_position" > 0 and "reversals"."receiver_position" > 0)
) STRICT;
--> statement-breakpoint
CREATE UNIQUE INDEX `reversals_transaction` ON `reversals` (`transaction_sequence`);
--> statement-breakpoint
CREATE TABLE `tip_buckets` (
	`account_id` text NOT NULL,
	`start_ms` integer NOT NULL,
	`service_category` text NOT NULL,
	`count` integer NOT NULL,
	`cents` integer NOT NULL,
	`checked_count` integer DEFAULT 0 NOT NULL,
	`checked_cents` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`account_id`, `start_ms`, `service_category`),
	FOREIGN KEY (`account_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "tip_buckets_quarter" CHECK("tip_buckets"."start_ms" % 900000 = 0),
	CONSTRAINT "tip_buckets_sums" CHECK("tip_buckets"."count" >= 0 and "tip_buckets"."cents" >= 0)
) STRICT, WITHOUT ROWID;
--> statement-breakpoint
INSERT INTO `entries` (`account_id`, `position`, `kind`, `transaction_sequence`, `cents`, `balance_after_cents`, `created_at_ms`)
SELECT `account_id`, row_number() OVER chain, `kind`, `sequence`, `cents`,
	sum(CASE `kind` WHEN 'given' THEN `cents` ELSE 0 END) OVER chain * (`kind` = 'given')
		+ sum(CASE `kind` WHEN 'received' THEN `cents` ELSE 0 END) OVER chain * (`kind` = 'received'),
	`created_at_ms`
FROM (
	SELECT `giver_id` AS `account_id`, 'given' AS `kind`, `sequence`, `amount_cents` AS `cents`, `created_at_ms` FROM `transactions`
	UNION ALL
	SELECT `receiver_id`, 'received', `sequence`, `net_amount_cents`, `created_at_ms` FROM `transactions`
)
WINDOW chain AS (PARTITION BY `account_id` ORDER BY `sequence` ROWS UNBOUNDED PRECEDING);
--> statement-breakpoint
INSERT INTO `tip_buckets` (`account_id`, `start_ms`, `service_category`, `count`, `cents`, `checked_count`, `checked_cents`)
SELECT `receiver_id`, `created_at_ms` - `created_at_ms` % 900000, `service_category`, count(*), sum(`net_amount_cents`), count(*), sum(`net_amount_cents`)
FROM `transactions` GROUP BY 1, 2, 3;
--> statement-breakpoint
INSERT INTO `checked_accounts` (`account_id`, `position`, `received_cents`, `given_cents`)
SELECT `account_id`, count(*), sum(CASE `kind` WHEN 'received' THEN `cents` ELSE 0 END), sum(CASE `kind` WHEN 'given' THEN `cents` ELSE 0 END)
FROM `entries` GROUP BY `account_id`;
--> statement-breakpoint
CREATE TEMPORARY TABLE `places` (`sequence` integer PRIMARY KEY NOT NULL, `giver_position` integer, `receiver_position` integer);
--> statement-breakpoint
INSERT INTO `places` SELECT `transaction_sequence`, max(CASE `kind` WHEN 'given' THEN `position` END), max(CASE `kind` WHEN 'received' THEN `position` END)
FROM `entries` GROUP BY `transaction_sequence`;
--> statement-breakpoint
CREATE TABLE `__new_transactions` (
	`sequence` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`id` text NOT NULL,
	`giver_id` text NOT NULL,
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
	`giver_position` integer NOT NULL,
	`receiver_position` integer NOT NULL,
	FOREIGN KEY (`giver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`receiver_id`) REFERENCES `accounts`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`qr_code_id`) REFERENCES `qr_codes`(`id`) ON UPDATE no action ON DELETE no action,
	CONSTRAINT "transactions_amount" CHECK("__new_transactions"."amount_cents" between 1000 and 1000000),
	CONSTRAINT "transactions_fees" CHECK("__new_transactions"."giver_fee_cents" >= 0 and "__new_transactions"."receiver_fee_cents" >= 0),
	CONSTRAINT "transactions_net" CHECK("__new_transactions"."net_amount_cents" > 0 and "__new_transactions"."net_amount_cents" + "__new_transactions"."receiver_fee_cents" = "__new_transactions"."amount_cents"),
	CONSTRAINT "transactions_two_people" CHECK("__new_transactions"."giver_id" <> "__new_transactions"."receiver_id"),
	CONSTRAINT "transactions_positions" CHECK("__new_transactions"."giver_position" > 0 and "__new_transactions"."receiver_position" > 0)
) STRICT;
--> statement-breakpoint
INSERT INTO `__new_transactions` (`sequence`, `id`, `giver_id`, `receiver_id`, `qr_code_id`, `service_category`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`, `giver_fee_rate`, `receiver_fee_rate`, `idempotency_key`, `created_at_ms`, `giver_position`, `receiver_position`)
SELECT `t`.`sequence`, `id`, `giver_id`, `receiver_id`, `qr_code_id`, `service_category`, `amount_cents`, `giver_fee_cents`, `receiver_fee_cents`, `net_amount_cents`, `giver_fee_rate`, `receiver_fee_rate`, `idempotency_key`, `created_at_ms`, `giver_position`, `receiver_position`
FROM `transactions` `t` LEFT JOIN `places` `p` ON `p`.`sequence` = `t`.`sequence` ORDER BY `t`.`sequence`;
--> statement-breakpoint
DELETE FROM `sqlite_sequence` WHERE `name` = '__new_transactions';
--> statement-breakpoint
INSERT INTO `sqlite_sequence` (`name`, `seq`) SELECT '__new_transactions', `seq` FROM `sqlite_sequence` WHERE `name` = 'transactions';
--> statement-breakpoint
DROP TABLE `places`;
--> statement-breakpoint
DROP TABLE `transactions`;
--> statement-breakpoint
ALTER TABLE `__new_transactions` RENAME TO `transactions`;
--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_id` ON `transactions` (`id`);
--> statement-breakpoint
CREATE UNIQUE INDEX `transactions_idempotency` ON `transactions` (`giver_id`,`idempotency_key`) WHERE idempotency_key is not null;
--> statement-breakpoint
ALTER TABLE `accounts` ADD `last_position` integer DEFAULT 0 NOT NULL CONSTRAINT "accounts_last_position" CHECK("accounts"."last_position" >= 0);
--> statement-breakpoint
UPDATE `accounts` SET `last_position` = (SELECT coalesce(max(`position`), 0) FROM `entries` WHERE `account_id` = `accounts`.`id`);
--> statement-breakpoint
CREATE TRIGGER `transactions_never_change` BEFORE UPDATE ON `transactions`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `transactions_never_go` BEFORE DELETE ON `transactions`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `transactions_follow_on` BEFORE INSERT ON `transactions`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `transactions`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_never_change` BEFORE UPDATE ON `reversals`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_never_go` BEFORE DELETE ON `reversals`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `reversals_follow_on` BEFORE INSERT ON `reversals`
WHEN NEW.`sequence` <> -1 AND NEW.`sequence` <= (SELECT coalesce(max(`sequence`), 0) FROM `reversals`)
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `entries_never_change` BEFORE UPDATE ON `entries`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `entries_never_go` BEFORE DELETE ON `entries`
BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `entries_follow_on` BEFORE INSERT ON `entries`
WHEN NEW.`position` <> (SELECT coalesce(max(`position`), 0) + 1 FROM `entries` WHERE `account_id` = NEW.`account_id`)
BEGIN SELECT RAISE(ABORT, 'the entries of an account follow on without a gap'); END;
