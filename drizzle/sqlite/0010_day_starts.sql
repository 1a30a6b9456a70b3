ALTER TABLE `accounts` ADD `day_start_hour` integer CONSTRAINT "accounts_day_start_hour" CHECK("accounts"."day_start_hour" between 0 and 23);
