CREATE TABLE `kept_response_items` (
	`org` text NOT NULL,
	`item` text NOT NULL,
	`response` text NOT NULL,
	PRIMARY KEY(`org`, `item`, `response`)
);
--> statement-breakpoint
CREATE INDEX `kept_response_items_org_response` ON `kept_response_items` (`org`,`response`);--> statement-breakpoint
CREATE TABLE `kept_responses` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`previous` text,
	`reach` text NOT NULL,
	`key_id` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`store_key` text NOT NULL,
	`sealed` text NOT NULL,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `kept_responses_org_expires` ON `kept_responses` (`org`,`expires_at`);