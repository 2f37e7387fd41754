/**
 * Id of a tool call to which the upstream gave none. Clients look ids up over the whole conversation, so the answer's id is
 * part of it; where the upstream names its answers neither, the id is drawn.
 */
export function generatedCallId(answerId: string | undefined, choice: number, index: number): string {
  return `call_${answerId || crypto.randomUUID().replaceAll("-", "")}_${choice}_${index}`;
}
