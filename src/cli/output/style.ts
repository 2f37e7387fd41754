import { styleText } from "node:util";
import type { Io } from "../command.ts";

type Format = Parameters<typeof styleText>[0];

/** Colours text for one stream; plain where that stream is no terminal, or NO_COLOR, TERM=dumb and the like say so. */
export function paint(stream: Io["stdout"], format: Format, text: string): string {
  return styleText(format, text, { stream: stream as NodeJS.WritableStream as NodeJS.WriteStream });
}
