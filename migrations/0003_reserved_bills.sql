ALTER TABLE `attempts` ADD `reserved_nano` integer;--> statement-breakpoint
ALTER TABLE `inferences` ADD `reserved_nano` integer;