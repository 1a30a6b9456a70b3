CREATE TABLE `announcements` (
	`id` integer PRIMARY KEY NOT NULL,
	`text` text NOT NULL,
	`from_ms` integer NOT NULL,
	`until_ms` integer,
	CONSTRAINT "announcements_one" CHECK("announcements"."id" = 1),
	CONSTRAINT "announcements_text" CHECK(length("announcements"."text") between 1 and 280),
	CONSTRAINT "announcements_until" CHECK("announcements"."until_ms" > "announcements"."from_ms")
) STRICT;
