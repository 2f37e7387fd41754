CREATE TABLE `bakeoffs` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`route` text NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer NOT NULL,
	`partial` integer NOT NULL,
	`proposes` text,
	`report` text NOT NULL,
	`created_by` text NOT NULL,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `bakeoffs_org_finished` ON `bakeoffs` (`org`,`finished_at`);--> statement-breakpoint
CREATE INDEX `bakeoffs_org_route` ON `bakeoffs` (`org`,`route`,`finished_at`);--> statement-breakpoint
CREATE TABLE `proposals` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`kind` text NOT NULL,
	`trigger` text NOT NULL,
	`trigger_hash` text NOT NULL,
	`route` text NOT NULL,
	`state` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL,
	`evidence` text,
	`decided_at` integer,
	`decided_by` text,
	`comment` text,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `proposals_org_route_trigger` ON `proposals` (`org`,`route`,`trigger_hash`);--> statement-breakpoint
CREATE INDEX `proposals_org_created` ON `proposals` (`org`,`created_at`);--> statement-breakpoint
CREATE TABLE `swaps` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`proposal` text NOT NULL,
	`route` text NOT NULL,
	`variant` text NOT NULL,
	`direction` text NOT NULL,
	`baseline` text NOT NULL,
	`path` text NOT NULL,
	`patch` text NOT NULL,
	`executed_at` integer NOT NULL,
	`executed_by` text NOT NULL,
	`reverted_at` integer,
	`reverted_by` text,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE UNIQUE INDEX `swaps_org_proposal` ON `swaps` (`org`,`proposal`);--> statement-breakpoint
CREATE INDEX `swaps_org_executed` ON `swaps` (`org`,`executed_at`);