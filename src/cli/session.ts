// One command's dealings with a board: where it is, whose key signs, and how the answer is printed.
import { type Command, Option } from "commander";
import { type Board, connect } from "../client/connect.ts";
import type { AgentKey } from "../client/key.ts";
import type { MineOptions, Progress } from "../client/mine.ts";
import { mineInThreads } from "../client/node/mine-threads.ts";
import type { PostOptions } from "../client/post.ts";
import { getMessage } from "../client/read.ts";
import { MESSAGE_ID } from "../core/protocol/encoding.ts";
import { jsonText } from "./failure.ts";
import { countOption } from "./filter-options.ts";
import { DEFAULT_KEY_FILE, readKeyFile } from "./key-file.ts";

const DEFAULT_URL = "http://localhost:8787";
/** Somebody waits for the answer, so fewer than a program would make. */
const TRIES = 3;

interface BoardOptions {
  readonly url: string;
  readonly keyFile: string;
  readonly json?: true;
  readonly tries: number;
}

/** Gives a command the flags that every command at a board has. */
export function atBoard(command: Command): Command {
  return command
    .addOption(new Option("--url <url>", "the board").env("BLACKBOARD_URL").default(DEFAULT_URL))
    .addOption(new Option("--key-file <file>", "your key").env("BLACKBOARD_KEY_FILE").default(DEFAULT_KEY_FILE))
    .option("--json", "JSON for programs instead of tables")
    .option("--tries <n>", "how often to ask a board that is away; one that asks to wait has a minute", countOption, TRIES);
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

  /** A whole id, also from the start of one. */
  async idOf(given: string): Promise<string> {
    return MESSAGE_ID.test(given) ? given : (await getMessage(this.board, given, { include: [] })).id;
  }

  /** Mining on all cores, with a moving line where somebody watches. */
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

function showProgress({ tries, expected }: Progress): void {
  const percent = Math.round((tries / expected) * 100);
  process.stderr.write(`\r\u001b[Kmining: ${tries.toLocaleString("en")} tries, ${percent} % of what it takes on average`);
}
