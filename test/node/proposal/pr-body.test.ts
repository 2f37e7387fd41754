import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { fenced, ghCommand, prBody, prTitle } from "../../../src/proposal/pr-body.ts";
import type { Proposal } from "../../../src/proposal/proposal.ts";
import { shellQuote } from "../../../src/proposal/shell.ts";
import { evidenceFigures, pairsWith, regretFigures } from "../../support/bakeoff/bakeoff-figures.ts";

const base = {
  id: "prop_1",
  kind: "bakeoff",
  trigger: "manual_challenger",
  trigger_hash: "b".repeat(64),
  route: "example.support",
  created_at: "2026-11-29T12:00:00.000Z",
  expires_at: "2026-12-29T12:00:00.000Z",
} as const;

const evidenced = (more: Parameters<typeof evidenceFigures>[0] = {}): Proposal => ({
  ...base,
  state: "evidenced",
  evidence: evidenceFigures(more),
});

describe("the body of a pull request", () => {
  it("is the same for the same proposal", () => {
    expect(prBody(evidenced())).toBe(prBody(evidenced()));
    expect(prBody(evidenced())).toMatchInlineSnapshot(`
      "## \`example.support\`: make \`cheap\` the default

      Effective cost lower by 80.0% (98.48% interval 78.0% to 82.0%, 100 paired inputs).

      | arm | sent | conformant | conformance (Wilson 95%) | $ per 1K conformant | spend |
      |---|---:|---:|---|---|---:|
      | \`default\` (incumbent) | 100 | 98 | 98.0% [93.0, 99.5] | $5.00 [$4.50, $5.50] | $0.490000000 |
      | \`cheap\` (challenger) | 100 | 98 | 98.0% [93.0, 99.5] | $1.00 [$0.900, $1.10] | $0.098000000 |

      Gate cost-first, metric conformance:

      - met: conformance: \`not below\`

      Measured 2026-11-29T12:00:00.000Z by bake-off \`bo_1\` on route version \`aaaaaaaaaaaa\`.

      To apply: \`modelrig swap execute prop_1 --approve\` prints the patch and the command that takes it back.

      Proposal \`prop_1\`, kind bakeoff, trigger manual_challenger, expires 2026-12-29T12:00:00.000Z.
      "
    `);
  });

  it("claims no saving where the costs are not separated", () => {
    const body = prBody(
      evidenced({ verdict: { ...evidenceFigures().verdict, saving: undefined, cost_separated: false } }),
    );
    expect(body).toContain("cost not separated on 100 paired inputs, so no saving is claimed");
    expect(body).not.toMatch(/lower by \d+\.\d%/);
  });

  it("calls a dearer arm an investment, not a saving", () => {
    const body = prBody(evidenced({ swap_direction: "up", cost_delta_usd_per_1k: 1.5 }));
    expect(body).toContain("Raises effective cost by $1.50 per 1K conformant outputs: an investment, not a saving.");
  });

  it("states regret with its interval, n, method, limit and date, and what limits it", () => {
    const [regret, theirs] = regretFigures([
      { arm: "cheap", metric: "golden", pairs: pairsWith(400, 2, 1), inputs: 403, limit: 0.04 },
      { arm: "default", metric: "golden", pairs: pairsWith(403, 1, 1), limit: 0.04 },
      { arm: "other", metric: "golden", pairs: pairsWith(400, 40, 1), limit: 0.04 },
    ]);
    const objective = { mode: "quality-first", max_regret: 0.04, max_conformance_drop: 0.05 } as const;
    const body = prBody(evidenced({ objective, metric: "golden", regret, incumbent_regret: theirs }));
    expect(body).toMatchInlineSnapshot(`
      "## \`example.support\`: make \`cheap\` the default

      Effective cost lower by 80.0% (98.48% interval 78.0% to 82.0%, 100 paired inputs).

      Regret against \`sim/atlas-large\`: +0.3 [−1.7, +2.4] pts by golden, limit 4.0 (99.24% interval, Tango and Bonett-Price, the wider, 400 paired inputs, 2026-11-29).

      | arm | sent | conformant | conformance (Wilson 95%) | $ per 1K conformant | spend |
      |---|---:|---:|---|---|---:|
      | \`default\` (incumbent) | 100 | 98 | 98.0% [93.0, 99.5] | $5.00 [$4.50, $5.50] | $0.490000000 |
      | \`cheap\` (challenger) | 100 | 98 | 98.0% [93.0, 99.5] | $1.00 [$0.900, $1.10] | $0.098000000 |

      | arm | pairs | missing | losses | wins | regret, pts |
      |---|---:|---:|---:|---:|---|
      | \`default\` (incumbent) | 403 | 0 | 1 | 1 | 0.0 [−1.7, +1.7] |
      | \`cheap\` (challenger) | 400 | 3 | 2 | 1 | +0.3 [−1.7, +2.4] |

      Gate quality-first, metric golden:

      - met: conformance: \`not below\`

      3 inputs have no score on one side; were every one a loss, regret would be at most +3.6 pts. Bounds are one-sided at 0.38%: family 1 of this route in 90 days, 2 arms in it.

      Measured 2026-11-29T12:00:00.000Z by bake-off \`bo_1\` on route version \`aaaaaaaaaaaa\`.

      To apply: \`modelrig swap execute prop_1 --approve\` prints the patch and the command that takes it back.

      Proposal \`prop_1\`, kind bakeoff, trigger manual_challenger, expires 2026-12-29T12:00:00.000Z.
      "
    `);
    expect(body).not.toMatch(/\b(best|winner|proven|guarantee)/i);
  });

  it("says of an up-swap what it cuts, with n and interval, and that the cost rises", () => {
    const [against] = regretFigures([{ arm: "cheap", against: "default", pairs: pairsWith(200, 2, 40) }]);
    const body = prBody(
      evidenced({ swap_direction: "up", cost_delta_usd_per_1k: 1.5, regret_against_incumbent: against }),
    );
    expect(body).toMatch(
      /Raises effective cost by \$1\.50 per 1K conformant outputs to cut regret by 19\.0 pts against the incumbent \(98\.48% interval [\d.]+ to [\d.]+, 200 paired inputs\): an investment, not a saving\./,
    );
  });

  it("says that simulated figures are simulated", () => {
    expect(prBody(evidenced({ simulated: true }))).toContain("**Simulated**");
  });

  it("states every rate with its n and interval, and no superlative", () => {
    const body = prBody(evidenced());
    expect(body).toContain("| 100 | 98 | 98.0% [93.0, 99.5] |");
    expect(body).not.toMatch(/\b(best|winner|proven|guarantee)/i);
  });

  it("writes words of a report as code, whatever is in them", () => {
    const note = "none |\n# heading `x` <img src=x>";
    const evidence = evidenceFigures();
    const challenger = { ...evidence.challenger, effective: undefined, effective_note: note };
    const clauses = [{ clause: "priced", met: false, reason: note }] as const;
    const body = prBody(evidenced({ challenger, verdict: { ...evidence.verdict, clauses: [...clauses] } }));
    expect(body.match(/`none \/ # heading 'x' <img src=x>`/g)).toHaveLength(2);
  });

  it("keeps free text inside a fence it cannot close, without control characters", () => {
    const comment = "fine\u0000\u001b[31m\u202e\n```\n# heading\n````\n";
    const decided = { decided_at: base.created_at, decided_by: "key_1", comment };
    const body = prBody({ ...base, state: "rejected", ...decided });
    expect(body).toContain("`````text\nfine[31m\n```\n# heading\n````\n");
    expect(body).not.toMatch(/[^\P{C}\n\t]/u);
  });
});

describe("the one-liner", () => {
  for (const word of ["plain", "it's", "a b", "$(touch pwned)", "`id`", "'; rm -rf / #", "-rf", '"', "a\nb", ""]) {
    it(`passes ${JSON.stringify(word)} as one word`, () => {
      expect(execFileSync("sh", ["-c", `printf %s ${shellQuote(word)}`], { encoding: "utf8" })).toBe(word);
    });
  }

  it("passes title and body file quoted, and the body only by file", () => {
    const command = ghCommand(evidenced(), ".modelrig/proposals/prop_1.md");
    expect(command).toBe(
      "gh pr create --title 'example.support: make cheap the default' --body-file '.modelrig/proposals/prop_1.md'",
    );
    expect(prTitle(evidenced())).not.toContain("\n");
  });
});

describe("fencing", () => {
  it("uses a fence longer than any inside", () => {
    expect(fenced("a ``` b")).toBe("````text\na ``` b\n````");
  });
});
