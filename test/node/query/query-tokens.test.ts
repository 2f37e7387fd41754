import { describe, expect, it } from "vitest";
import { hashKey } from "../../../src/identity/key.ts";
import { parseQueryTokens, QueryTokens } from "../../../src/query/query-tokens.ts";

const tokens = (text: string, faults: string[] = []) =>
  new QueryTokens(
    text,
    async (name) => (name === "acme-inc" ? { id: "org_1", slug: "acme-inc" } : undefined),
    (found) => faults.push(...found),
  );

describe("MODELRIG_QUERY_TOKENS", () => {
  it("opens queries about one tag's rows of one org, and nothing else", async () => {
    expect(await tokens("s3cret==acme-inc:tag:client:a=b:c").find("s3cret=")).toMatchObject({
      org: "org_1",
      orgSlug: "acme-inc",
      scopes: ["query"],
      routes: [],
      rowScope: { tags: { client: "a=b:c" } },
    });
  });

  it("may hold the token's SHA-256 in its place", async () => {
    const text = `${(await hashKey("s3cret")).toUpperCase()}=acme-inc:tag:client:acme`;
    expect(await tokens(text).find("s3cret")).toMatchObject({ org: "org_1" });
    expect(await tokens(text).find(text.split("=")[0]!)).toBeUndefined();
    expect(await parseQueryTokens(text)).toMatchObject({ plaintext: 0, faults: [] });
    expect(await parseQueryTokens("t=o:tag:a:b")).toMatchObject({ plaintext: 1 });
  });

  it("holds several, and both entries of one token", async () => {
    const both = tokens("one=acme-inc:tag:client:a;\n two=acme-inc:tag:client:b\none=acme-inc:tag:team:x");
    expect((await both.find("one"))?.rowScope).toEqual({ tags: { client: "a", team: "x" } });
    expect((await both.find("two"))?.rowScope).toEqual({ tags: { client: "b" } });
    expect(await both.find("three")).toBeUndefined();
  });

  it.each([
    "one=acme-inc",
    "one=acme-inc:tag:client:",
    "one=acme-inc:client:acme",
    "one=acme-inc:tag:cli ent:acme",
    "one=acme-inc:tag:client:a;one=acme-inc:tag:te am:x",
    "one=acme-inc:tag:client:a;one=acme-inc",
    "one=acme-inc:tag:client:a;one=acme-inc:tag:client:b",
    "one=acme-inc:tag:client:a;one=other:tag:team:x",
    "one",
  ])("%s opens nothing, and is reported without the token", async (text) => {
    const faults: string[] = [];
    expect(await tokens(text, faults).find("one")).toBeUndefined();
    expect(faults.length).toBe(1);
    expect(faults.join()).not.toContain("one=");
  });

  it("of an org that is not there opens nothing", async () => {
    expect(await tokens("one=nobody:tag:client:a").find("one")).toBeUndefined();
    expect(await tokens("").find("")).toBeUndefined();
  });
});
