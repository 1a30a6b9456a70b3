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
CREATE TRIGGER `qr_codes_never_change` BEFORE UPDATE ON `qr_codes`
BEGIN SELECT RAISE(ABORT, 'a printed code stays what it is'); END;
--> statement-breakpoint
CREATE TRIGGER `qr_codes_never_go` BEFORE DELETE ON `qr_codes`
BEGIN SELECT RAISE(ABORT, 'a printed code is never reissued'); END;
--> statement-breakpoint
CREATE TRIGGER `accounts_never_go` BEFORE DELETE ON `accounts`
BEGIN SELECT RAISE(ABORT, 'a username is never reissued'); END;
