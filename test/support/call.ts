// A call of an operation without a transport.
import type { Call } from "../../src/operations/operation.ts";

/** From a caller that stays connected, with only this input and body. */
export const callWith = <Input>(input: Input, body = ""): Call<Input> => ({
  input,
  body,
  query: {},
  lastEventId: undefined,
  payForStored: () => () => {},
  caller: "127.0.0.1",
  closed: () => new AbortController().signal,
});
