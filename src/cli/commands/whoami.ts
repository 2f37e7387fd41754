import { whoami, whoamiAnswer } from "../../api/gateway.ts";
import { type CommandModule, EXIT } from "../command.ts";
import { addGatewayOptions, type GatewayOptions, gatewayFrom } from "../gateway-client.ts";
import { printJson } from "../output/json.ts";

export const command: CommandModule = {
  build(command, io, run) {
    addGatewayOptions(command)
      .option("--json", "print one JSON document")
      .action(
        run(async (options: GatewayOptions & { json?: boolean }) => {
          const gateway = gatewayFrom(io, options);
          const who = await gateway.call(whoami, { reads: whoamiAnswer.pick({ org: true, key: true }) });
          if (options.json) {
            printJson(io, { schema: "modelrig.whoami/1", url: gateway.url, ...who });
            return EXIT.done;
          }
          const expiry = who.key.expires_at ? `, expires ${who.key.expires_at}` : "";
          const routes = who.key.routes ? `, routes ${who.key.routes.join(", ")}` : "";
          io.stdout.write(
            `org ${who.org.name === undefined ? "" : `«${who.org.name}» `}${who.org.slug} (${who.org.id})  gateway ${gateway.url}\n`,
          );
          io.stdout.write(`key ${who.key.id}, scopes ${who.key.scopes.join(", ")}${routes}${expiry}\n`);
          return EXIT.done;
        }),
      );
  },
};
