import { displayKey, isWellFormedKey } from "../../identity/key.ts";
import { EXIT } from "../command.ts";
import { about, type Finding } from "./finding.ts";

const PASTE = "paste the whole rig_sk_… secret again, without quotes or blanks, and open a new shell";
const PREFIX = "rig_sk_";
/** Prefix, 43 characters of the secret, 6 that check it. */
const LENGTH = 56;

/** Finds out what happened to a key on its way here; undefined for one that is well formed. Never shows it. */
export function keyFault(raw: string): string | undefined {
  if (isWellFormedKey(raw)) return undefined;
  const bare = raw.replace(/^[\s"'`]+|[\s"'`]+$/g, "");
  if (/^["'`]|["'`]$/.test(raw.trim())) return "it is in quotes, which became part of it";
  if (bare !== raw) return "there are blanks or line breaks around it";
  if (/^Bearer\s/i.test(bare)) return "the word Bearer became part of it";
  if (!bare.startsWith(PREFIX)) return `it does not begin with ${PREFIX}; is it the key of a provider?`;
  if (bare.length < LENGTH) return `it is truncated: ${bare.length} of ${LENGTH} characters`;
  if (bare.length > LENGTH)
    return `it is too long: ${bare.length} characters where ${LENGTH} are expected; pasted twice?`;
  return "its check characters do not fit: a character is mistyped";
}

/** The key as far as it can be judged without asking anyone. */
export function checkKey(key: string | undefined, source: string): Finding {
  const { ok, fail } = about("key");
  if (key === undefined || key === "") {
    return fail(
      "key.missing",
      "this process sees no key, so nothing is exported",
      "set MODELRIG_KEY (and MODELRIG_URL), redeploy, open a new shell; or start `modelrig dev` here",
      EXIT.auth,
    );
  }
  const fault = keyFault(key);
  return fault === undefined
    ? ok("key.well_formed", `${displayKey(key)}, from ${source}`)
    : fail("key.malformed", `malformed key (${source}): ${fault}`, PASTE, EXIT.auth);
}
