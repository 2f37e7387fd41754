/** The grades that were given in this page: kept in the browser, sent to the page's server, or saved as a file. */
import type { GivenGrade, GradesFile } from "../../bakeoff/judge/human-grades.ts";
import type { PageFacts, PageSide } from "../page/page-facts.ts";
import { find, findInput, storage } from "./dom.ts";

/** Grades given faster than this are sent together, in milliseconds. */
const SEND_AFTER_MS = 400;

interface Step {
  readonly side: PageSide;
  readonly before: GivenGrade | undefined;
}

export class GradeBook {
  readonly #facts: PageFacts;
  readonly #grades = new Map<string, GivenGrade>();
  readonly #steps: Step[] = [];
  readonly #key: string;
  #unsaved = false;
  #keptHere = true;
  #timer: number | undefined;

  constructor(facts: PageFacts) {
    this.#facts = facts;
    this.#key = `modelrig.grades.${facts.bakeoff}`;
    this.#take(facts.given);
    this.#recall();
  }

  get size(): number {
    return this.#grades.size;
  }

  get canUndo(): boolean {
    return this.#steps.length > 0;
  }

  /** Closing the page would lose grades. */
  get wouldBeLost(): boolean {
    return this.#unsaved && !this.#keptHere;
  }

  of(side: PageSide): GivenGrade | undefined {
    return this.#grades.get(keyOf(side));
  }

  give(side: PageSide, score: number, blind: boolean): void {
    const before = this.of(side);
    this.#steps.push({ side, before });
    const at = new Date().toISOString();
    const { input, arm, inference } = side;
    this.#grades.set(keyOf(side), { input, arm, inference, score, blind: blind && before?.blind !== false, at });
    this.keep();
  }

  /** Takes the last grade back; returns the side it was given to. */
  undo(): PageSide | undefined {
    const last = this.#steps.pop();
    if (!last) return undefined;
    if (last.before === undefined) this.#grades.delete(keyOf(last.side));
    else this.#grades.set(keyOf(last.side), last.before);
    this.keep();
    return last.side;
  }

  keep(): void {
    this.#unsaved = true;
    this.#keptHere = storage.set(this.#key, JSON.stringify(this.#document()));
    if (this.#facts.server) {
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#send(), SEND_AFTER_MS);
      return;
    }
    say(
      this.#keptHere
        ? `Kept in this browser. Save them as a file, then: modelrig bakeoff grade ${this.#facts.bakeoff} <file>`
        : "This browser keeps nothing for files: save the grades before you close the page.",
    );
  }

  save(): void {
    if (this.#facts.server) {
      void this.#send();
      return;
    }
    const link = document.createElement("a");
    const text = `${JSON.stringify(this.#document(), null, 2)}\n`;
    link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
    link.download = `${this.#facts.bakeoff}.grades.json`;
    link.click();
    URL.revokeObjectURL(link.href);
    this.#unsaved = false;
    say(`Saved as ${link.download}. Next: modelrig bakeoff grade ${this.#facts.bakeoff} ${link.download}`);
  }

  async #send(): Promise<void> {
    const { server } = this.#facts;
    if (!server) return;
    try {
      const answer = await fetch(server.path, {
        method: "POST",
        headers: { "content-type": "application/json", "x-modelrig-token": server.token },
        body: JSON.stringify(this.#document()),
      });
      const { message } = (await answer.json()) as { message: string };
      if (!answer.ok) throw new Error(message);
      this.#unsaved = false;
      say(message);
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause);
      say(`Not saved: ${why}. Is modelrig bakeoff report --serve still running?`);
    }
  }

  /** What this browser kept before; what it cannot read it forgets. */
  #recall(): void {
    try {
      this.#take((JSON.parse(storage.get(this.#key) ?? "null") as PageFacts["given"] | null) ?? undefined);
    } catch {
      storage.set(this.#key, "null");
    }
  }

  #take(given: PageFacts["given"]): void {
    if (!given) return;
    for (const grade of given.grades) this.#grades.set(keyOf(grade), grade);
    findInput("#grader").value = given.grader;
  }

  #document(): GradesFile {
    const { bakeoff, route } = this.#facts;
    const grader = findInput("#grader").value.trim() || "unnamed";
    return { schema: "modelrig.grades/1", bakeoff, route, grader, grades: [...this.#grades.values()] };
  }
}

function keyOf({ input, arm }: Pick<PageSide, "input" | "arm">): string {
  return JSON.stringify([input, arm]);
}

function say(words: string): void {
  find("#saved").textContent = words;
}
