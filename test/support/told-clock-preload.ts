// For `node --import`: whoever asks for the machine's clock gets the test's.
import { registerHooks } from "node:module";

const MACHINE = import.meta.resolve("../../src/adapters/system/clock.ts");
const TOLD = import.meta.resolve("./told-clock.ts");

registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    return found.url === MACHINE ? { ...found, url: TOLD } : found;
  },
});
