CREATE TABLE `secrets` (
	`name` text PRIMARY KEY NOT NULL,
	`key` blob NOT NULL,
	CONSTRAINT "secrets_key" CHECK(length("secrets"."key") = 32)
) STRICT;
