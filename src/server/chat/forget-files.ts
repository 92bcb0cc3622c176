import type { Clock } from "../../domain/clock.ts";
import type { Db } from "../db/client.ts";
import type { Changes } from "../db/live-updates.ts";
import type { FileService } from "../files/service.ts";
import { expireFiles } from "./received-files.ts";

type ForgetDeps = {
  db: Db;
  clock: Pick<Clock, "now">;
  changes: Pick<Changes, "mark">;
  files: Pick<FileService, "removeReceived">;
  days: number;
};

const AT_ONCE = 500;
const DAY_MS = 24 * 60 * 60_000;

export async function forgetReceivedFiles({ db, clock, changes, files, days }: ForgetDeps): Promise<void> {
  const before = new Date(clock.now().getTime() - days * DAY_MS);
  for (;;) {
    const expired = await expireFiles(db, before, AT_ONCE);
    await files.removeReceived(
      db,
      expired.flatMap(({ attachmentId }) => attachmentId ?? []),
      before,
    );
    for (const { accountId, chatId } of expired) changes.mark(accountId, "chats", chatId);
    if (expired.length < AT_ONCE) return;
  }
}
