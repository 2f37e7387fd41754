import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const PLACES = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/usr/bin/google-chrome-stable",
];

/** `MODELRIG_CHROMIUM`, else where systems put it; undefined where there is none. */
export function chromiumPath(): string | undefined {
  return [process.env["MODELRIG_CHROMIUM"] ?? "", ...PLACES].find((path) => path !== "" && existsSync(path));
}

export function openBrowser(executablePath: string): Promise<Browser> {
  // Containers run as root, where the sandbox refuses to start; the pages are our own files.
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}
