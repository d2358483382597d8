// Builds the live part: the hub that follows the log, the backlog for readers who were away, and the feeds over both.
import { embedderOf } from "../adapters/search/meaning-table.ts";
import { MEANING_TABLE } from "../adapters/system/package-files.ts";
import { feeds } from "../board/live/subscriber-stream.ts";
import { Hub } from "../board/live/hub.ts";
import { Backlog } from "../board/live/replay-chunks.ts";
import { Voters } from "../board/live/voters.ts";
import { waiter } from "../board/live/wait.ts";
import type { Document } from "../core/search/document.ts";
import { messageVector } from "../core/search/meaning/asked-meaning.ts";
import type { LiveParts } from "../operations/catalog/services.ts";
import { eventRenderer } from "../operations/present.ts";
import type { Foundation } from "./foundation.ts";
import type { Reading } from "./reading.ts";
import type { Writing } from "./writing.ts";

export interface Live extends LiveParts {
  readonly hub: Hub;
}

/** Meanings of messages, for streams with a `near` filter: the table is loaded when the first of them is opened. */
function vectors(): (document: Document) => Int8Array {
  const known = new WeakMap<Document, Int8Array>();
  return (document) => {
    const vector = known.get(document) ?? messageVector(embedderOf(MEANING_TABLE), document.said);
    known.set(document, vector);
    return vector;
  };
}

export async function openLive(
  { config, clock, figures, storage, checkpointSigner }: Foundation,
  writing: Writing,
  reading: Reading,
): Promise<Live> {
  const { store, peers } = storage;
  const { appender, sweeper, switches } = writing;
  const { names, index, nearSource, words } = reading;
  const eventParts = { store, render: eventRenderer(config.baseUrl), words, voters: new Voters(store) };
  const hub = new Hub({ ...eventParts, clock, report: figures, writing: () => appender.writing }, (await store.head()).seq);
  appender.onAppend(({ head }) => hub.hint(head.seq));
  peers?.onMoved(({ seq, nextDue }) => {
    sweeper?.reschedule(nextDue);
    hub.hint(seq);
  });
  const backlog = new Backlog({ store, clock, hub, eventParts });
  peers?.onBack((seq) => {
    hub.goBack(seq);
    backlog.forget();
    checkpointSigner.recheck().catch((error: unknown) => figures.failed("nodes", error));
  });
  // Before the streams drop their frames: what they drop must not be sent again.
  switches.onRemoved(() => {
    hub.forget();
    backlog.forget();
  });
  const feed = feeds({ store, clock, names, hub, backlog, index, nearSource, vectorOf: vectors() });
  figures.gauge("blackboard_stream_readers", "Readers of the live stream and long polls.", () => hub.readers);
  return { hub, feeds: feed, waitFor: waiter(hub, feed, clock), streamsOpen: () => hub.readers };
}
