import { systemClock } from "../../src/server/base/clock.ts";
import { ChatService } from "../../src/server/chat/service.ts";
import type { Db } from "../../src/server/db/client.ts";
import { ownerOf } from "../../src/server/db/owner.ts";
import { openGuardedFetch } from "../../src/server/net/guarded-fetch.ts";
import { testLog } from "./database.ts";
import { testFiles } from "./file-service.ts";
import { noAssistant } from "./no-assistant.ts";
import { receiveLab } from "./receive-lab.ts";

export async function pageLab(db: Db) {
  const lab = await receiveLab(db);
  const service = new ChatService({
    clock: systemClock,
    log: testLog,
    changes: { mark: () => undefined },
    files: testFiles(openGuardedFetch({ privateHosts: new Set() })),
    assistant: noAssistant,
  });
  const owner = ownerOf(db, lab.account);
  const page = async (older?: string) => {
    const [chat] = await lab.chats();
    return service.messages(owner, chat?.id ?? 0, older);
  };
  return { ...lab, owner, page };
}
