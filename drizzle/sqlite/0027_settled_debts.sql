ALTER TABLE `payments` ADD `settled_by_receiver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD `settled_to_giver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_settled" CHECK("payments"."settled_by_receiver_cents" >= 0 and "payments"."settled_to_giver_cents" >= 0);
--> statement-breakpoint
CREATE INDEX `adjustments_moves` ON `adjustments` (`sequence`) WHERE kind <> 'capture';
