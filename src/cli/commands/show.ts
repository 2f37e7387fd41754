import { getInference } from "../../api/inferences.ts";
import { attemptWaterfall } from "../calls/attempt-waterfall.ts";
import { callSummary } from "../calls/call-summary.ts";
import { type CommandModule, EXIT, type ExitCode, type Io } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";
import { lineWidth } from "../output/table.ts";

interface ShowOptions extends GatewayOptions {
  readonly json?: boolean;
}

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .argument("<id>", "id of a call: x-modelrig-inference-id of its answer, or from `modelrig logs`")
      .option("--json", "print one JSON document")
      .action(run((id: string, options: ShowOptions) => show(io, id, options)));
  },
};

async function show(io: Io, id: string, options: ShowOptions): Promise<ExitCode> {
  const detail = await gatewayFrom(io, options).call(getInference, { params: { id } });
  if (options.json) {
    printJson(io, { schema: "modelrig.inference/1", ...detail });
    return EXIT.done;
  }
  io.stdout.write(`${callSummary(detail)}\n\n${attemptWaterfall(detail, lineWidth(io))}\n`);
  return EXIT.done;
}
