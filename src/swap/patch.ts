import { applyPatch, createTwoFilesPatch, formatPatch, parsePatch, reversePatch } from "diff";

/** A unified patch of one file that `git apply` accepts; `path` is relative to the root of the repository. */
export function unifiedPatch(path: string, before: string, after: string): string {
  const body = createTwoFilesPatch(`a/${path}`, `b/${path}`, before, after, undefined, undefined, {
    context: 3,
  });
  return withGitHeader(path, body);
}

/** The patch that takes `patch` back. */
export function reverseOf(path: string, patch: string): string {
  const [structured] = parsePatch(patch);
  if (!structured) throw new RangeError("not a patch");
  const reversed = reversePatch(structured);
  return withGitHeader(path, formatPatch({ ...reversed, oldFileName: `a/${path}`, newFileName: `b/${path}` }));
}

/** The text after the patch, or `undefined` where it does not apply exactly. */
export function patched(text: string, patch: string): string | undefined {
  const result = applyPatch(text, patch, { fuzzFactor: 0, autoConvertLineEndings: false });
  return result === false ? undefined : result;
}

function withGitHeader(path: string, body: string): string {
  const hunks = body.slice(body.indexOf("@@ "));
  // git reads a file name up to the end of the line, or up to a tab where it holds spaces.
  const end = path.includes(" ") ? "\t" : "";
  return `diff --git a/${path} b/${path}\n--- a/${path}${end}\n+++ b/${path}${end}\n${hunks}`;
}
