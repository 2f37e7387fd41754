import { readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import type { Plugin } from "esbuild";

/** The price data is the package's first declaration; the second follows on the line that closes it. */
const DATA = /^const (\w+) = (\[\n[\s\S]*?\n\]), (?=\w+ = \{\n)/;

/**
 * Makes the price data a text that is parsed when a price is first asked for: as a literal it would be compiled and built
 * at every start of the Worker. Fails the build where the package is not laid out as expected.
 */
export const lazyPrices: Plugin = {
  name: "modelrig:lazy-prices",
  setup(plugin) {
    plugin.onLoad({ filter: /genai-prices[\\/]dist[\\/]index\.js$/ }, ({ path }) => {
      const source = readFileSync(path, "utf8");
      const [whole = "", name, literal = ""] = DATA.exec(source) ?? [];
      if (name === undefined) throw new Error(`${path} does not begin with the price data`);
      const data: unknown = new Function(`return ${literal}`)();
      const text = JSON.stringify(data);
      if (!isDeepStrictEqual(JSON.parse(text), data)) throw new Error(`the price data of ${path} is not JSON`);
      return { contents: `${lazily(name, text)}\nconst ${source.slice(whole.length)}`, loader: "js" };
    });
  },
};

/** An array that is filled when it is first read. A promise that resolves to it asks for `then`, which is no reading. */
function lazily(name: string, text: string): string {
  return `const ${name} = new Proxy([], {
  get(empty, key) {
    if (key === "then") return undefined;
    if (empty.length === 0) empty.push(...JSON.parse(${JSON.stringify(text)}));
    return Reflect.get(empty, key);
  },
});`;
}
