CREATE TABLE "tipwell"."announcements" (
	"id" integer PRIMARY KEY NOT NULL,
	"text" text COLLATE "C" NOT NULL,
	"from_ms" bigint NOT NULL,
	"until_ms" bigint,
	CONSTRAINT "announcements_one" CHECK ("tipwell"."announcements"."id" = 1),
	CONSTRAINT "announcements_text" CHECK (length("tipwell"."announcements"."text") between 1 and 280),
	CONSTRAINT "announcements_until" CHECK ("tipwell"."announcements"."until_ms" > "tipwell"."announcements"."from_ms")
);
