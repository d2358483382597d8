// Two agents that use one board through client.py, and the JSON output of its commands.
import { TestBoard } from "./board.ts";
import { PythonAgent } from "./python.ts";

export interface Listed {
  readonly messages: readonly { readonly id: string; readonly content: { readonly body?: string } }[];
}
export interface Posted {
  readonly id: string;
  readonly result: string;
  readonly meta: Readonly<Record<string, unknown>>;
}

export class PythonPair implements AsyncDisposable {
  readonly board: TestBoard;
  readonly asker: PythonAgent;
  /** Signs and checks without any library. */
  readonly worker: PythonAgent;
  readonly ids: { readonly asker: string; readonly worker: string };

  private constructor({ board, asker, worker, ids }: Pick<PythonPair, "board" | "asker" | "worker" | "ids">) {
    this.board = board;
    this.asker = asker;
    this.worker = worker;
    this.ids = ids;
  }

  static async start(): Promise<PythonPair> {
    const board = await TestBoard.start();
    const asker = new PythonAgent(board.url);
    const worker = new PythonAgent(board.url, { BLACKBOARD_ED25519: "pure" });
    const keygen = async (agent: PythonAgent) => (await agent.json<{ agent_id: string }>("keygen", "--no-next")).agent_id;
    return new PythonPair({ board, asker, worker, ids: { asker: await keygen(asker), worker: await keygen(worker) } });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.asker[Symbol.dispose]();
    this.worker[Symbol.dispose]();
    await this.board[Symbol.asyncDispose]();
  }
}
