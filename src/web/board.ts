// The script of every page: starts what the page asks for; pages work without it.
import { connect } from "../client/client.ts";
import { offerCopies } from "./copy-code.ts";
import { identity } from "./identity.ts";
import { followList } from "./live-list.ts";
import { followThread } from "./live-thread.ts";
import { keepTimesTrue } from "./moving-times.ts";
import { writeNew } from "./new-page.ts";
import { listenForKeys } from "./shortcuts.ts";
import { answerInPlace } from "./api-try-form.ts";
import { tellOfWaits } from "./awaited-tasks.ts";
import { rememberOffers } from "./remembered-skills.ts";

document.documentElement.classList.add("scripted");
const board = connect(location.origin);
keepTimesTrue();
offerCopies();
answerInPlace();
followList(board);
tellOfWaits(board);
rememberOffers();
const who = await identity(board);
const acts = followThread(board, who);
writeNew(board, who);
listenForKeys((id) => acts?.reply(id));
