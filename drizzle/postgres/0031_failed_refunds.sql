UPDATE "tipwell"."tip_quarters" SET "detailed_count" = 0, "gross_cents" = 0, "largest_cents" = 0
WHERE ("account", "quarter", "category") IN (
	SELECT "receiver", "tips"."created_at_ms" / 900000, "category"
	FROM "tipwell"."adjustments" JOIN "tipwell"."tips" ON "tips"."sequence" = "transaction_sequence"
	WHERE "kind" = 'refund_failed'
);
