import type { PriceBook } from "../money/price.ts";
import type { ProviderTable } from "../provider/provider.ts";
import type { Registry } from "../registry/capability.ts";

/** What a bundle is checked against. */
export interface CompileContext {
  readonly providers: ProviderTable;
  /** Finds prices by our provider names, declared prices included. */
  readonly prices: PriceBook;
  /** Day the prices are looked up for. */
  readonly at: Date;
  /** Text of a file in the routes folder, by its path there with forward slashes; undefined where there is none. */
  readonly readFile: (path: string) => string | undefined;
  /** Measured capabilities, where some are known at build time. */
  readonly registry?: Registry | undefined;
}
