import { sql } from "kysely";
import type { Logger } from "pino";
import { DEFAULT_TIME_ZONE } from "../../../domain/account.ts";
import type { Clock } from "../../../domain/clock.ts";
import { recommendedPlan } from "../../../domain/number-plan.ts";
import { dayInZone } from "../../../domain/schedule.ts";
import { record } from "../../audit/service.ts";
import type { Db } from "../../db/client.ts";
import { type Owner, ownerOf } from "../../db/owner.ts";
import type { IncomingMessage, LaneHost, Receipt, StateReport } from "../../transports/transport.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import { noteDelivered } from "../ledger/known-conversations.ts";
import { publishMoved } from "../ledger/mark-campaign.ts";
import { noteIncident } from "../ledger/number-incidents.ts";
import { beginPlan } from "../ledger/number-plans.ts";
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
  /** A number linked for the first time begins with the recommended plan. */
  plansNewNumbers?: boolean | undefined;
  clock: Pick<Clock, "now">;
  mayAct(): boolean;
  lost(): void;
  mark(accountId: string, topic: "campaigns" | "connections", id?: number): void;
};

/** The lane's database access for its transport; every write checks ownership. */
export class LaneConnection implements LaneHost {
  readonly connectionId: number;
  readonly accountId: string;
  readonly deviceId: string;
  readonly fence: number;
  readonly mayAct: () => boolean;
  readonly lost: () => void;
  readonly #deps: HostDeps;
  #storedPairing: string | null = null;

  constructor(deps: HostDeps) {
    this.#deps = deps;
    this.connectionId = deps.taken.connectionId;
    this.accountId = deps.taken.accountId;
    this.deviceId = deps.taken.deviceId;
    this.fence = deps.taken.fence;
    this.mayAct = deps.mayAct;
    this.lost = deps.lost;
  }

  /** Last stored pairing, for which earlier doubts are settled. */
  storedPairing(): string | null {
    return this.#storedPairing;
  }

  async report(state: StateReport): Promise<boolean> {
    const { mark } = this.#deps;
    const known = await this.#store(state);
    if (state.pairing !== undefined) this.#storedPairing = state.pairing;
    if (!known) this.lost();
    mark(this.accountId, "connections", this.connectionId);
    mark(this.accountId, "campaigns");
    return known;
  }

  async receipts(receipts: readonly Receipt[]): Promise<void> {
    const { db, messageKey, figures } = this.#deps;
    for (const { status } of receipts) figures?.receipt(status);
    await publishMoved(db, this.#deps, await settleReceipts(db, messageKey, receipts));
    await noteDelivered(db, this.connectionId, messageKey, receipts);
    await this.#deps.receipts?.record(this.connectionId, receipts);
  }

  async readElsewhere(messageIds: readonly string[]): Promise<void> {
    const { accountId, connectionId } = this;
    await this.#deps.receipts?.read({ accountId, connectionId }, messageIds);
  }

  messages(messages: readonly IncomingMessage[]): Promise<void> {
    const { accountId, connectionId } = this;
    return this.#deps.messages({ accountId, connectionId }, messages);
  }

  contentOf(messageId: string, current: string | null): ReturnType<LaneHost["contentOf"]> {
    return contentOf(this.#deps.db, this.#deps.messageKey, current, messageId);
  }

  #store(state: StateReport): Promise<boolean> {
    const { db, taken } = this.#deps;
    const owner = ownerOf(db, this.accountId);
    return db.transaction().execute(async (tx) => {
      const before = await writeState(tx, this.connectionId, this.fence, state);
      if (!before) return false;
      const paired = state.pairing ?? null;
      await recordState(owner.in(tx), before, state);
      await noteIncident(tx, this.connectionId, before.cause, state);
      if (this.#deps.plansNewNumbers && paired !== null && before.pairing === null)
        await this.#plan(owner.in(tx));
      const isNewPairing = paired !== null && before.pairing !== null && before.pairing !== paired;
      // A gateway's doubts are never resent, so the pairing does not matter.
      if (isNewPairing && taken.kind !== "instance") await doubtForHumans(tx, this.connectionId);
      return true;
    });
  }

  async #plan({ db, accountId }: Owner): Promise<void> {
    const { rows } = await sql<{ zone: string }>`select time_zone as zone from account
      where id = ${accountId}::uuid`.execute(db);
    const today = dayInZone(this.#deps.clock.now(), rows[0]?.zone ?? DEFAULT_TIME_ZONE);
    await beginPlan(db, this.connectionId, recommendedPlan(today));
  }
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
  const { state, cause = null, causeUntil = null, qr = null, pairingCode, newChats } = report;
  await sql`update connection set
      state_since = case when state = ${state} and state_reason is not distinct from ${cause}::text then state_since else now() end,
      state = ${state}, state_reason = ${cause}, state_reason_until = ${causeUntil},
      qr = ${qr?.text ?? null}, qr_expires_at = ${qr?.expiresAt ?? null},
      pairing_code = case when ${pairingCode === undefined && state === "pending"} then pairing_code else ${pairingCode?.text ?? null} end,
      pairing_code_expires_at = case when ${pairingCode === undefined && state === "pending"} then pairing_code_expires_at
        else ${pairingCode?.expiresAt ?? null} end,
      pairing = coalesce(${report.pairing ?? null}, pairing),
      new_chats = case when ${newChats === undefined} then new_chats else ${newChats ? JSON.stringify(newChats) : null}::jsonb end
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
