DROP INDEX "tipwell"."tip_words_giver";--> statement-breakpoint
DROP INDEX "tipwell"."tip_words_receiver";--> statement-breakpoint
CREATE INDEX "tip_words_giver" ON "tipwell"."tip_words" USING btree ("giver_id") WHERE giver_id is not null and not is_erased;--> statement-breakpoint
CREATE INDEX "tip_words_receiver" ON "tipwell"."tip_words" USING btree ("receiver_id") WHERE not is_erased or thank_you is not null;