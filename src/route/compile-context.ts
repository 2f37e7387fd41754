import type { PriceBook } from "../money/price.ts";
import type { ProviderTable } from "../provider/provider.ts";
import type { Registry } from "../registry/capability.ts";

/** Facts against which a bundle is checked. */
export interface CompileContext {
  readonly providers: ProviderTable;
  /** Finds prices by provider names used here, declared prices included. */
  readonly prices: PriceBook;
  /** Day for which prices are looked up. */
  readonly at: Date;
  /**
   * Returns the text of a file in the routes folder, by its path there with forward slashes; undefined where there is
   * none.
   */
  readonly readFile: (path: string) => string | undefined;
  /** Measured capabilities, where some are known at build time. */
  readonly registry?: Registry | undefined;
}
