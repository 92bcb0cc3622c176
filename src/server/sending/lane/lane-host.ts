import { sql } from "kysely";
import type { Logger } from "pino";
import { record } from "../../audit/service.ts";
import type { Db } from "../../db/client.ts";
import { type Owner, ownerOf } from "../../db/owner.ts";
import type { IncomingMessage, LaneHost, Receipt, StateReport } from "../../transports/transport.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { noteDelivered } from "../ledger/known-conversations.ts";
import { publishMoved } from "../ledger/mark-campaign.ts";
import { showDoubts } from "../ledger/settle.ts";
import { contentOf } from "../outbox/content.ts";
import { showOutboxDoubts } from "../outbox/outbox-settle.ts";
import { settleReceipts } from "../receipts/receipts.ts";
import type { SendingFigures } from "./figures.ts";

export type OtherReceipts = {
  record(connectionId: number, receipts: readonly Receipt[]): Promise<void>;
  read(at: { accountId: string; connectionId: number }, messageIds: readonly string[]): Promise<void>;
  hidden?: HiddenListener;
};

type HostDeps = {
  db: Db;
  log: Logger;
  taken: AcquiredConnection;
  messageKey: Buffer;
  messages(
    at: { accountId: string; connectionId: number },
    messages: readonly IncomingMessage[],
  ): Promise<void>;
  receipts?: OtherReceipts;
  figures?: Pick<SendingFigures, "receipt"> | undefined;
  mayAct(): boolean;
  lost(): void;
  mark(accountId: string, topic: "campaigns" | "connections", id?: number): void;
};

/**
 * The lane's database access for its transport; every write checks ownership. `storedPairing`: last stored
 * pairing, for which earlier doubts are settled.
 */
export function laneHost(deps: HostDeps): LaneHost & { storedPairing(): string | null } {
  const { db, taken, messageKey, mark } = deps;
  const { connectionId, accountId, deviceId, fence } = taken;
  const owner = ownerOf(db, accountId);
  let pairing: string | null = null;

  async function report(state: StateReport): Promise<boolean> {
    const known = await db.transaction().execute(async (tx) => {
      const before = await writeState(tx, connectionId, fence, state);
      if (!before) return false;
      const paired = state.pairing ?? null;
      await recordState(owner.in(tx), before, state);
      const isNewPairing = paired !== null && before.pairing !== null && before.pairing !== paired;
      // A gateway's doubts are never resent, so the pairing does not matter.
      if (isNewPairing && taken.kind !== "instance") await doubtForHumans(tx, connectionId);
      return true;
    });
    if (state.pairing !== undefined) pairing = state.pairing;
    if (!known) deps.lost();
    mark(accountId, "connections", connectionId);
    mark(accountId, "campaigns");
    return known;
  }

  return {
    ...{ connectionId, accountId, deviceId, fence },
    report,
    async receipts(receipts) {
      for (const { status } of receipts) deps.figures?.receipt(status);
      await publishMoved(db, deps, await settleReceipts(db, messageKey, receipts));
      await noteDelivered(db, connectionId, messageKey, receipts);
      await deps.receipts?.record(connectionId, receipts);
    },
    async readElsewhere(messageIds) {
      await deps.receipts?.read({ accountId, connectionId }, messageIds);
    },
    messages: (messages) => deps.messages({ accountId, connectionId }, messages),
    contentOf: (messageId, current) => contentOf(db, messageKey, current, messageId),
    mayAct: deps.mayAct,
    lost: deps.lost,
    storedPairing: () => pairing,
  };
}

type Before = { pairing: string | null; cause: string | null; name: string };

const ENDED = ["logged_out", "ended_there", "banned", "temp_banned", "replaced"];

/** Logs links and external ends, which no signed-in user caused, for the account owner. */
async function recordState(
  tx: Owner,
  before: Before,
  { state, cause = null, pairing }: StateReport,
): Promise<void> {
  const subject = before.name;
  if (pairing && pairing !== before.pairing) await record(tx, { kind: "connection_linked", subject });
  if (state === "disconnected" && cause !== null && ENDED.includes(cause) && cause !== before.cause)
    await record(tx, { kind: "connection_ended", subject, details: { cause } });
}

/** Omitted fields stay; returns the former pairing, or null for an old fence. */
async function writeState(
  tx: Db,
  connectionId: number,
  fence: number,
  report: StateReport,
): Promise<Before | null> {
  const before = await sql<Before>`select pairing, state_reason as cause, name from connection
    where id = ${connectionId} and fence = ${fence} for no key update`.execute(tx);
  if (!before.rows[0]) return null;
  const { state, cause = null, causeUntil = null, qr = null, pairingCode } = report;
  await sql`update connection set
      state_since = case when state = ${state} and state_reason is not distinct from ${cause}::text then state_since else now() end,
      state = ${state}, state_reason = ${cause}, state_reason_until = ${causeUntil},
      qr = ${qr?.text ?? null}, qr_expires_at = ${qr?.expiresAt ?? null},
      pairing_code = case when ${pairingCode === undefined && state === "pending"} then pairing_code else ${pairingCode?.text ?? null} end,
      pairing_code_expires_at = case when ${pairingCode === undefined && state === "pending"} then pairing_code_expires_at
        else ${pairingCode?.expiresAt ?? null} end,
      pairing = coalesce(${report.pairing ?? null}, pairing)
    where id = ${connectionId}`.execute(tx);
  return before.rows[0];
}

/**
 * After a new pairing an old id is a new message for WhatsApp, so a resend could duplicate: doubts become «A
 * verificar».
 */
async function doubtForHumans(tx: Db, connectionId: number): Promise<void> {
  const campaigns = await sql<{
    id: number;
  }>`select id from campaign where connection_id = ${connectionId} and waiting_count > 0
    order by id for no key update`.execute(tx);
  for (const { id } of campaigns.rows) await showDoubts(tx, id, "paired_again");
  await showOutboxDoubts(tx, connectionId, "paired_again");
}
