/** Compiles routes/ and modelrig.yaml into dist/compiled.json, which the Worker embeds. Exit 3 when they are invalid. */
import { mkdirSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { EXIT } from "../src/cli/command.ts";
import { processIo } from "../src/cli/io.ts";
import { printFaults } from "../src/cli/output/faults.ts";
import { compileFolder } from "../src/workspace/compile-folder.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const io = processIo({ noInput: true });
const { result, texts } = await compileFolder({ cwd: root });
printFaults(io, result.ok ? result.warnings : result.error, texts);
if (result.ok) {
  mkdirSync(join(root, "dist"), { recursive: true });
  // In one step: a Worker that is being built or tested meanwhile must never read half a file.
  const file = join(root, "dist", "compiled.json");
  writeFileSync(`${file}.${process.pid}`, `${JSON.stringify(result.value)}\n`);
  renameSync(`${file}.${process.pid}`, file);
  io.stderr.write(`compiled ${result.value.routes.length} routes into dist/compiled.json\n`);
} else {
  io.stderr.write("the bundles do not compile\n");
  process.exitCode = EXIT.no;
}
