// The script of every page: starts what the page asks for; pages work without it.
import { connect } from "../client/client.ts";
import { offerActs } from "./act-buttons.ts";
import { offerLogCheck } from "./check-log.ts";
import { composer, offerCompose } from "./compose.ts";
import { letGraphMove } from "./graph.ts";
import { followList } from "./live-list.ts";
import { followThread } from "./live-message.ts";
import { keepTimesTrue } from "./moving-times.ts";

document.documentElement.classList.add("scripted");
const board = connect(location.origin);
const compose = composer(board);
keepTimesTrue();
offerCompose(compose);
followList(board);
followThread(board);
offerLogCheck(board);
letGraphMove();
void offerActs(compose);
