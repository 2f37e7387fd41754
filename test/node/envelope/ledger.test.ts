import { describe, expect, it } from "vitest";
import { closeReservation, type ReservationState } from "../../../src/envelope/ledger.ts";
import { type NanoUsd, nanoUsd } from "../../../src/money/nano-usd.ts";

const held = (state: ReservationState) => ({ state, worstCase: nanoUsd(100) });
const settle = (actual: number | undefined) =>
  ({ type: "settle", actual: actual === undefined ? undefined : nanoUsd(actual) }) as const;

describe("closing an open reservation", () => {
  it("books the bill and frees the rest", () => {
    expect(closeReservation(held("open"), settle(30))).toEqual({
      state: "settled",
      spent: 30,
      reserved: -100,
      overrun: 0,
    });
  });

  it("counts the whole of it where the bill is unknown or nobody came back", () => {
    const whole = { state: "assumed", spent: 100, reserved: -100, overrun: 0 };
    expect(closeReservation(held("open"), settle(undefined))).toEqual(whole);
    expect(closeReservation(held("open"), { type: "expire" })).toEqual(whole);
  });

  it("gives all of it back where nothing was sent", () => {
    expect(closeReservation(held("open"), { type: "release" })).toEqual({
      state: "released",
      spent: 0,
      reserved: -100,
      overrun: 0,
    });
  });

  it("books a bill above the reservation in full and says by how much", () => {
    expect(closeReservation(held("open"), settle(130))).toMatchObject({ spent: 130, overrun: 30 });
  });
});

describe("a reservation that was counted whole", () => {
  it("is corrected by the bill that turns up", () => {
    expect(closeReservation(held("assumed"), settle(30))).toMatchObject({ state: "settled", spent: -70, reserved: 0 });
    expect(closeReservation(held("assumed"), settle(130))).toMatchObject({ spent: 30, reserved: 0, overrun: 30 });
    expect(closeReservation(held("assumed"), { type: "release" })).toMatchObject({ state: "released", spent: -100 });
  });

  it("is not counted twice", () => {
    expect(closeReservation(held("assumed"), { type: "expire" })).toBeUndefined();
    expect(closeReservation(held("assumed"), settle(undefined))).toBeUndefined();
  });
});

describe("a closed reservation", () => {
  it("is final", () => {
    for (const state of ["settled", "released"] as const) {
      for (const closing of [settle(1), settle(undefined), { type: "release" }, { type: "expire" }] as const) {
        expect(closeReservation(held(state), closing)).toBeUndefined();
      }
    }
  });
});

it("a negative bill is a bug and is thrown", () => {
  expect(() => closeReservation(held("open"), { type: "settle", actual: -1 as NanoUsd })).toThrow(RangeError);
});
