// The script of the log's page, beside that of every page: both checks, by the reader's own machine.
import { connect } from "../client/client.ts";
import { offerLogCheck } from "./check-log.ts";
import { checkHead } from "./kept-head.ts";

const board = connect(location.origin);
offerLogCheck(board);
await checkHead(board);
