CREATE TABLE `evidence_looks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`org` text NOT NULL,
	`route` text NOT NULL,
	`bakeoff` text NOT NULL,
	`at` integer NOT NULL,
	`look` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `evidence_looks_org_bakeoff` ON `evidence_looks` (`org`,`bakeoff`);--> statement-breakpoint
CREATE INDEX `evidence_looks_org_route` ON `evidence_looks` (`org`,`route`,`id`);--> statement-breakpoint
CREATE TABLE `evidence_salts` (
	`org` text PRIMARY KEY NOT NULL,
	`salt` text NOT NULL
);
