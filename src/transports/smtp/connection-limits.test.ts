import { expect, test } from "vitest";
import { Seats, type SeatLimits } from "./connection-limits.ts";

interface Guest {
  readonly name: string;
  busy: boolean;
}

const LIMITS: SeatLimits = { all: 6, perAddress: 2, perNetwork: 4 };

function seatsOf(limits = LIMITS) {
  const ended: string[] = [];
  const seats = new Seats<Guest>(limits, ({ name }) => ended.push(name));
  const guests = new Map<string, Guest>();
  /** Names begin with the address. */
  const take = (address: string, n: number, busy = false): boolean => {
    const guest = { name: `${address} ${n}`, busy };
    guests.set(guest.name, guest);
    return seats.take(address, guest);
  };
  return { seats, ended, take, leave: (name: string) => seats.leave(guests.get(name)!) };
}

test("an address has its few, is refused more, and gets one again when one of its own has gone", () => {
  const { seats, take, leave } = seatsOf();
  expect([take("192.0.2.1", 1), take("192.0.2.1", 2), take("192.0.2.1", 3), take("::ffff:192.0.2.1", 4)]).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(seats.taken).toBe(2);
  // One that was refused has none to give back.
  leave("192.0.2.1 3");
  expect(take("192.0.2.1", 5)).toBe(false);
  leave("192.0.2.1 1");
  expect(take("192.0.2.1", 6)).toBe(true);
});

test("many addresses of one IPv6 network are one, and all networks of 48 bits do not hold more than a few", () => {
  const { take } = seatsOf();
  const taken = ["2001:db8:1:1::1", "2001:db8:1:1::2", "2001:db8:1:1::3", "2001:db8:1:2::1", "2001:db8:1:3::1", "2001:db8:1:4::1"].map(
    (one) => take(one, 1),
  );
  expect(taken).toEqual([true, true, false, true, true, false]);
  expect(take("2001:db8:2::1", 1)).toBe(true);
});

test("if all connections are taken, the address with the most loses its oldest one; one in the middle of a message goes last", () => {
  const { seats, ended, take } = seatsOf();
  for (const [address, n, busy] of [
    ["a", 1, true],
    ["a", 2, false],
    ["b", 1, true],
    ["b", 2, true],
    ["c", 1, false],
    ["d", 1, false],
  ] as const)
    expect(take(address, n, busy)).toBe(true);
  expect(take("e", 1)).toBe(true);
  expect(ended).toEqual(["a 2"]);
  expect(take("f", 1)).toBe(true);
  expect(ended).toEqual(["a 2", "b 1"]);
  expect(seats.taken).toBe(6);
});

test("where nobody holds more than the newcomer would, the newcomer waits", () => {
  const { seats, ended, take } = seatsOf();
  for (const address of ["a", "b", "c", "d", "e", "f"]) expect(take(address, 1)).toBe(true);
  expect([take("g", 1), take("a", 2)]).toEqual([false, false]);
  expect([ended, seats.taken]).toEqual([[], 6]);
});
