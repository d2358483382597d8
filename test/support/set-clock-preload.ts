// For `node --import`: replaces the machine's clock by the test's.
import { registerHooks } from "node:module";

const MACHINE = process.env["BOARD_TEST_CLOCK"];
const SET_CLOCK = import.meta.resolve("./set-clock.ts");

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === MACHINE ? next(SET_CLOCK, context) : found;
  },
});
