/** Asks the envelopes in a file for more than there is, and prints how often it was granted. */
import { openLocalEnvelopes } from "../../../src/localdb/local-envelopes.ts";
import { nanoUsd } from "../../../src/money/nano-usd.ts";

const envelopes = openLocalEnvelopes(process.argv[2] ?? "", Date.now);
const claims = [{ scope: "run", id: "run:shared", limit: nanoUsd(1_000) }] as const;
let granted = 0;
for (let index = 0; index < 60; index += 1) {
  const reservationId = `${process.pid}/${index}`;
  if (envelopes.reserve({ reservationId, claims, worstCase: nanoUsd(10), ttlMs: 600_000 }).granted) granted += 1;
}
envelopes.close();
process.stdout.write(String(granted));
