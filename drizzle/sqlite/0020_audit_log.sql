CREATE TABLE `audit_log` (
	`number` integer PRIMARY KEY NOT NULL,
	`at_ms` integer NOT NULL,
	`actor_kind` text NOT NULL,
	`actor_name` text NOT NULL,
	`host` text NOT NULL,
	`action` text NOT NULL,
	`subject` text,
	`reason` text,
	`hash` text NOT NULL,
	CONSTRAINT "audit_log_actor_kind" CHECK("audit_log"."actor_kind" in ('command', 'operator')),
	CONSTRAINT "audit_log_hash" CHECK(length("audit_log"."hash") = 64),
	CONSTRAINT "audit_log_reason" CHECK(length("audit_log"."reason") between 1 and 500)
) STRICT;
--> statement-breakpoint
CREATE INDEX `audit_log_subject` ON `audit_log` (`subject`,`number`);
--> statement-breakpoint
CREATE TRIGGER `audit_log_never_changes` BEFORE UPDATE ON `audit_log`
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_log_never_goes` BEFORE DELETE ON `audit_log`
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
--> statement-breakpoint
CREATE TRIGGER `audit_log_follows_on` BEFORE INSERT ON `audit_log`
WHEN NEW.`number` <> 1 + (SELECT coalesce(max(`number`), 0) FROM `audit_log`)
BEGIN SELECT RAISE(ABORT, 'the rows of the audit log follow on without a gap'); END;
