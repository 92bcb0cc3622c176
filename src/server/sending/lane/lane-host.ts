import { sql } from "kysely";
import type { Logger } from "pino";
import { record } from "../../audit/service.ts";
import type { Db } from "../../db/client.ts";
import { type Owner, ownerOf } from "../../db/owner.ts";
import type { IncomingMessage, LaneHost, Receipt, StateReport } from "../../transports/transport.ts";
import type { HiddenTold } from "../addresses/hidden-addresses.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { noteDelivered } from "../ledger/known-conversations.ts";
import { publishMoved } from "../ledger/mark-campaign.ts";
import { showDoubts } from "../ledger/settle.ts";
import { contentOf } from "../outbox/content.ts";
import { showOutboxDoubts } from "../outbox/outbox-settle.ts";
import { settleReceipts } from "../receipts/receipts.ts";
import type { SendingFigures } from "./figures.ts";

/** What receipts tell of messages that sending does not know. */
export type OtherReceipts = {
  /** The same receipts as sending gets, for what was typed on the phone. */
  told(connectionId: number, receipts: readonly Receipt[]): Promise<void>;
  /** Others' messages that were read elsewhere. */
  read(at: { accountId: string; connectionId: number }, messageIds: readonly string[]): Promise<void>;
  /** Of our own messages: under which hidden addresses people got them. */
  hidden?: HiddenTold;
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
 * What a lane lets its transport do in the database; every write checks that the lane still owns the connection. `storedPairing`: the
 * pairing reported last and stored, and with it what became of the doubts of the one before.
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
      const anew = paired !== null && before.pairing !== null && before.pairing !== paired;
      // A gateway's doubts are never sent again, so nothing about them depends on the pairing.
      if (anew && taken.kind !== "instance") await doubtForHumans(tx, connectionId);
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
      await deps.receipts?.told(connectionId, receipts);
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

/** Ends that nobody here asked for. */
const ENDED = ["logged_out", "ended_there", "banned", "temp_banned", "replaced"];

/** That a number was linked, and that WhatsApp or the phone ended it: by nobody who is signed in, and what its owner must be able to see. */
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

/** Stores what the screens show. Fields left out of the report stay; answers the pairing known before, or null when the fence is old. */
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
 * The device was paired anew: a message id of the former pairing is a new message for WhatsApp, so a resend could be a second one.
 * Everyone in doubt becomes «A verificar».
 */
async function doubtForHumans(tx: Db, connectionId: number): Promise<void> {
  const campaigns = await sql<{
    id: number;
  }>`select id from campaign where connection_id = ${connectionId} and waiting_count > 0
    order by id for no key update`.execute(tx);
  for (const { id } of campaigns.rows) await showDoubts(tx, id, "paired_anew");
  await showOutboxDoubts(tx, connectionId, "paired_anew");
}
