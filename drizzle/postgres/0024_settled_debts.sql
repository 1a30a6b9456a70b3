ALTER TABLE "tipwell"."payments" ADD COLUMN "settled_by_receiver_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD COLUMN "settled_to_giver_cents" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
CREATE INDEX "adjustments_moves" ON "tipwell"."adjustments" USING btree ("sequence") WHERE kind <> 'capture';--> statement-breakpoint
ALTER TABLE "tipwell"."payments" ADD CONSTRAINT "payments_settled" CHECK ("tipwell"."payments"."settled_by_receiver_cents" >= 0 and "tipwell"."payments"."settled_to_giver_cents" >= 0);