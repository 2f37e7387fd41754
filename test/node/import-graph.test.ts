import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** Layer of each folder, lowest first (docs/architecture.md). A file imports from lower layers and from `beside`. */
const LAYERS: Record<string, number> = {
  "src/failure": 1,
  "src/money": 1,
  "src/stats": 1,
  "src/json": 1,
  "src/breaker": 1,
  "src/envelope": 1,
  "src/record": 2,
  "src/route": 2,
  "src/provider": 2,
  "src/registry": 2,
  "src/config": 2,
  "src/wire": 2,
  "src/intake": 2,
  "src/call": 3,
  "src/identity": 4,
  "src/telemetry": 4,
  "src/replay": 4,
  "src/bakeoff": 4,
  "src/render": 4,
  "src/proposal": 4,
  "src/swap": 4,
  "src/runs": 4,
  "src/custody": 4,
  "src/responses": 4,
  "src/probe": 4,
  "src/query": 4,
  "src/cycles": 4,
  "src/api": 4,
  durable: 5,
  "src/store": 5,
  "src/capture": 5,
  "src/localdb": 5,
  "src/workspace": 5,
  "src/observe": 5,
  workers: 6,
  "src/cli": 6,
  "src/sdk": 6,
};

/** What may be imported within a layer, importer → imported. */
const BESIDE: Record<string, readonly string[]> = {
  "src/money": ["src/failure"],
  "src/json": ["src/failure"],
  "src/stats": ["src/money"],
  "src/envelope": ["src/money", "src/failure"],
  "src/breaker": ["src/failure"],
  "src/wire": [],
  "src/record": ["src/intake"],
  "src/provider": ["src/wire", "src/registry", "src/route"],
  "src/registry": ["src/wire", "src/provider", "src/route"],
  "src/route": ["src/wire", "src/provider", "src/registry", "src/config"],
  "src/config": ["src/wire", "src/provider", "src/registry", "src/route"],
  "src/bakeoff": ["src/identity", "src/replay"],
  "src/render": ["src/replay", "src/bakeoff"],
  "src/intake": ["src/route"],
  "src/api": [
    "src/identity",
    "src/telemetry",
    "src/replay",
    "src/bakeoff",
    "src/proposal",
    "src/swap",
    "src/runs",
    "src/query",
  ],
  "src/swap": ["src/identity", "src/proposal", "src/bakeoff"],
  "src/proposal": ["src/identity", "src/bakeoff"],
  "src/runs": ["src/identity", "src/telemetry", "src/replay", "src/bakeoff"],
  "src/query": ["src/identity", "src/telemetry"],
  "src/responses": ["src/identity", "src/custody"],
  "src/cycles": ["src/identity", "src/telemetry", "src/bakeoff", "src/proposal", "src/swap", "src/runs", "src/query"],
  durable: [],
  // Limits of calls made in this process are kept in the same way for commands and for the SDK.
  "src/cli": ["src/sdk"],
  "src/workspace": ["src/capture", "src/localdb"],
  "src/observe": ["src/workspace"],
};

/** Files directly inside one folder; more than these want rooms. */
const MOST_FILES = 25;

const NODE_FOLDERS = ["src/capture", "src/cli", "src/localdb", "src/observe", "src/sdk", "src/workspace"];
const EDGE_FOLDERS = ["workers", "durable"];

/** Packages that only parts loaded on demand may need. */
const HEAVY = /^(zod|hono|@hono|drizzle-orm|@libsql|liquidjs)\b/;

interface Import {
  readonly from: string;
  /** A file of the project, or a package specifier. */
  readonly to: string;
  readonly local: boolean;
  /** Loaded before the importing file runs: neither of types only, nor by `import()`. */
  readonly eager: boolean;
}

function sources(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts") && !entry.name.endsWith(".d.ts"))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)));
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(root, file), "utf8");
  const pattern =
    /(?:^|\n)\s*(import|export)\s+(type\s+)?([^"';]*?from\s*)?["']([^"']+)["']|import\(\s*["']([^"']+)["']\s*\)/g;
  return [...text.matchAll(pattern)].map((match) => {
    const specifier = match[4] ?? match[5] ?? "";
    const local = specifier.startsWith(".");
    const to = local ? relative(root, resolve(root, dirname(file), specifier)) : specifier;
    return { from: file, to, local, eager: match[2] === undefined && match[5] === undefined };
  });
}

function folderOf(file: string): string {
  const known = Object.keys(LAYERS).find((folder) => file.startsWith(`${folder}/`));
  return known ?? dirname(file);
}

const files = [...sources("src"), ...sources("workers"), ...sources("durable")];
const graph = files.flatMap(importsOf);
const local = graph.filter((edge) => edge.local);
const packages = graph.filter((edge) => !edge.local);
const show = (edges: readonly Import[]) => edges.map((edge) => `${edge.from} -> ${edge.to}`);
const inside = (file: string, folders: readonly string[]) => folders.some((folder) => file.startsWith(`${folder}/`));

describe("the import graph", () => {
  it("knows the layer of every folder", () => {
    expect(files.filter((file) => !(folderOf(file) in LAYERS))).toEqual([]);
  });

  it("points downwards only", () => {
    const upward = local.filter(({ from, to }) => {
      const [a, b] = [folderOf(from), folderOf(to)];
      if (a === b) return false;
      const [la, lb] = [LAYERS[a] ?? 0, LAYERS[b] ?? 0];
      if (lb < la) return false;
      return !(lb === la && BESIDE[a]?.includes(b));
    });
    // The roots compose every adapter; contracts of types may be shared upwards nowhere.
    expect(show(upward)).toEqual([]);
  });

  it("has no cycles, of types neither", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of local) next.set(from, [...(next.get(from) ?? []), to]);
    const done = new Set<string>();
    const cycles: string[] = [];
    const visit = (file: string, path: readonly string[]): void => {
      if (path.includes(file)) {
        cycles.push([...path.slice(path.indexOf(file)), file].join(" -> "));
        return;
      }
      if (done.has(file)) return;
      for (const to of next.get(file) ?? []) visit(to, [...path, file]);
      done.add(file);
    };
    for (const file of files) visit(file, []);
    expect(cycles).toEqual([]);
  });

  it("has rooms in every folder of many files", () => {
    const counts = new Map<string, number>();
    for (const file of files) counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1);
    const crowded = [...counts].filter(([, count]) => count > MOST_FILES).map(([folder]) => folder);
    expect(crowded).toEqual([]);
  });

  it("keeps cloudflare: modules in workers and durable", () => {
    expect(show(packages.filter((e) => e.to.startsWith("cloudflare:") && !inside(e.from, EDGE_FOLDERS)))).toEqual([]);
  });

  it("keeps node: modules in the local command line, capture and local database", () => {
    expect(show(packages.filter((e) => e.to.startsWith("node:") && !inside(e.from, NODE_FOLDERS)))).toEqual([]);
  });

  it("keeps drizzle in the store, and libSQL in the store, capture and local database", () => {
    const drizzle = packages.filter((e) => /^drizzle-orm/.test(e.to) && !inside(e.from, ["src/store"]));
    const libsql = packages.filter(
      (e) => /^(@libsql\/|libsql$)/.test(e.to) && !inside(e.from, ["src/store", "src/capture", "src/localdb"]),
    );
    expect(show([...drizzle, ...libsql])).toEqual([]);
  });

  it("keeps dialects apart", () => {
    const dialect = (file: string) => /^src\/wire\/(?!fit\/)([^/]+)\//.exec(file)?.[1];
    const crossing = local.filter((e) => {
      const [a, b] = [dialect(e.from), dialect(e.to)];
      return a !== undefined && b !== undefined && a !== b;
    });
    expect(show(crossing)).toEqual([]);
  });

  it("has no path from the Worker, the store or telemetry to captures", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of local) next.set(from, [...(next.get(from) ?? []), to]);
    const start = files.filter((file) => inside(file, ["workers", "durable", "src/store", "src/telemetry"]));
    const reached = new Set<string>();
    const walk = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const to of next.get(file) ?? []) walk(to);
    };
    for (const file of start) walk(file);
    expect([...reached].filter((file) => inside(file, ["src/capture"]))).toEqual([]);
  });

  it("has no path from what the SDK sends to captures", () => {
    const next = new Map<string, string[]>();
    for (const { from, to } of local) next.set(from, [...(next.get(from) ?? []), to]);
    const reached = new Set<string>();
    const walk = (file: string): void => {
      if (reached.has(file)) return;
      reached.add(file);
      for (const to of next.get(file) ?? []) walk(to);
    };
    for (const file of ["src/sdk/export/exporter.ts", "src/sdk/export/delivery.ts", "src/sdk/export/journal-buffer.ts"])
      walk(file);
    // Only the place where an engine is hosted is shared with what replays captures.
    expect(reached.has("src/runs/ingest.ts")).toBe(true);
    expect([...reached].filter((file) => inside(file, ["src/capture"]))).toEqual([]);
  });

  it("loads for a call neither the database nor the control plane, nor what only they need", () => {
    const needed = new Set(["workers/index.ts"]);
    for (const file of needed) for (const { from, to, eager } of local) if (from === file && eager) needed.add(to);
    expect(needed.has("src/call/execute.ts") && needed.has("src/telemetry/outbox.ts")).toBe(true);
    const parts = ["src/api", "src/store", "src/query", "src/bakeoff", "src/cycles", "src/runs", "workers/endpoints"];
    // The error by which a call tells that the database is away.
    expect([...needed].filter((file) => inside(file, parts))).toEqual(["src/store/database/store-error.ts"]);
    const heavy = packages.filter(({ from, to, eager }) => eager && needed.has(from) && HEAVY.test(to));
    expect(show(heavy)).toEqual([]);
  });

  it("leaves time, chance and the network to the outer layers", () => {
    const ambient = files
      .filter((file) => (LAYERS[folderOf(file)] ?? 9) <= 4)
      // A browser runs these; nothing of it runs here.
      .filter((file) => !inside(file, ["src/render/browser"]))
      .filter((file) => {
        const code = readFileSync(join(root, file), "utf8").replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        return /\bDate\.now\(|\bMath\.random\(|\bnew Date\(\)|(?<![.\w#])fetch\(|globalThis\.fetch|\bsetTimeout\(/.test(
          code,
        );
      });
    expect(ambient).toEqual([]);
  });
});
