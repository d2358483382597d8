import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, test } from "vitest";
import { Unsent } from "./unsent-answers.ts";

const response = () => new ServerResponse(new IncomingMessage(new Socket()));

test("large answers of one caller are made one after the other, those of others meanwhile", async () => {
  const unsent = new Unsent();
  const begun: string[] = [];
  const ask = (name: string, caller: string) => {
    const answer = response();
    void unsent.turn(caller, answer).then(() => begun.push(name));
    return answer;
  };
  const first = ask("first", "a");
  const second = ask("second", "a");
  ask("third", "a");
  ask("another's", "b");
  await nextTurn();
  expect(begun.sort()).toEqual(["another's", "first"]);
  first.emit("prefinish");
  await nextTurn();
  expect(begun).toContain("second");
  expect(begun).not.toContain("third");
  second.emit("close");
  await nextTurn();
  expect(begun).toContain("third");
});
