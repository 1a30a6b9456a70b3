ALTER TABLE "tipwell"."accounts" ADD COLUMN "accepted_terms" text COLLATE "C";--> statement-breakpoint
ALTER TABLE "tipwell"."accounts" ADD COLUMN "terms_accepted_at_ms" bigint;