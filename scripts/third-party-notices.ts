import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Metafile } from "esbuild";

/** Licences that allow their text to be shipped with ours; any other fails the build, to be looked at by a person. */
const ALLOWED = new Set(["MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD", "Apache-2.0"]);

const MIT = `Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files (the "Software"), to deal in the Software without restriction, including without limitation the rights to use, copy, modify, merge, publish, distribute, sublicense, and/or sell copies of the Software, and to permit persons to whom the Software is furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY, FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM, OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE SOFTWARE.`;

const ISC = `Permission to use, copy, modify, and/or distribute this software for any purpose with or without fee is hereby granted, provided that the above copyright notice and this permission notice appear in all copies.

THE SOFTWARE IS PROVIDED "AS IS" AND THE AUTHOR DISCLAIMS ALL WARRANTIES WITH REGARD TO THIS SOFTWARE INCLUDING ALL IMPLIED WARRANTIES OF MERCHANTABILITY AND FITNESS. IN NO EVENT SHALL THE AUTHOR BE LIABLE FOR ANY SPECIAL, DIRECT, INDIRECT, OR CONSEQUENTIAL DAMAGES OR ANY DAMAGES WHATSOEVER RESULTING FROM LOSS OF USE, DATA OR PROFITS, WHETHER IN AN ACTION OF CONTRACT, NEGLIGENCE OR OTHER TORTIOUS ACTION, ARISING OUT OF OR IN CONNECTION WITH THE USE OR PERFORMANCE OF THIS SOFTWARE.`;

/** The words of licences whose packages state them by name only. */
const TEXTS: Readonly<Record<string, string>> = {
  MIT,
  ISC,
  "Apache-2.0": "Licensed under the Apache License, Version 2.0: http://www.apache.org/licenses/LICENSE-2.0",
};

interface Manifest {
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name?: string };
  readonly repository?: string | { readonly url?: string };
}

/** The packages that a bundle took code from, as folders relative to the root, sorted. */
export function bundledPackages({ inputs }: Metafile): readonly string[] {
  const folder = /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/;
  return [...new Set(Object.keys(inputs).flatMap((input) => folder.exec(input)?.[0] ?? []))].sort();
}

/**
 * Returns copyright and licence of every package in a bundle, as their licences ask it to be shipped. Throws for a
 * licence that is not permissive, or whose text is neither in the package nor known.
 */
export function thirdPartyNotices(root: string, packages: readonly string[]): string {
  const sections = packages.map((folder) => notice(join(root, folder), folder.replace(/^.*node_modules\//, "")));
  return `This software contains the following packages.\n\n${sections.join("\n\n")}\n`;
}

function notice(folder: string, name: string): string {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Manifest;
  const { version, license = "none", author, repository } = manifest;
  if (!ALLOWED.has(license))
    throw new Error(`${name} ${version} is under ${license}: decide whether it may be bundled`);
  const files = readdirSync(folder).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file));
  const texts = files.sort().map((file) => readFileSync(join(folder, file), "utf8").trim());
  const holder = (typeof author === "string" ? author : author?.name) || `the authors of ${name}`;
  const url = (typeof repository === "string" ? repository : repository?.url)?.replace(/^git\+/, "");
  const known = TEXTS[license];
  if (texts.length === 0) {
    if (known === undefined) throw new Error(`${name} ${version} ships no text of its licence ${license}`);
    texts.push(`Copyright (c) ${holder}\n\n${known}`);
  }
  return [`${"-".repeat(80)}\n${name} ${version} (${license})`, ...(url ? [url] : []), "", ...texts].join("\n");
}
