ALTER TABLE `payments` ADD `settled_to_receiver_cents` integer DEFAULT 0 NOT NULL;
--> statement-breakpoint
ALTER TABLE `payments` ADD CONSTRAINT "payments_settled_to_receiver" CHECK("payments"."settled_to_receiver_cents" >= 0);
