/** The bundle `routes new` writes: every common key, commented, serving from the simulated provider at once. */
import { bundleShape } from "../route/bundle-shape.ts";

/** Why this cannot be a route's name, or undefined where it can. */
export function starterName(name: string): string | undefined {
  const result = bundleShape.route.safeParse(name);
  return result.success ? undefined : `a route's name ${result.error.issues[0]?.message ?? "is not valid"}`;
}

export function starterBundle(name: string): string {
  return `# Keys and defaults: docs/routes.md. Check with: modelrig routes check
route: ${name}                # equals the file name
description: Say in one line what this task is for.

candidates:                   # the ladder: tried in this order; nothing else can ever serve the route
  - provider: sim             # the simulated provider; put your own here, e.g. openai / gpt-5.4-mini
    model: atlas-large
    params: { temperature: 0.2, max_tokens: 400 }
  - provider: sim
    model: atlas-small
    params: { max_tokens: 400 }

input:                        # JSON Schema of the variables that POST /v1/run/${name} takes
  type: object
  properties:
    text: { type: string, minLength: 1 }
  required: [text]
  additionalProperties: false

template:                     # Liquid; caps.* are the candidate's capability flags
  system: |
    You answer in one short sentence.
  user: |
    {{ text }}

output:                       # delete this block for free text
  schema:
    type: object
    properties:
      answer: { type: string }
    required: [answer]
    additionalProperties: false

# retry: { content_invalid: 1, network: 2, capacity_shed: 1, server_error: 1 }
# timeouts: { idle_ms: 20000, attempt_ms: 60000, call_ms: 90000 }
# budget: { usd_per_call: 0.02, usd_per_day: 20 }

capture: true                 # the local proxy may record this route on this machine

variants:                     # narrowings to compare: modelrig bakeoff --route ${name}
  - name: cheap
    candidates:
      - { provider: sim, model: atlas-small }
`;
}
