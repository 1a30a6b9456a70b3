CREATE FUNCTION "tipwell"."refuse"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION '%', TG_ARGV[0]; END $$;
--> statement-breakpoint
CREATE TRIGGER "transactions_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."transactions"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
CREATE TRIGGER "reversals_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."reversals"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
CREATE TRIGGER "entries_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."entries"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the ledger is append-only');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."entries_follow_on"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (
    SELECT FROM "inserted"
    WHERE "inserted"."position" > 1 AND NOT EXISTS (
      SELECT FROM "tipwell"."entries"
      WHERE "entries"."account_id" = "inserted"."account_id" AND "entries"."position" = "inserted"."position" - 1
    )
  ) THEN RAISE EXCEPTION 'the entries of an account follow on without a gap'; END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "entries_follow_on" AFTER INSERT ON "tipwell"."entries"
REFERENCING NEW TABLE AS "inserted"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."entries_follow_on"();
--> statement-breakpoint
CREATE TRIGGER "qr_codes_never_change" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."qr_codes"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a printed code stays what it is, and is never reissued');
--> statement-breakpoint
CREATE TRIGGER "accounts_never_go" BEFORE DELETE OR TRUNCATE ON "tipwell"."accounts"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('a username is never reissued');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."tell_of_codes"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN PERFORM pg_notify('tipwell', 'c:' || NEW."id"); RETURN NULL; END $$;
--> statement-breakpoint
CREATE TRIGGER "accounts_tell_of_codes" AFTER UPDATE OF "username", "full_name" ON "tipwell"."accounts"
FOR EACH ROW WHEN (OLD."username" <> NEW."username" OR OLD."full_name" <> NEW."full_name")
EXECUTE FUNCTION "tipwell"."tell_of_codes"();
--> statement-breakpoint
INSERT INTO "tipwell"."checkpoints" ("id", "transaction_sequence", "reversal_sequence") VALUES (1, 0, 0);
