// The script of the log page, in addition to the script of every page: runs all checks in the reader's browser.
import { connect } from "../client/client.ts";
import { offerLogCheck } from "./check-whole-log.ts";
import { offerReceiptCheck } from "./check-receipt.ts";
import { checkHead } from "./verified-head.ts";

const board = connect(location.origin);
offerLogCheck(board);
await Promise.all([offerReceiptCheck(board), checkHead(board)]);
