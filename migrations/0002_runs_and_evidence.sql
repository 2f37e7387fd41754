CREATE TABLE `artifact_links` (
	`org` text NOT NULL,
	`artifact` text NOT NULL,
	`source` text NOT NULL,
	`relation` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org`, `artifact`, `source`, `relation`)
);
--> statement-breakpoint
CREATE INDEX `artifact_links_org_source` ON `artifact_links` (`org`,`source`);--> statement-breakpoint
CREATE TABLE `artifacts` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`run` text,
	`step` text,
	`name` text NOT NULL,
	`type` text NOT NULL,
	`task` text,
	`inference` text,
	`conformant` integer,
	`hash` text NOT NULL,
	`bytes` integer NOT NULL,
	`json` integer NOT NULL,
	`content` text,
	`withheld` text,
	`created_at` integer NOT NULL,
	`key_id` text,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `artifacts_org_run` ON `artifacts` (`org`,`run`,`created_at`) WHERE run is not null;--> statement-breakpoint
CREATE INDEX `artifacts_org_created` ON `artifacts` (`org`,`created_at`);--> statement-breakpoint
CREATE TABLE `capabilities` (
	`org` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`capability` text NOT NULL,
	`measured_at` integer NOT NULL,
	`n` integer NOT NULL,
	`passed` integer NOT NULL,
	`low` real NOT NULL,
	`high` real NOT NULL,
	`cost_nano` integer,
	`simulated` integer NOT NULL,
	`method` text NOT NULL,
	`measured_by` text NOT NULL,
	PRIMARY KEY(`org`, `provider`, `model`, `capability`, `measured_at`)
);
--> statement-breakpoint
CREATE TABLE `eval_cases` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`task` text NOT NULL,
	`input` text NOT NULL,
	`expected` text NOT NULL,
	`corrected` integer NOT NULL,
	`origin` text NOT NULL,
	`artifact` text,
	`run` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`archived_at` integer,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `eval_cases_org_task` ON `eval_cases` (`org`,`task`,`created_at`);--> statement-breakpoint
CREATE TABLE `grades` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`subject_kind` text NOT NULL,
	`subject` text NOT NULL,
	`score` real NOT NULL,
	`kind` text NOT NULL,
	`grader` text NOT NULL,
	`comment` text,
	`created_at` integer NOT NULL,
	`key_id` text,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `grades_org_subject` ON `grades` (`org`,`subject_kind`,`subject`,`created_at`);--> statement-breakpoint
CREATE INDEX `grades_org_created` ON `grades` (`org`,`created_at`);--> statement-breakpoint
CREATE TABLE `bakeoff_samples` (
	`org` text NOT NULL,
	`bakeoff` text NOT NULL,
	`input` text NOT NULL,
	`arm` text NOT NULL,
	`request` text NOT NULL,
	`output` text NOT NULL,
	`quality` text,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`org`, `bakeoff`, `input`, `arm`)
);
--> statement-breakpoint
CREATE TABLE `evidence_processes` (
	`org` text NOT NULL,
	`key` text NOT NULL,
	`state` text NOT NULL,
	`updated_at` integer NOT NULL,
	PRIMARY KEY(`org`, `key`)
);
--> statement-breakpoint
CREATE TABLE `hosted_bakeoffs` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`route` text NOT NULL,
	`state` text NOT NULL,
	`plan` text NOT NULL,
	`planned` integer NOT NULL,
	`error` text,
	`created_at` integer NOT NULL,
	`created_by` text NOT NULL,
	`finished_at` integer,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `hosted_bakeoffs_org_created` ON `hosted_bakeoffs` (`org`,`created_at`);--> statement-breakpoint
CREATE TABLE `hosted_samples` (
	`org` text NOT NULL,
	`bakeoff` text NOT NULL,
	`arm` text NOT NULL,
	`input` text NOT NULL,
	`sample` text NOT NULL,
	PRIMARY KEY(`org`, `bakeoff`, `input`, `arm`)
);
--> statement-breakpoint
CREATE TABLE `org_settings` (
	`org` text PRIMARY KEY NOT NULL,
	`custody` text NOT NULL,
	`artifact_max_bytes` integer NOT NULL,
	`retention_days` integer,
	`updated_at` integer NOT NULL,
	`updated_by` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `inference_rollups` (
	`org` text NOT NULL,
	`hour` integer NOT NULL,
	`lane` text NOT NULL,
	`simulated` integer NOT NULL,
	`route` text NOT NULL,
	`variant` text NOT NULL,
	`provider` text NOT NULL,
	`model` text NOT NULL,
	`failure_class` text NOT NULL,
	`n` integer NOT NULL,
	`attempts` integer NOT NULL,
	`failed` integer NOT NULL,
	`priced` integer NOT NULL,
	`cost_nano` integer NOT NULL,
	`cost_nano_min` integer,
	`cost_nano_max` integer,
	`conformant` integer NOT NULL,
	`nonconformant` integer NOT NULL,
	`conformant_priced` integer NOT NULL,
	`latency_ms` integer NOT NULL,
	`latency_ms_min` integer NOT NULL,
	`latency_ms_max` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`input_tokens_n` integer NOT NULL,
	`cache_read_tokens` integer NOT NULL,
	`cache_read_tokens_n` integer NOT NULL,
	`cache_write_tokens` integer NOT NULL,
	`cache_write_tokens_n` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`output_tokens_n` integer NOT NULL,
	`reasoning_tokens` integer NOT NULL,
	`reasoning_tokens_n` integer NOT NULL,
	PRIMARY KEY(`org`, `hour`, `lane`, `route`, `variant`, `provider`, `model`, `failure_class`, `simulated`)
);
--> statement-breakpoint
CREATE INDEX `inference_rollups_org_route_hour` ON `inference_rollups` (`org`,`route`,`hour`);--> statement-breakpoint
CREATE TABLE `retention_marks` (
	`org` text PRIMARY KEY NOT NULL,
	`before` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `stale_hours` (
	`org` text NOT NULL,
	`hour` integer NOT NULL,
	PRIMARY KEY(`org`, `hour`)
);
--> statement-breakpoint
CREATE TABLE `tag_rollups` (
	`org` text NOT NULL,
	`hour` integer NOT NULL,
	`lane` text NOT NULL,
	`simulated` integer NOT NULL,
	`tag` text NOT NULL,
	`value` text NOT NULL,
	`n` integer NOT NULL,
	`attempts` integer NOT NULL,
	`failed` integer NOT NULL,
	`priced` integer NOT NULL,
	`cost_nano` integer NOT NULL,
	`cost_nano_min` integer,
	`cost_nano_max` integer,
	`conformant` integer NOT NULL,
	`nonconformant` integer NOT NULL,
	`conformant_priced` integer NOT NULL,
	`latency_ms` integer NOT NULL,
	`latency_ms_min` integer NOT NULL,
	`latency_ms_max` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`input_tokens_n` integer NOT NULL,
	`cache_read_tokens` integer NOT NULL,
	`cache_read_tokens_n` integer NOT NULL,
	`cache_write_tokens` integer NOT NULL,
	`cache_write_tokens_n` integer NOT NULL,
	`output_tokens` integer NOT NULL,
	`output_tokens_n` integer NOT NULL,
	`reasoning_tokens` integer NOT NULL,
	`reasoning_tokens_n` integer NOT NULL,
	PRIMARY KEY(`org`, `tag`, `hour`, `value`, `lane`, `simulated`)
);
--> statement-breakpoint
CREATE INDEX `tag_rollups_org_hour` ON `tag_rollups` (`org`,`hour`);--> statement-breakpoint
CREATE TABLE `wide_tags` (
	`org` text NOT NULL,
	`hour` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`org`, `hour`, `tag`)
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`org` text NOT NULL,
	`id` text NOT NULL,
	`declared` integer NOT NULL,
	`pipeline` text,
	`episode_key` text,
	`environment` text,
	`subject` text,
	`feature` text,
	`tags` text NOT NULL,
	`status` text NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	PRIMARY KEY(`org`, `id`)
);
--> statement-breakpoint
CREATE INDEX `runs_org_started` ON `runs` (`org`,`started_at`,`id`);--> statement-breakpoint
CREATE INDEX `runs_org_episode` ON `runs` (`org`,`episode_key`);--> statement-breakpoint
CREATE INDEX `runs_org_pipeline` ON `runs` (`org`,`pipeline`,`started_at`);--> statement-breakpoint
INSERT INTO `stale_hours` (`org`, `hour`) SELECT DISTINCT `org`, `ts` - ((`ts` % 3600000) + 3600000) % 3600000 FROM `inferences`;
