import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { afterAll } from "vitest";
import { systemClock } from "../../src/server/base/clock.ts";
import { DiskStore } from "../../src/server/files/byte-store.ts";
import { PictureTurns } from "../../src/server/files/picture-turns.ts";
import { type FileDeps, FileService } from "../../src/server/files/service.ts";
import { UploadFolder } from "../../src/server/files/upload-folder.ts";
import { FairQueues } from "../../src/server/jobs/fair-queue.ts";

export const pictureTurns = () => new PictureTurns(new FairQueues(systemClock));

export function testFiles(guardedFetch: FileDeps["guardedFetch"], deps: Partial<FileDeps> = {}) {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "recado-pictures-"));
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const uploads = new UploadFolder(folder);
  const store = new DiskStore(folder);
  return new FileService({
    guardedFetch,
    turns: pictureTurns(),
    uploads,
    received: new UploadFolder(folder),
    store,
    clock: systemClock,
    ...deps,
  });
}
