import { expect, test } from "vitest";
import { SETTINGS } from "../config.ts";
import { unknownVariables } from "./unknown-variables.ts";

const wordsOf = (environment: readonly string[], file: readonly string[] = []) =>
  unknownVariables(environment, file).map(({ words }) => words);

test.for([
  ["BOARD_POWBITS", "BOARD_POW_BITS"],
  ["BOARD_POW_BIT", "BOARD_POW_BITS"],
  ["BOARD_BASEURL", "BOARD_BASE_URL"],
  ["BOARD_PORT", "PORT"],
  ["board_host", "BOARD_HOST"],
  ["BOARD_MAILDOMAIN", "BOARD_MAIL_DOMAIN"],
  ["BOARD_DATABSE_URL", "BOARD_DATABASE_URL"],
] as const)("%s is reported, and that %s was meant", ([name, meant]) => {
  expect(unknownVariables([name], [])).toEqual([{ words: `${name} is not a setting; did you mean ${meant}?`, likely: true }]);
});

test("a name that resembles no setting is reported without a guess, and counts as meant for the board only in its own file", () => {
  const words = "BOARD_MEMBERS_COUNTRY is not a setting; docs/configuration.md lists them all";
  expect(unknownVariables(["BOARD_MEMBERS_COUNTRY"], [])).toEqual([{ words, likely: false }]);
  expect(unknownVariables(["BOARD_MEMBERS_COUNTRY"], ["BOARD_MEMBERS_COUNTRY"])).toEqual([{ words, likely: true }]);
});

test("settings, what other parts of the project read, and variables of other programs are not reported", () => {
  const settings = Object.values(SETTINGS).map(({ variable }) => variable);
  const others = ["BOARD_DOMAIN", "BOARD_BROWSER", "BOARD_TEST_STORE", "BLACKBOARD_URL", "DASHBOARD_URL", "POSTGRES_PASSWORD", "PATH"];
  expect(wordsOf([...settings, ...others], others)).toEqual([]);
});
