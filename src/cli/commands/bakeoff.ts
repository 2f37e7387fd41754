import { runHosted } from "../bakeoff/hosted/run-hosted.ts";
import { addReportCommands } from "../bakeoff/report/report-command.ts";
import { addBakeoffOptions } from "../bakeoff/run/options.ts";
import { type BakeoffCommandOptions, runHere } from "../bakeoff/run/run-here.ts";
import type { CommandModule } from "../command.ts";
import { addGatewayOptions } from "../gateway-client.ts";

export const command: CommandModule = {
  build(command, io, run) {
    addBakeoffOptions(command)
      .option("--routes <dir>", "folder of route bundles (default: routes)")
      .option("--config <file>", "configuration (default: modelrig.yaml where it exists)")
      .option("--env-file <file>", "file with provider keys (default: .env where it exists)")
      .option("--html <file>", "also write the report as one HTML file, the calls side by side in it")
      .option("--json", "print the report, or with --dry-run the estimate, as one JSON document");
    addGatewayOptions(command).action(
      run((options: BakeoffCommandOptions) => (options.hosted ? runHosted(io, options) : runHere(io, options))),
    );
    addReportCommands(command, io, run);
  },
};
