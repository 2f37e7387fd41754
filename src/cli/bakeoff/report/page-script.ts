import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { CliError, EXIT } from "../../command.ts";

/** Where `scripts/build.ts` puts it, in a clone and in the published package alike. */
const builtScript = fileURLToPath(new URL("../../../../dist/page/script.js", import.meta.url));

/** The script of a bake-off's page. */
export function pageScript(): string {
  try {
    return readFileSync(builtScript, "utf8");
  } catch (cause) {
    throw new CliError("bakeoff.no_page_script", `the script of the page is not built: ${builtScript} is missing`, {
      exitCode: EXIT.usage,
      fix: "npm run build",
      cause,
    });
  }
}
