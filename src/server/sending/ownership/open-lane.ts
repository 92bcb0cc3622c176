import { setTimeout as pause } from "node:timers/promises";
import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import { callAfter } from "../../base/clock.ts";
import type { Database } from "../../db/client.ts";
import { publishCampaign } from "../../db/live-updates.ts";
import type { IncomingMessage, LaneTransport, OpenTransport } from "../../transports/transport.ts";
import { AcceptedIds } from "../lane/accepted-ids.ts";
import {
  BacklogGate,
  type EventsProcessedCheck,
  GATE_TIMES,
  type GateTimes,
  type OpenBacklog,
} from "../lane/backlog-gate.ts";
import type { SendingFigures } from "../lane/figures.ts";
import { Lane } from "../lane/lane.ts";
import { LaneConnection, type OtherReceipts } from "../lane/lane-host.ts";
import type { ReadFile } from "../lane/media.ts";
import { ownPhoneOf } from "../lane/recipient-breaker.ts";
import type { AcquiredConnection } from "../ledger/acquired-connection.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import { type Accepted, storeAccepted } from "../receipts/provider-messages.ts";
import type { Changed } from "../receipts/provider-receipts.ts";
import { joinReceipts } from "../receipts/receipt-inbox.ts";

export type OpenLaneDeps = {
  database: Database;
  open: { device: OpenTransport; instance?: OpenTransport };
  messages(
    at: { accountId: string; connectionId: number },
    messages: readonly IncomingMessage[],
  ): Promise<void>;
  /** Ids unknown to sending belong to messages typed on the phone. */
  receipts?: OtherReceipts;
  figures?: SendingFigures | undefined;
  clock: Clock;
  random: () => number;
  log: Logger;
  times: LaneTimes;
  messageKey: Buffer;
  readFile: ReadFile;
  eventsProcessed?: EventsProcessedCheck;
  openBacklog?: OpenBacklog;
  gateTimes?: GateTimes;
  resend: "same-id" | "never";
  plansNewNumbers?: boolean | undefined;
  mark(accountId: string, topic: "campaigns" | "connections", id?: number): void;
};

/** What the owner of the lane does for it. */
export type LaneOwner = {
  mayAct(): boolean;
  /** The ownership is lost, or the lane ended by itself. */
  lost(): void;
  /** Absent before it is held and after it was dropped. */
  lane(): Lane | undefined;
  publish(changed: readonly Changed[]): void;
  failed(error: unknown): void;
};

export type HeldLane = {
  taken: AcquiredConnection;
  transport: LaneTransport;
  lane: Lane;
  gate: BacklogGate;
  ending: boolean;
};

/** Opens the transport of an acquired connection and runs its lane. */
export async function openLane(
  deps: OpenLaneDeps,
  taken: AcquiredConnection,
  owner: LaneOwner,
): Promise<HeldLane> {
  const { db } = deps.database;
  const host = new LaneConnection({ ...deps, db, taken, mayAct: owner.mayAct, lost: owner.lost });
  const open = taken.kind === "instance" ? deps.open.instance : deps.open.device;
  if (!open) throw new Error(`nothing opens connections of kind ${taken.kind}`);
  const transport = await open(host);
  const gate = openGate(deps, taken, transport, owner);
  const lane = runLane(deps, taken, { transport, gate, host, owner });
  return { taken, transport, lane, gate, ending: false };
}

function openGate(
  deps: OpenLaneDeps,
  { accountId, connectionId, kind }: AcquiredConnection,
  transport: LaneTransport,
  { lane }: LaneOwner,
): BacklogGate {
  return new BacklogGate({
    accountId,
    connectionId,
    clock: deps.clock,
    log: deps.log,
    lane,
    transport,
    eventsProcessed: deps.eventsProcessed,
    openBacklog: kind === "instance" ? deps.openBacklog : undefined,
    wait: (ms) => pause(ms, null, { ref: false }),
    times: deps.gateTimes ?? GATE_TIMES,
  });
}

type LaneParts = { transport: LaneTransport; gate: BacklogGate; host: LaneConnection; owner: LaneOwner };

function runLane(deps: OpenLaneDeps, taken: AcquiredConnection, parts: LaneParts): Lane {
  const { transport, gate, host, owner } = parts;
  const { connectionId, accountId, fence, kind } = taken;
  const isGateway = kind === "instance";
  return new Lane({
    connectionId,
    fence,
    db: deps.database.db,
    prepared: deps.database.prepared,
    transport,
    clock: deps.clock,
    after: callAfter,
    random: deps.random,
    log: deps.log,
    times: deps.times,
    messageKey: deps.messageKey,
    readFile: deps.readFile,
    accepted: isGateway ? new AcceptedIds((list) => storeIds(deps, connectionId, list, owner)) : undefined,
    figures: deps.figures && { kind, attempted: deps.figures.attempted },
    book: isGateway ? accountId : null,
    hidden: deps.receipts?.hidden,
    resendsDoubts: deps.resend === "same-id",
    mayAct: owner.mayAct,
    optOutsKnown: () => gate.isOpen(),
    doubtsSettled: () => host.storedPairing() === transport.pairing(),
    ownPhone: () => ownPhoneOf(taken, transport.pairing()),
    changed: (account, campaignId, over) => publishCampaign(deps, { accountId: account, campaignId }, over),
    ended: owner.lost,
  });
}

async function storeIds(
  { database, receipts }: OpenLaneDeps,
  connectionId: number,
  list: readonly Accepted[],
  { publish, failed }: LaneOwner,
): Promise<void> {
  const received = await storeAccepted(database.prepared, connectionId, list);
  if (received.length > 0)
    joinReceipts(database.db, connectionId, received, receipts?.hidden).then(publish, failed);
}
