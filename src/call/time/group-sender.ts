/**
 * Sends what concurrent requests of one isolate have to say in common messages. Requests share only plain data: every
 * message is sent by one member of its group, within its own request, and every member keeps its own request open, with
 * a timer of its own, until the answer is there.
 */
import type { Clock } from "./clock.ts";

interface GroupPorts<Item, Answer> {
  /** Resolves with one answer per item, in their order; rejects where the message was refused. */
  readonly send: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Most items of one message, and most of their sizes together. */
  readonly capacity: { readonly items: number; readonly size: number };
  readonly sizeOf: (item: Item) => number;
  readonly clock: Clock;
}

interface Wait {
  /** Most milliseconds that an item waits for others before it is sent. */
  readonly lingerMs: number;
  /**
   * True: the item waits for others in any case. False: it is sent at once, unless a message is on its way or is due
   * within `lingerMs`.
   */
  readonly unhurried: boolean;
  /**
   * Milliseconds after which an item whose sender reports nothing is sent again by its own request. The receiver must
   * tolerate repeats.
   */
  readonly patienceMs: number;
}

interface Member<Item, Answer> {
  readonly item: Item;
  /** When its own request sends it, unless another one does before. */
  readonly dueAt: number;
  /** Set once a message contains the item. */
  sentAt: number | undefined;
  tell: (outcome: Outcome<Answer>) => void;
}

type Outcome<Answer> =
  | { readonly type: "answered"; readonly answer: Answer }
  | { readonly type: "refused"; readonly cause: unknown }
  /** Nobody sent the item, or its sender has ended. */
  | { readonly type: "alone" };

export class GroupSender<Item, Answer> {
  readonly #ports: GroupPorts<Item, Answer>;
  #gathering: Member<Item, Answer>[] = [];
  /** The newest message that is not answered yet. */
  #underway: { readonly since: number } | undefined;

  constructor(ports: GroupPorts<Item, Answer>) {
    this.#ports = ports;
  }

  /** Resolves with the answer to the item; rejects where the message that contained it was refused. */
  async send(item: Item, wait: Wait): Promise<Answer> {
    const dueAt = this.#ports.clock.now() + wait.lingerMs;
    const member: Member<Item, Answer> = { item, dueAt, sentAt: undefined, tell: () => undefined };
    const waits = wait.unhurried || this.#isUnderway(wait) || this.#isDue(dueAt);
    this.#gathering.push(member);
    if (!waits) return await this.#lead(member);
    const outcome = await this.#outcome(member, wait);
    switch (outcome.type) {
      case "answered":
        return outcome.answer;
      case "refused":
        throw outcome.cause;
      case "alone":
        return await this.#lead(member);
    }
  }

  /** A message whose sender was silent for that long is assumed to be lost. */
  #isUnderway({ patienceMs }: Wait): boolean {
    return this.#underway !== undefined && this.#ports.clock.now() - this.#underway.since < patienceMs;
  }

  /** True where somebody is going to send before `at`. Whoever is late has ended. */
  #isDue(at: number): boolean {
    const now = this.#ports.clock.now();
    return this.#gathering.some(({ dueAt }) => dueAt >= now && dueAt <= at);
  }

  async #outcome(member: Member<Item, Answer>, { lingerMs, patienceMs }: Wait): Promise<Outcome<Answer>> {
    const { clock } = this.#ports;
    let stopWaiting = (): void => undefined;
    const outcome = await new Promise<Outcome<Answer>>((resolve) => {
      member.tell = resolve;
      const giveUp = () => resolve({ type: "alone" });
      stopWaiting = clock.after(lingerMs, () => {
        if (member.sentAt === undefined) return giveUp();
        stopWaiting = clock.after(member.sentAt + patienceMs - clock.now(), giveUp);
      });
    });
    stopWaiting();
    return outcome;
  }

  /** Sends a group that contains `leader`. Runs up to the send without awaiting. */
  async #lead(leader: Member<Item, Answer>): Promise<Answer> {
    const group = this.#take(leader);
    const underway = { since: this.#ports.clock.now() };
    this.#underway = underway;
    for (const member of group) member.sentAt = underway.since;
    try {
      const answers = await this.#ports.send(group.map(({ item }) => item));
      const outcomes = group.map((member, at) => ({ member, answer: answers[at] as Answer }));
      for (const { member, answer } of outcomes) member.tell({ type: "answered", answer });
      return answers[group.indexOf(leader)] as Answer;
    } catch (cause) {
      for (const member of group) member.tell({ type: "refused", cause });
      throw cause;
    } finally {
      if (this.#underway === underway) this.#underway = undefined;
    }
  }

  /** Takes the leader and as many as fit beside it, in the order in which they joined. */
  #take(leader: Member<Item, Answer>): readonly Member<Item, Answer>[] {
    const { capacity, sizeOf } = this.#ports;
    const waiting = this.#gathering.includes(leader) ? this.#gathering : [leader, ...this.#gathering];
    const group: Member<Item, Answer>[] = [];
    const left: Member<Item, Answer>[] = [];
    let [places, room] = [capacity.items - 1, capacity.size - sizeOf(leader.item)];
    for (const member of waiting) {
      if (member !== leader) {
        const size = sizeOf(member.item);
        if (left.length > 0 || places < 1 || size > room) {
          left.push(member);
          continue;
        }
        places -= 1;
        room -= size;
      }
      group.push(member);
    }
    this.#gathering = left;
    return group;
  }
}
