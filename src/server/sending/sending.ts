import type { SegmentRule } from "../../contract/audiences.ts";
import type { NumberPlan } from "../../domain/number-plan.ts";
import type { TypedVariable } from "../../domain/variables.ts";
import { scaled } from "../base/time-scale.ts";
import type { Database, Db } from "../db/client.ts";
import { type Changes, publishCampaign } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { IncomingMessage, Receipt } from "../transports/transport.ts";
import { forgetAbsence } from "./addresses/addresses.ts";
import type { HiddenListener } from "./addresses/hidden-addresses.ts";
import { findKnownNames, type HasChat } from "./addresses/known-names.ts";
import { readKnownPhone } from "./addresses/known-phone.ts";
import { campaignZones, deleteCampaigns, replaceZones } from "./campaigns/account-campaigns.ts";
import { connectionOf, GOES_THROUGH, SERVES_ALL } from "./campaigns/audience.ts";
import { countAudience, namesOfLine, plannedAudience } from "./campaigns/audience-count.ts";
import { type AskedAudience, findMissing } from "./campaigns/audience-people.ts";
import { watchBreaker } from "./campaigns/breaker.ts";
import { archiveCampaign, deletePeopleOfDeleted, unarchiveCampaign } from "./campaigns/campaign-archive.ts";
import * as status from "./campaigns/campaign-status.ts";
import * as totals from "./campaigns/campaign-totals.ts";
import * as campaignsTo from "./campaigns/campaigns-to.ts";
import { CONNECTED } from "./campaigns/connected.ts";
import * as erasing from "./campaigns/erase-person.ts";
import { watchLimits } from "./campaigns/limit.ts";
import * as notices from "./campaigns/notices.ts";
import { askNumberChecks, countNumberChecks } from "./campaigns/number-checks.ts";
import { type Ahead, countOften } from "./campaigns/often.ts";
import * as leaving from "./campaigns/opt-out.ts";
import * as optOutList from "./campaigns/opt-out-list.ts";
import type { CampaignPlanUse as PlanUse } from "./campaigns/plan-use.ts";
import { deleteRecorded, recorded } from "./campaigns/recorded-actions.ts";
import * as segments from "./campaigns/segments.ts";
import { watchUnconfirmed } from "./campaigns/unconfirmed.ts";
import { findPersonTexts, waitingForField } from "./campaigns/values.ts";
import { type DeliveryAction as Action, actOnDelivery } from "./doubts/delivery-actions.ts";
import { purgeOutgoing, recordOutgoing } from "./doubts/outgoing-messages.ts";
import { type Backlog, GATE_TIMES, type OpenBacklog } from "./lane/backlog-gate.ts";
import type { SendingFigures as Figures } from "./lane/figures.ts";
import { storeParts } from "./ledger/campaign-parts.ts";
import { noteTalks, storeDelivered, type Talk } from "./ledger/known-conversations.ts";
import { publishMoved } from "./ledger/mark-campaign.ts";
import { loadMessageKey } from "./ledger/message-key.ts";
import * as month from "./ledger/month-usage.ts";
import * as plans from "./ledger/number-plans.ts";
import { recount } from "./ledger/recount.ts";
import { countUnfinished, resendCounter } from "./ledger/resends.ts";
import * as signals from "./ledger/signals.ts";
import { LANE_TIMES } from "./ledger/timing.ts";
import * as unread from "./ledger/unread-opt-outs.ts";
import * as outbox from "./outbox/outbox.ts";
import { findDirectMessage, type StoredDirectMessage as StoredMessage } from "./outbox/stored.ts";
import * as waiter from "./outbox/waiter.ts";
import { releaseAllLanes } from "./ownership/acquire.ts";
import { type LanesDeps, openLanes } from "./ownership/lanes.ts";
import * as copy from "./ownership/restored.ts";
import { removeKeepingSessions } from "./ownership/seize.ts";
import * as suspension from "./ownership/suspension.ts";
import { hasWorkerAt, LIVING_WORKERS, livingWorkers, watchWorkers } from "./ownership/workers.ts";
import * as own from "./receipts/own-messages.ts";
import { recentIds, settleProviderReceipts } from "./receipts/provider-messages.ts";
import { applyReceipts } from "./receipts/provider-receipts.ts";
import { READS } from "./sql-parts.ts";

/*
 * All that other features may ask of sending; nothing else in this folder is imported from outside. What takes an
 * `Owner` acts for that account, in its running transaction if there is one, and throws `AppError`s.
 */

export type DeliveryAction = Action;
export type GatewayBacklog = Backlog;
export type OpenGatewayBacklog = OpenBacklog;
export type SendingFigures = Figures;
export type CampaignPlanUse = PlanUse;
export type Totals = totals.Totals;
export type Day = totals.Day;
export type EndedCampaign = notices.EndedCampaign;
export type PausedCampaign = notices.PausedCampaign;
export type DownConnection = notices.DownConnection;
export type OptOutRow = optOutList.OptOutRow;
export type OptOutPlace = optOutList.OptOutPlace;
export type OutboxTo = outbox.OutboxTo;
export type OutboxResult = outbox.OutboxResult;
export type StoredDirectMessage = StoredMessage;
export type OutboxGone = waiter.OutboxGone;
export type OutboxWaiter = waiter.OutboxWaiter;
export type Quieted = copy.Quieted;

/** Time for messages in flight when stopping. */
const LANE_GRACE_MS = 25_000;

export type SendingDeps = Omit<LanesDeps, "times" | "gateTimes" | "mark"> & {
  changes: Pick<Changes, "mark" | "publishAll">;
  /** Factor on all waiting times. */
  timeScale: number;
};

export type Sending = {
  /** Connections that this process owns, and those of them that are connected. */
  count(): { owned: number; connected: number };
  /** Claims nothing more, waits for messages in flight (25 s at most), then releases the lanes. */
  close(): Promise<void>;
  /** Ends the watches over limits, outcomes, unconfirmed messages and other processes. */
  stop(): Promise<void>;
};

/** Acquires connections and sends over them until closed; one a process. */
export async function openSending({ changes, timeScale, ...deps }: SendingDeps): Promise<Sending> {
  const { log } = deps;
  const { db } = deps.database;
  const lanes = await openLanes({
    ...deps,
    times: scaled(LANE_TIMES, timeScale),
    gateTimes: scaled(GATE_TIMES, timeScale),
    mark: (accountId, topic, id) => changes.mark(accountId, topic, id),
  });
  const paused = (one: { accountId: string; campaignId: number }) => publishCampaign(changes, one, true);
  const failed = (what: string) => (error: unknown) => log.warn({ err: error }, what);
  const watches = [
    watchLimits(db, paused, failed("limits not looked at")),
    watchUnconfirmed(db, paused, failed("unconfirmed campaigns not looked at")),
    watchBreaker(db, paused, failed("campaigns not judged")),
    watchWorkers(db, () => changes.publishAll(), failed("workers that ended not looked for")),
  ];
  return {
    count: () => lanes.count(),
    close: () => lanes.close(LANE_GRACE_MS),
    stop: async () => void (await Promise.all(watches.map((watch) => watch.close()))),
  };
}

/**
 * Waits for outcomes of direct messages. `changed` is called with the id of each message of any account that
 * changed its state.
 */
export function openOutbox(database: Database, changed?: (outboxId: number) => void): Promise<OutboxWaiter> {
  return waiter.openOutboxWaiter(database, changed);
}

/**
 * Campaigns of an account. Changes are recorded in the audit and throw `not_found`, `campaign_wrong_state`;
 * those that send also `campaign_list_empty`, `campaign_connection_required`, `campaign_no_default_connection`,
 * `limit_reached`, `monthly_limit_reached`, `account_suspended`.
 */
export function campaignsOf(owner: Owner) {
  const { db, accountId } = owner;
  return {
    /** Until the transaction ends nothing else changes it. Includes deleted ones, whose row stays. */
    lock: (id: number) => status.lockCampaign(owner, id, { deleted: true }),
    /** The files after the first message of a draft, in the transaction that writes it. */
    storeParts: (id: number, attachmentIds: readonly number[]) => storeParts(owner, id, attachmentIds),
    /** People who failed after some of several messages, by campaign. */
    countUnfinished: (ids: readonly number[]) => countUnfinished(owner, ids),
    /** After `undoS` seconds, in which `undoStart` makes it a draft again. */
    start: (id: number, undoS = 0) =>
      recorded(owner, id, undoS > 0 ? "campaign_scheduled" : "campaign_started", (tx) =>
        status.requestStart(tx, id, undoS),
      ),
    undoStart: (id: number) => recorded(owner, id, "campaign_undone", status.undoStart),
    /** Checks what can be checked before its time; the row says when. */
    schedule: (id: number) => recorded(owner, id, "campaign_scheduled", status.refuseFullAudience),
    pause: (id: number) => recorded(owner, id, "campaign_paused", status.pauseCampaign, { cause: "user" }),
    resume: (id: number) => recorded(owner, id, "campaign_resumed", (tx) => status.resumeCampaign(tx, id)),
    resumeDespite: (id: number, reason: string) =>
      recorded(owner, id, "campaign_resumed", (tx) => status.resumeCampaign(tx, id, reason), { reason }),
    /** Starts one whose time passed while the server was off. */
    confirmMissed: (id: number) => recorded(owner, id, "campaign_resumed", status.confirmMissed),
    /** Ends one that waits only for confirmations. */
    finish: (id: number) => recorded(owner, id, "campaign_finished", status.finishCampaign),
    cancel: (id: number) => recorded(owner, id, "campaign_cancelled", status.cancelCampaign),
    archive: (id: number) => recorded(owner, id, "campaign_archived", archiveCampaign),
    unarchive: (id: number) => recorded(owner, id, "campaign_unarchived", unarchiveCampaign),
    /** Throws `campaign_still_writing` while people of it or of a resend wait. */
    delete: (id: number) => deleteRecorded(owner, id),
    /**
     * Sends to the failed people again; returns the id of the new campaign, or of a pending resend. Throws
     * `campaign_changed` when `through`, the chosen connection, was removed, and `campaign_nothing_to_resend`.
     */
    resend: (id: number, through?: number) => status.createResend(owner, id, through),
    /** A person settles one doubt; `shownAt`: the attempt they saw. Errors: `actOnDelivery`. */
    resolve: (id: number, seq: number, action: DeliveryAction, shownAt?: string) =>
      actOnDelivery(owner, id, seq, action, shownAt),
    /** The connection that would serve: the given one, or for null the default. */
    servingConnection: (connectionId: number | null) => connectionOf(db, { accountId, connectionId }),
    /** Waits for starts, one by one, before all campaigns of a connection, list or account are locked. */
    awaitStarts: (of: { connectionId: number } | { listId?: number } = {}) =>
      status.awaitStarts(db, "connectionId" in of ? of : { accountId, ...of }),
    /** Locks all of a list. Call before the list is locked. */
    lockOfList: (listId: number) => status.lockCampaignsOfList(owner, listId),
    /** Pauses all that a connection would send. */
    pauseThrough: (connectionId: number, cause: string) => status.pauseCampaignsOf(db, connectionId, cause),
    /** Those that reached for a phone, newest first. */
    to: (phone: string, before: campaignsTo.Before | null, limit: number) =>
      campaignsTo.findCampaignsTo(owner, phone, before, limit),
    countTo: (phone: string) => campaignsTo.countCampaignsTo(owner, phone),
    waitingForField: (key: string) => waitingForField(owner, key),
    /** Sums over one campaign, or all. */
    totals: (id?: number) => totals.findTotals(owner, id),
    days: (id?: number) => totals.findDays(owner, id),
    sentDays: (from: string, to: string) => totals.findSentDays(owner, from, to),
  };
}

/** Counts the people that a resend of each campaign would reach; remembers counts until they can change. */
export function openResendCounter() {
  return resendCounter();
}

/** Messages outside campaigns: from programs, chats, assistants and tests. */
export function directMessagesOf(owner: Owner) {
  return {
    /**
     * Stores a message and wakes its lane. A repeated key returns the stored one (`existing`). Throws
     * `idempotency_mismatch` for another content under the key, `not_found` for a connection of others.
     */
    enqueue: (message: outbox.NewOutboxMessage) => outbox.enqueue(owner, message),
    cancelScheduled: (id: number) => outbox.cancelScheduled(owner, id),
    /** `key`: its idempotency key. */
    find: (which: { id: number } | { key: string }) => findDirectMessage(owner, which),
    to: (names: erasing.ErasedNames, after: number, limit: number) =>
      erasing.findDirectTo(owner, names, after, limit),
    /** Ends the assistant's answers that surely were not sent. */
    withdrawAnswers: (of: { ids: readonly number[] } | { connectionId: number }) =>
      outbox.withdrawAnswers(owner, of),
  };
}

/** People who must get no more campaigns. `at`: the entry that was shown; another one is left alone. */
export function optOutsOf(owner: Owner) {
  return {
    /** Leaves them out of all campaigns at once; null: they are already. */
    add: (person: leaving.OptedOut) => leaving.optOut(owner, person),
    /** Locks the campaigns of several people before each is added in one transaction. */
    hold: (phones: readonly string[]) => leaving.holdCampaignsOf(owner, phones),
    /** In a running transaction. Returns the row for `restore`, or null when there is none to withdraw. */
    withdraw: (phone: string, at: Date | null = null) => leaving.withdrawOptOut(owner, phone, at),
    restore: (row: leaving.OptOutCopy) => leaving.restoreOptOut(owner, row),
    /** A doubtful one was meant; null when no decision is open. */
    confirm: (phone: string, at: Date | null = null) => leaving.confirmLeaving(owner, phone, at),
    /** A page, newest first, with saved names. */
    list: (wanted: optOutList.WantedOptOuts) => optOutList.findOptOuts(owner, wanted),
    find: (phone: string) => optOutList.findOptOut(owner, phone),
    count: () => optOutList.countOptOuts(owner),
    addressesOf: (phone: string) => erasing.findAddressesOf(owner, phone),
    traces: (names: erasing.ErasedNames) => erasing.countTraces(owner, names),
    erase: (names: erasing.ErasedNames, list: erasing.RenamedList) => erasing.erasePerson(owner, names, list),
  };
}

/** `changed`: the connection's row or campaigns did; `poke`: its gateway may answer again; `files`: to fetch. */
export type Wake = "changed" | "poke" | "files" | { typingTo: string } | { groupName: string };

/**
 * Wakes the process that owns the connection, when the transaction commits. Lost wakes cost a second, but
 * `typingTo` and `groupName` (WhatsApp addresses) are asked once.
 */
export function wake(db: Db, connectionId: number, why: Wake = "changed"): Promise<void> {
  if (why === "changed") return signals.wakeLane(db, connectionId);
  if (why === "poke") return signals.pokeLane(db, connectionId);
  if (why === "files") return signals.askFiles(db, connectionId);
  if ("typingTo" in why) return signals.showTyping(db, connectionId, why.typingTo);
  return signals.askGroupName(db, connectionId, why.groupName);
}

/** Who gets campaigns: segments of an account's people, and counts before a start freezes them. */
export function audienceOf(owner: Owner) {
  return {
    segments: () => segments.findSegments(owner),
    /** Lists and campaigns of rules that are gone. */
    goneIn: (rules: readonly SegmentRule[]) => segments.findGoneIn(owner, rules),
    /** Null: another segment has the name. Throws `not_found`, `too_many_segments`. */
    storeSegment: (segment: Parameters<typeof segments.storeSegment>[1]) =>
      segments.storeSegment(owner, segment),
    /** Throws `not_found`, `segment_in_use`. */
    deleteSegment: (id: number) => segments.deleteSegment(owner, id),
    segmentWithField: (key: string) => segments.segmentWithField(owner, key),
    countMeeting: (rule: SegmentRule) => segments.countMeeting(owner, rule),
    /** `field` of what the audience names and is gone; null: all is there. */
    findMissing: (audience: AskedAudience) => findMissing(owner, audience),
    count: (question: AskedAudience) => countAudience(owner, question),
    /** Use of the number's plan; null: it has none, or no connection serves. Throws `not_found`. */
    planned: (question: AskedAudience) => plannedAudience(owner, question),
    countNumberChecks: (question: AskedAudience) => countNumberChecks(owner, question),
    /** Throws `number_checks_refused`. */
    askNumberChecks: (question: AskedAudience) => askNumberChecks(owner, question),
    textsOfPerson: (phone: string, variables: readonly TypedVariable[]) =>
      findPersonTexts(owner, phone, variables),
    names: (question: AskedAudience, line: string) => namesOfLine(owner, question, line),
    /** Reached by three campaigns within seven days; null: too many. */
    countOften: (now: Date, ahead: readonly Ahead[]) => countOften(owner, now, ahead),
  };
}

/** For an account's usage, and for suspending, resuming and closing it. */
export function accountSendingOf(owner: Owner) {
  return {
    /** Accepted messages by month of an IANA zone, newest first, and when the current one ends. */
    usage: (zone: string, now: Date) => month.usageOf(owner, zone, now),
    /** After the suspension's commit: pauses running campaigns until a person resumes them. Returns their number. */
    pauseAll: () => suspension.stopSending(owner),
    /** Of a closed account: ends all campaigns. */
    cancelAll: () => suspension.cancelAll(owner),
    /** Of a closed account, after their deliveries were deleted in parts. */
    deleteCampaigns: () => deleteCampaigns(owner),
    /** Connections that a process still owns. */
    countOwned: () => suspension.countOwned(owner),
    /** Ends waiting direct messages, which would surprise people days later. Returns their number. */
    endDirectMessages: () => suspension.endWaitingSingles(owner),
    /** Lets processes acquire its connections again. */
    wakeAll: () => suspension.wakeConnections(owner),
  };
}

/** Connections as the numbers that messages go through. */
export function numbersOf(owner: Owner) {
  return {
    /** Deletes them without ending their sessions at WhatsApp. `also` runs in the commit that stops them. */
    remove: (connectionIds: readonly number[], also: (inside: Owner) => Promise<void>) =>
      removeKeepingSessions(owner, connectionIds, also),
    /** In the transaction that makes the connection. */
    beginPlan: (connectionId: number, plan: NumberPlan) => plans.beginPlan(owner.db, connectionId, plan),
    storePlan: (connectionId: number, plan: NumberPlan | null) => plans.storePlan(owner, connectionId, plan),
    readPlan: (connectionId: number) => plans.readPlan(owner, connectionId),
    plans: () => plans.findPlans(owner),
    /** New conversations since an instant (epoch ms), by local day. */
    coldByDay: (connectionId: number, zone: string, since: number) =>
      plans.coldByDay(owner, connectionId, zone, since),
    coldByUse: (connectionId: number, since: number) => plans.coldByUse(owner, connectionId, since),
  };
}

/** Reads a typed phone; digits of a known foreign person mean that person. Chat's function knows `hasChat`. */
export function readRecipient(
  owner: Owner,
  typed: string,
  hasChat: HasChat,
): ReturnType<typeof readKnownPhone> {
  return readKnownPhone(owner, typed, hasChat);
}

/** What the intake of a connection's messages asks and reports, in its running transaction. */
export function intakeOf(owner: Owner, connectionId: number) {
  const { db, accountId } = owner;
  return {
    /** Owners of WhatsApp addresses, latest last. */
    findNames: (addresses: readonly string[], hasChat: HasChat) =>
      findKnownNames(owner, connectionId, addresses, hasChat),
    /** Phones that wrote are on WhatsApp, whatever a look-up said. */
    forgetAbsence: (phones: readonly string[]) => forgetAbsence(db, { accountId, connectionId }, phones),
    /** Who wrote, or was answered by a human. Call last: no lock of the ledger may follow. */
    noteTalks: (talks: readonly Talk[]) => noteTalks(db, connectionId, talks),
    /** Those of these message ids that sending made. */
    findOwnIds: (key: Uint8Array, ids: readonly string[]) => own.findOwnIds(db, key, connectionId, ids),
    findSentAs: (key: Uint8Array, ids: readonly string[]) => own.findSentAs(db, key, connectionId, ids),
    /** Those made over `twins`, other connections of the same number. */
    findTwinIds: (key: Uint8Array, ids: readonly string[], twins: readonly number[]) =>
      own.findTwinIds(db, key, twins, ids),
    /** Those that are in flight under an id not known yet. */
    findOwnOutgoing: <E extends own.Echo>(echoes: readonly E[]) =>
      own.findOwnOutgoing(db, connectionId, echoes),
  };
}

/** What gateways report about messages of ours; idempotent, in any order. */
export function gatewayReports({
  db,
  changes,
  hidden,
}: {
  db: Db;
  changes: Pick<Changes, "mark">;
  hidden: HiddenListener;
}) {
  const publish = (moved: Parameters<typeof publishMoved>[2]) => publishMoved(db, changes, moved);
  return {
    /** Applies receipts; those of unknown ids are kept and tried again. */
    settle: async (connectionId: number, receipts: readonly Receipt[]) =>
      publish(await settleProviderReceipts(db, connectionId, receipts, hidden)),
    /** Applies receipts of known ids. */
    settleKnown: async (connectionId: number, receipts: readonly Receipt[]) =>
      publish((await applyReceipts(db, connectionId, receipts, hidden)).changed),
    /** Stores messages sent through the gateway whose ids are unknown: their answer may have been lost. */
    recordOutgoing: (connectionId: number, messages: readonly IncomingMessage[]) =>
      recordOutgoing(db, connectionId, messages),
  };
}

/** The installation's own work: at a start, in jobs, for health and backups. */
export function upkeepOf(db: Db) {
  return {
    /** Key of message ids; made at the first start. */
    messageKey: () => loadMessageKey(db),
    /** Only for a database without other processes: old leases need not expire. */
    releaseAll: () => releaseAllLanes(db),
    countWorkers: () => livingWorkers(db),
    hasWorkerAt: (dataFolder: string) => hasWorkerAt(db, dataFolder),
    /** Campaigns of the last `days` whose counters differ from their people. */
    recount: (days: number) => recount(db, days),
    /** What is too old to be matched or counted. */
    prune: async () => {
      await plans.purgeCold(db);
      await purgeOutgoing(db);
    },
    /** People of deleted campaigns, `limit` rows a commit, until `enough`. */
    deletePeople: (limit: number, enough: () => boolean) => deletePeopleOfDeleted(db, limit, enough),
    zones: () => campaignZones(db),
    /** Campaigns in one of `zones` get their account's; instants stay. Returns their ids. */
    replaceZones: (zones: readonly string[]) => replaceZones(db, zones),
    /** Ends the sessions of connections whose credentials cannot be read. */
    endSessions: (connectionIds: readonly number[]) => copy.endSessions(db, connectionIds),
    /** In a restored copy whose original may go on: stops everything, with reasons. */
    quiet: () => copy.quietSending(db),
    /** The original is off: connections go on, campaigns wait for people. */
    wakeQuieted: () => copy.wakeSending(db),
  };
}

/** SQL that other features' statements hold; `c` is their campaign, `k` its connection. */
export function sqlParts() {
  return {
    ...READS,
    /** Id of the connection of `c`; while it starts on «Conexão padrão», the one that this resolves to. */
    connectionId: GOES_THROUGH,
    /** Whether `k` brings the messages of `c` to people now; null without `k`. */
    connected: CONNECTED,
    /** Of a row of `connection`: it may serve campaigns without a connection of their own. */
    servesAll: SERVES_ALL,
    /** Statements: what people hear of by e-mail. */
    endedSince: notices.endedSince,
    pausedSince: notices.pausedSince,
    downSince: notices.downSince,
    deliveriesLimit: totals.DELIVERIES,
    waitingCampaignsLimit: totals.WAITING_CAMPAIGNS,
    /** Figures of all accounts. */
    currentCampaigns: totals.CURRENT_CAMPAIGNS,
    livingWorkers: LIVING_WORKERS,
    countOnTheWay: outbox.countOnTheWay,
    hasStarted: totals.hasStarted,
    /** A test of a campaign arrived at WhatsApp. */
    hasTested: outbox.hasTested,
    /** Statement: people of these rows (address, at) know this number. */
    delivered: storeDelivered,
    /** Rows (event_id, account_id, address). */
    unreadEvents: unread.UNREAD_EVENTS,
    keepUnread: unread.keepUnread,
    recentIds,
  };
}
