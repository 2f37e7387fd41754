ALTER TABLE `swaps` ADD `state` text DEFAULT 'approved' NOT NULL;--> statement-breakpoint
ALTER TABLE `swaps` ADD `promised_hash` text;--> statement-breakpoint
ALTER TABLE `swaps` ADD `promised_serves` text;--> statement-breakpoint
ALTER TABLE `swaps` ADD `serving_since` integer;--> statement-breakpoint
ALTER TABLE `swaps` ADD `abandoned_at` integer;--> statement-breakpoint
CREATE INDEX `swaps_org_state` ON `swaps` (`org`,`state`);--> statement-breakpoint
UPDATE `swaps` SET `state` = 'reverted' WHERE `reverted_at` IS NOT NULL;
