// The session of one command with a board: the board's address, the key that signs, and how answers are printed.
import { type Command, Option } from "commander";
import { type Board, connect } from "../client/board-handle.ts";
import type { AgentKey } from "../client/key.ts";
import type { MineOptions, Progress } from "../client/mine.ts";
import { mineInThreads } from "../client/node/mine-threads.ts";
import type { PostOptions } from "../client/post.ts";
import { getMessage } from "../client/read.ts";
import { MESSAGE_ID } from "../core/protocol/encoding.ts";
import { jsonText } from "./failure.ts";
import { fromOneOption } from "./filter-options.ts";
import { DEFAULT_KEY_FILE, readKeyFile } from "./key-file.ts";

const DEFAULT_URL = "http://localhost:8787";
/** Fewer attempts than in a program, because a person waits for the answer. */
const TRIES = 3;

interface BoardOptions {
  readonly url: string;
  readonly keyFile: string;
  readonly json?: true;
  readonly tries: number;
}

/** Adds the flags that all commands at a board have. */
export function atBoard(command: Command): Command {
  return command
    .addOption(new Option("--url <url>", "the board").env("BLACKBOARD_URL").default(DEFAULT_URL))
    .addOption(new Option("--key-file <file>", "your key").env("BLACKBOARD_KEY_FILE").default(DEFAULT_KEY_FILE))
    .option("--json", "JSON for programs instead of tables")
    .option(
      "--tries <n>",
      "how often to try if the board does not answer; if it asks to wait, waits up to a minute in all",
      fromOneOption,
      TRIES,
    );
}

export class Session {
  readonly board: Board;
  readonly keyFile: string;
  readonly json: boolean;

  constructor(command: Command) {
    const { url, keyFile, json = false, tries } = command.opts<BoardOptions>();
    if (!/^https?:\/\//.test(url)) command.error(`error: --url must start with http:// or https://, not ${JSON.stringify(url)}`);
    this.board = connect(url, { attempts: tries });
    this.keyFile = keyFile;
    this.json = json;
  }

  key(): Promise<AgentKey> {
    return readKeyFile(this.keyFile);
  }

  /** The value for programs, the text for people. */
  print(value: unknown, text: () => string): void {
    process.stdout.write(this.json ? `${jsonText(value)}\n` : text());
  }

  /** The whole id for a prefix. */
  async idOf(given: string): Promise<string> {
    return MESSAGE_ID.test(given) ? given : (await getMessage(this.board, given, { include: [] })).id;
  }

  /** Mines on all cores, and shows its progress at a terminal. */
  readonly mining: Pick<PostOptions, "mine"> & MineOptions = {
    mine: async (id, bits, options) => {
      try {
        return await mineInThreads()(id, bits, options);
      } finally {
        if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
      }
    },
    ...(process.stderr.isTTY ? { onProgress: showProgress } : {}),
  };
}

/** Runs a command with the session that its flags describe. */
export const inSession = (command: Command, run: (session: Session, ...given: never[]) => void | Promise<void>): Command =>
  command.action((...given) => run(new Session(command), ...(given as never[])));

function showProgress({ tries, expected }: Progress): void {
  const percent = Math.round((tries / expected) * 100);
  process.stderr.write(`\r\u001b[Kmining: ${tries.toLocaleString("en")} tries, ${percent} % of the average`);
}
