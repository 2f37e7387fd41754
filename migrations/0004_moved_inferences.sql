CREATE TABLE `moved_inferences` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`moved_at` integer NOT NULL,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `moved_inferences_org_moved` ON `moved_inferences` (`org`,`moved_at`);