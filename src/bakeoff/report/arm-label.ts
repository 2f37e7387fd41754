import type { ArmReport } from "../analysis/arm-report.ts";

/** What an arm is called in front of people. */
export function armLabel({ arm, role }: Pick<ArmReport, "arm" | "role">): string {
  if (role === "reference") return `${modelOf(arm)} (ref)`;
  return role === "incumbent" ? `${arm} (live)` : arm;
}

/** Of the reference arm, whose name is `reference:<provider>/<model>`; any other name is answered as it is. */
export function modelOf(arm: string): string {
  return arm.replace(/^reference:/, "");
}
