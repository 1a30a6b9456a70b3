CREATE INDEX "former_usernames_user" ON "tipwell"."former_usernames" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "audit_log_actor" ON "tipwell"."audit_log" USING btree ("actor_name");--> statement-breakpoint
CREATE INDEX "qr_codes_photo" ON "tipwell"."qr_codes" USING btree ("photo_name") WHERE photo_name is not null;--> statement-breakpoint
CREATE INDEX "adjustments_disputes" ON "tipwell"."adjustments" USING btree ("sequence") WHERE kind = 'dispute';--> statement-breakpoint
CREATE INDEX "payout_accounts_restricted" ON "tipwell"."payout_accounts" USING btree ("payment_mode") WHERE disabled_reason is not null;