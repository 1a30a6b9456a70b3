CREATE TABLE "tipwell"."audit_log" (
	"number" bigint PRIMARY KEY NOT NULL,
	"at_ms" bigint NOT NULL,
	"actor_kind" text COLLATE "C" NOT NULL,
	"actor_name" text COLLATE "C" NOT NULL,
	"host" text COLLATE "C" NOT NULL,
	"action" text COLLATE "C" NOT NULL,
	"subject" text COLLATE "C",
	"reason" text COLLATE "C",
	"hash" text COLLATE "C" NOT NULL,
	CONSTRAINT "audit_log_actor_kind" CHECK ("tipwell"."audit_log"."actor_kind" in ('command', 'operator')),
	CONSTRAINT "audit_log_hash" CHECK (length("tipwell"."audit_log"."hash") = 64),
	CONSTRAINT "audit_log_reason" CHECK (length("tipwell"."audit_log"."reason") between 1 and 500)
);
--> statement-breakpoint
CREATE INDEX "audit_log_subject" ON "tipwell"."audit_log" USING btree ("subject","number");
--> statement-breakpoint
CREATE TRIGGER "audit_log_never_changes" BEFORE UPDATE OR DELETE OR TRUNCATE ON "tipwell"."audit_log"
FOR EACH STATEMENT EXECUTE FUNCTION "tipwell"."refuse"('the audit log is append-only');
--> statement-breakpoint
CREATE FUNCTION "tipwell"."audit_log_follows_on"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW."number" <> 1 + (SELECT coalesce(max("number"), 0) FROM "tipwell"."audit_log")
  THEN RAISE EXCEPTION 'the rows of the audit log follow on without a gap'; END IF;
  RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "audit_log_follows_on" BEFORE INSERT ON "tipwell"."audit_log"
FOR EACH ROW EXECUTE FUNCTION "tipwell"."audit_log_follows_on"();
