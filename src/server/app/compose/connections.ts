import { callAfter } from "../../base/clock.ts";
import { FileFetcher, fileTurns } from "../../chat/file-fetcher.ts";
import { sentWatch } from "../../chat/sent-watch.ts";
import { PlanService } from "../../connections/plans.ts";
import { ConnectionService } from "../../connections/service.ts";
import { checkStore, openStore } from "../../files/open-store.ts";
import { PictureTurns } from "../../files/picture-turns.ts";
import { FileService } from "../../files/service.ts";
import { UploadFolder } from "../../files/upload-folder.ts";
import { openOutbox, upkeepOf } from "../../sending/sending.ts";
import type { Common } from "./common.ts";
import type { Fetches } from "./fetches.ts";

const FILE_RETRY_MS = 2_000;

function composeFetcher(
  { config, database: { db }, secrets, clock, log, changes, queues }: Common,
  files: FileService,
): FileFetcher {
  return new FileFetcher({
    db,
    log,
    clock,
    after: callAfter,
    changes,
    files,
    secrets,
    turns: fileTurns(queues),
    retryMs: FILE_RETRY_MS * config.timeScale,
  });
}

export type ComposedConnections = Awaited<ReturnType<typeof composeConnections>>;

/** Connections, with the pictures and direct messages that go out over them. */
export async function composeConnections(common: Common, fetches: Fetches) {
  const { config, storage, database, clock, log, changes, queues, waits } = common;
  const pictureTurns = new PictureTurns(queues);
  const uploads = new UploadFolder(storage.dataFolder);
  await uploads.sweep(clock.now());
  const opened = await openStore(config, storage.dataFolder, log);
  const storeNotice = await checkStore(opened, database.db);
  const { store } = opened;
  const files = new FileService({
    guardedFetch: fetches.picture,
    turns: pictureTurns,
    uploads,
    received: new UploadFolder(storage.dataFolder),
    store,
    mostMb: config.attachmentMb,
    clock,
  });
  const outbox = await openOutbox(database, sentWatch({ db: database.db, changes, log }));
  const connections = new ConnectionService({
    changes,
    files,
    outbox,
    answerMs: waits.answerMs,
    ownerMs: waits.ownerMs,
  });
  // The embedded database has no other process, so old leases need not expire.
  if (storage.kind === "embedded") await upkeepOf(database.db).releaseAll();
  const plans = new PlanService({ clock, changes });
  const fetcher = composeFetcher(common, files);
  return { pictureTurns, files, store, storeNotice, fetcher, outbox, connections, plans };
}
