// The user's home directory: keys and states are stored there unless another place is given.
import { homedir } from "node:os";

/** In a container, a user without a name may have no home. Then it is the working directory, so that commands with other paths still work. */
export function home(): string {
  try {
    return homedir();
  } catch {
    return process.cwd();
  }
}
