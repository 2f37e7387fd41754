import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(root, path), "utf8");

test("each dependency is imported, or is one that an imported package asks for", () => {
  const { dependencies } = JSON.parse(read("package.json")) as { dependencies: Record<string, string> };
  const code = ["src", "workers", "durable", "scripts"]
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith(".ts"))
    .map(read)
    .join("\n");
  const peers = Object.keys(dependencies).flatMap((name) => {
    const { peerDependencies = {} } = JSON.parse(read(`node_modules/${name}/package.json`)) as {
      peerDependencies?: Record<string, string>;
    };
    return Object.keys(peerDependencies);
  });
  const unused = Object.keys(dependencies).filter(
    (name) => !peers.includes(name) && !code.includes(`"${name}"`) && !code.includes(`"${name}/`),
  );
  expect(unused).toEqual([]);
});

test("every file that the README links to is packed", () => {
  const { stdout } = spawnSync("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], {
    cwd: root,
    encoding: "utf8",
  });
  const [packed] = JSON.parse(stdout) as [{ files: readonly { path: string }[] }];
  const paths = packed.files.map(({ path }) => path);
  const links = [...read("README.md").matchAll(/\]\(([^):#]+)(?:#[^)]*)?\)/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(5);
  expect(links.filter((link) => !paths.includes(link))).toEqual([]);
});
