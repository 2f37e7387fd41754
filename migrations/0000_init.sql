CREATE TABLE `api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`org` text NOT NULL,
	`hash` text NOT NULL,
	`display` text NOT NULL,
	`label` text,
	`scopes` text NOT NULL,
	`routes` text,
	`fixed_tags` text NOT NULL,
	`row_scope` text,
	`monthly_limit_nano` integer,
	`expires_at` integer,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`revoked_at` integer,
	`revoked_by` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `api_keys_hash_unique` ON `api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `api_keys_org` ON `api_keys` (`org`,`created_at`);--> statement-breakpoint
CREATE TABLE `attempts` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`inference` text NOT NULL,
	`position` integer NOT NULL,
	`ts` integer NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`rung` text NOT NULL,
	`failure_class` text,
	`reason` text,
	`status` integer,
	`code` text,
	`finish` text,
	`latency_ms` integer NOT NULL,
	`first_byte_ms` integer,
	`input_tokens` integer,
	`uncached_tokens` integer,
	`cache_read_tokens` integer,
	`cache_write_tokens` integer,
	`output_tokens` integer,
	`reasoning_tokens` integer,
	`usage_estimated` integer NOT NULL,
	`usage_inconsistent` integer NOT NULL,
	`cost_nano` integer,
	`estimated` integer NOT NULL,
	`tier` text NOT NULL,
	`price_version` text,
	`dropped` text,
	PRIMARY KEY(`org`, `inference`, `position`)
);
--> statement-breakpoint
CREATE INDEX `attempts_org_id` ON `attempts` (`org`,`id`);--> statement-breakpoint
CREATE INDEX `attempts_org_ts` ON `attempts` (`org`,`ts`);--> statement-breakpoint
CREATE TABLE `audit_log` (
	`id` integer PRIMARY KEY NOT NULL,
	`org` text NOT NULL,
	`ts` integer NOT NULL,
	`actor` text NOT NULL,
	`action` text NOT NULL,
	`subject` text NOT NULL,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `audit_log_org_ts` ON `audit_log` (`org`,`ts`);--> statement-breakpoint
CREATE TABLE `inferences` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`ts` integer NOT NULL,
	`lane` text NOT NULL,
	`route` text,
	`route_hash` text,
	`variant` text,
	`arm` text,
	`run` text,
	`step` text,
	`key_id` text,
	`provider` text,
	`model` text,
	`rung` text,
	`stream` integer NOT NULL,
	`failure_class` text,
	`reason` text,
	`status` integer,
	`code` text,
	`finish` text,
	`conformant` integer,
	`attempts` integer NOT NULL,
	`latency_ms` integer NOT NULL,
	`first_byte_ms` integer,
	`input_tokens` integer,
	`uncached_tokens` integer,
	`cache_read_tokens` integer,
	`cache_write_tokens` integer,
	`output_tokens` integer,
	`reasoning_tokens` integer,
	`cost_nano` integer,
	`estimated` integer NOT NULL,
	`tier` text,
	`price_version` text,
	`simulated` integer NOT NULL,
	`tags` text NOT NULL,
	`skipped` text,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `inferences_org_ts` ON `inferences` (`org`,`ts`);--> statement-breakpoint
CREATE INDEX `inferences_org_route_ts` ON `inferences` (`org`,`route`,`ts`);--> statement-breakpoint
CREATE INDEX `inferences_org_run` ON `inferences` (`org`,`run`,`ts`) WHERE run is not null;--> statement-breakpoint
CREATE TABLE `orgs` (
	`id` text PRIMARY KEY NOT NULL,
	`slug` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `orgs_slug_unique` ON `orgs` (`slug`);--> statement-breakpoint
CREATE TABLE `route_pins` (
	`org` text NOT NULL,
	`route` text NOT NULL,
	`version` integer NOT NULL,
	`variant` text NOT NULL,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	PRIMARY KEY(`org`, `route`, `version`)
);
