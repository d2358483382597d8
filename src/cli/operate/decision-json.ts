// A decision as the operator's commands print it in JSON.
import type { Action } from "../../core/message/moderation-state.ts";
import { iso } from "../../core/protocol/time.ts";

export const actionView = ({ at, ...action }: Action) => ({ ...action, at: iso(at) });
