// All parts in order: nothing is lost, nobody else is harmed, and both hold for an hour.
import type { Part } from "./part.ts";
import { abuse } from "./parts/abuse.ts";
import { backup } from "./parts/backup.ts";
import { clock } from "./parts/clock.ts";
import { courier } from "./parts/courier.ts";
import { databaseKills } from "./parts/database-kills.ts";
import { derived } from "./parts/derived.ts";
import { diskFull } from "./parts/disk-full.ts";
import { expired } from "./parts/expired.ts";
import { floods } from "./parts/floods.ts";
import { fuzz } from "./parts/fuzz.ts";
import { guard } from "./parts/guard.ts";
import { histories } from "./parts/histories.ts";
import { kills } from "./parts/kills.ts";
import { powerCut } from "./parts/power-cut.ts";
import { removed } from "./parts/removed.ts";
import { restarts } from "./parts/restarts.ts";
import { sequence } from "./parts/sequence.ts";
import { slow } from "./parts/slow.ts";
import { soak } from "./parts/soak.ts";
import { streams } from "./parts/streams.ts";
import { syncErrors } from "./parts/sync-errors.ts";
import { syncOrder } from "./parts/sync-order.ts";
import { tests } from "./parts/tests.ts";

export const PARTS: readonly Part[] = [
  kills,
  databaseKills,
  syncOrder,
  powerCut,
  syncErrors,
  diskFull,
  sequence,
  expired,
  removed,
  streams,
  courier,
  backup,
  derived,
  clock,
  restarts,
  histories,
  ...tests,
  guard,
  slow,
  floods,
  fuzz,
  ...abuse,
  soak,
];
