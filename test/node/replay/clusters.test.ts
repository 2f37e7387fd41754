import { describe, expect, it } from "vitest";
import { clusterOf, clusterTags } from "../../../src/replay/clusters.ts";

const calls = (count: number, tagsOf: (index: number) => Record<string, string>) =>
  Array.from({ length: count }, (_, index) => ({ tags: tagsOf(index) }));

describe("the tags that bind calls together", () => {
  it.each(["customer", "customer_id", "customerId", "Client", "tenant", "user-id", "session_id", "account_key", "org"])(
    "are found without a flag: %s",
    (name) => {
      expect(clusterTags(calls(60, (index) => ({ [name]: `v${index % 30}` })))).toEqual([name]);
    },
  );

  it("decide from the widest to the narrowest, and the run last", () => {
    const tags = (index: number) => ({ run: `r${index % 40}`, session: `s${index % 30}`, customer: `c${index % 10}` });
    expect(clusterTags(calls(80, tags))).toEqual(["customer", "session", "run"]);
  });

  it("are also those of an unknown name with many values that come again", () => {
    expect(clusterTags(calls(90, (index) => ({ shop_floor: `f${index % 30}` })))).toEqual(["shop_floor"]);
  });

  it("are not those that say what kind of call it is: a feature, an environment, a version", () => {
    const tags = (index: number) => ({ feature: `f${index % 5}`, env: index % 2 === 0 ? "prod" : "stage" });
    expect(clusterTags(calls(90, tags))).toEqual([]);
  });

  it("are not those with one value over all calls, or a value of its own for each", () => {
    expect(clusterTags(calls(90, (index) => ({ customer: "acme", request_id: `q${index}` })))).toEqual([]);
  });

  it("are the one that was asked for, and no other", () => {
    const tags = (index: number) => ({ customer: `c${index % 30}`, feature: `f${index % 5}` });
    expect(clusterTags(calls(90, tags), "feature")).toEqual(["feature"]);
  });
});

describe("the cluster of a call", () => {
  it("is the first of the tags that it has, so that equal values of two tags are not one cluster", () => {
    const names = ["customer", "run"];
    expect(clusterOf({ tags: { run: "1", customer: "1" } }, names)).toBe("customer:1");
    expect(clusterOf({ tags: { run: "1" } }, names)).toBe("run:1");
    expect(clusterOf({ tags: { feature: "1" } }, names)).toBeUndefined();
  });
});
