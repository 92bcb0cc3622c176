import type { Agents } from "../../agents/agents.ts";
import { hiddenNamer } from "../../chat/hidden.ts";
import { phoneReceipts } from "../../chat/receipts.ts";
import { messageReceiver } from "../../chat/receive.ts";
import { openUndo } from "../../db/undo.ts";
import type { FileService } from "../../files/service.ts";
import { twinsOf } from "../../gateways/twins.ts";
import { optOutService } from "../../opt-outs/service.ts";
import { gatewayReports, upkeepOf } from "../../sending/sending.ts";
import type { Receipt } from "../../transports/transport.ts";
import type { Common } from "./common.ts";

export type ComposedIncoming = Awaited<ReturnType<typeof composeIncoming>>;

/** What happens with arriving messages and receipts, of devices and gateways. */
export async function composeIncoming(common: Common, { forChats: assistant }: Agents, files: FileService) {
  const { database, secrets, clock, log, changes } = common;
  const messageKey = await upkeepOf(database.db).messageKey();
  const optOuts = optOutService({ changes, undo: openUndo({ secrets, clock }) });
  const phone = phoneReceipts({ db: database.db, changes, messageKey });
  const messages = messageReceiver({
    db: database.db,
    clock,
    log,
    changes,
    files,
    secrets,
    messageKey,
    assistant,
    twinsOf,
    receipts: phone,
    optOut: optOuts.replied,
  });
  const hidden = hiddenNamer({ db: database.db, changes, assistant, optOut: optOuts.replied });
  const reports = gatewayReports({ db: database.db, changes, hidden });
  return {
    messageKey,
    optOuts,
    phone,
    messages,
    hidden,
    intake: { receiveMessages: messages, recordOutgoing: reports.recordOutgoing },
    async settleReceipts(connectionId: number, receipts: readonly Receipt[]) {
      await reports.settle(connectionId, receipts);
      await phone.record(connectionId, receipts);
    },
    async settleKnownReceipts(connectionId: number, receipts: readonly Receipt[]) {
      await reports.settleKnown(connectionId, receipts);
      await phone.record(connectionId, receipts);
    },
  };
}
