import { randomInt } from "node:crypto";
import type { Logger } from "pino";
import type { Clock } from "../../domain/clock.ts";
import { confirmingOf, type EmailConfirmations, emailConfirmations } from "../accounts/email-confirmation.ts";
import { accountExporter } from "../accounts/export.ts";
import { knownBrowsers } from "../accounts/known-browsers.ts";
import { type AccountLimits, accountGuard } from "../accounts/limits.ts";
import { argon2idHasher, boundedHasher } from "../accounts/password.ts";
import { type ProveSession, sessionProof } from "../accounts/prove-session.ts";
import { ACCOUNT_CLOSED, AccountRemoval } from "../accounts/removal.ts";
import { PasswordResets } from "../accounts/reset.ts";
import { AccountService } from "../accounts/service.ts";
import { type SessionEnds, watchSessionEnds } from "../accounts/session-ends.ts";
import { AccountSettings } from "../accounts/settings.ts";
import { keepTerms, loadTerms } from "../accounts/terms.ts";
import { repairTimeZones } from "../accounts/time-zones.ts";
import { type Agents, openAgents } from "../agents/agents.ts";
import { ANSWER_TIMES } from "../agents/assistant.ts";
import { type AuditService, auditService } from "../audit/service.ts";
import type { Config } from "../base/config.ts";
import { CONFIRM_KEY, RESET_KEY } from "../base/link-token.ts";
import { scaled } from "../base/time-scale.ts";
import { pruneCampaigns } from "../campaigns/forget.ts";
import { CampaignService } from "../campaigns/service.ts";
import { type TestSendService, testSendService } from "../campaigns/test-send.ts";
import { groupNamer } from "../chat/group-names.ts";
import { hiddenNamer } from "../chat/hidden.ts";
import { phoneReceipts } from "../chat/receipts.ts";
import { messageReceiver } from "../chat/receive.ts";
import { sentWatch } from "../chat/sent-watch.ts";
import { ChatService } from "../chat/service.ts";
import { ConnectionService } from "../connections/service.ts";
import { pruneImports, pruneNotedRows } from "../contacts/forget.ts";
import { contactImporter } from "../contacts/importer.ts";
import { type ContactService, contactService } from "../contacts/service.ts";
import { openSpool } from "../contacts/spool.ts";
import { type DashboardService, dashboardService } from "../dashboard/service.ts";
import { type Changes, openLiveUpdates } from "../db/live-updates.ts";
import { keepServicePolicy } from "../db/operator-services.ts";
import { type Owner, ownerOf } from "../db/owner.ts";
import { PageStatements } from "../db/page-statements.ts";
import { openUndo } from "../db/undo.ts";
import { openWorkSignals, type WorkSignals } from "../db/work-signals.ts";
import { PictureTurns } from "../files/picture-turns.ts";
import { type FileService, fileService } from "../files/service.ts";
import { UploadFolder } from "../files/upload-folder.ts";
import { GAP_TIMES } from "../gateways/gap-check.ts";
import { type Gateways, openGateways } from "../gateways/gateways.ts";
import { RELAY_TIMES } from "../gateways/relay.ts";
import { openWebhooks, type Webhooks } from "../gateways/webhooks.ts";
import { openJobs, type ScheduledJob } from "../jobs/boss.ts";
import { Downloads } from "../jobs/downloads.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { type Purpose, readPrivateHosts } from "../net/addresses.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { type NotificationsFeature, openNotifications } from "../notifications/notifications.ts";
import { type OptOutService, optOutService } from "../opt-outs/service.ts";
import type { Storage } from "../postgres/storage.ts";
import { type SearchService, searchService } from "../search/service.ts";
import { gatewayReports, openOutbox, type SendingFigures, upkeepOf, wake } from "../sending/sending.ts";
import type { Receipt } from "../transports/transport.ts";
import { type UsageService, usageService } from "../usage/service.ts";
import { composeSending } from "./compose-sending.ts";
import { outwardAccess } from "./outward-access.ts";

const ANSWER_MS = 90_000;
const OWNER_MS = 15_000;
/** After this time the page shows the test's status instead. */
const TEST_ANSWER_MS = 5_000;
/** Per gateway: a send on a reconnecting instance blocks for a minute and must not delay others. */
const INSTANCE_CONNECTIONS = 128;
/** Per host: many accounts forward to the same few hosts. */
const WEBHOOK_CONNECTIONS = 128;
const LOST_JOBS_S = 30;

/** Below the pool size, so that sign-ins and exports get a connection. */
const STATEMENTS = { running: 8, runningOfAccount: 4, waitingOfAccount: 200 };

/** A search occupies a database CPU for seconds; some are left for sending. */
const SEARCHES = { running: 4, runningOfAccount: 2, waitingOfAccount: 40 };

export type Waits = { answerMs: number; ownerMs: number; testMs: number };
const WAITS: Waits = { answerMs: ANSWER_MS, ownerMs: OWNER_MS, testMs: TEST_ANSWER_MS };

export type ServiceDeps = {
  config: Config;
  storage: Storage;
  clock: Clock;
  log: Logger;
  figures?: SendingFigures | undefined;
  outdated?: () => Promise<boolean>;
  statementFailed?: ((code: string | null) => void) | undefined;
  /** For tests; the environment sets neither. */
  limits?: AccountLimits;
  waits?: Waits;
};

export type Services = {
  accounts: AccountService;
  agents: Agents;
  audit: AuditService;
  campaigns: CampaignService;
  changes: Changes;
  chats: ChatService;
  connections: ConnectionService;
  contacts: ContactService;
  files: FileService;
  gateways: Gateways;
  notifications: NotificationsFeature;
  settings: AccountSettings;
  resets: PasswordResets;
  confirmations: EmailConfirmations;
  prove: ProveSession;
  removal: AccountRemoval;
  exportAccount(owner: Owner): Promise<Response>;
  testSends: TestSendService;
  usage: UsageService;
  dashboard: DashboardService;
  optOuts: OptOutService;
  search: SearchService;
  sessionEnds: SessionEnds;
  webhooks: Webhooks;
  queues: FairQueues;
  statements: PageStatements;
  lanes(): { owned: number; connected: number };
  streams(): number;
  /** Otherwise the HTTP server would wait for open streams. */
  endStreams(): Promise<void>;
  /** Claims nothing more and releases the lanes after sends in flight. Requests may still run. */
  stopSending(): Promise<void>;
  standStill(): Promise<void>;
  stop(): Promise<void>;
};

export async function composeServices(deps: ServiceDeps): Promise<Services> {
  const { config, storage, clock, log, limits, waits = WAITS } = deps;
  const { database, pages, secrets } = storage;
  const terms = loadTerms(config.termsFile);
  const termsInEnglish = loadTerms(config.termsFile, "en");
  for (const each of [terms, termsInEnglish]) await keepTerms(database.db, each);
  await repairTimeZones(database.db, log);
  if (config.process !== "worker") await keepServicePolicy(database.db, config.services);
  const changes = await openLiveUpdates(database, log);
  // A crashed predecessor may not have published its last changes.
  if (storage.kind === "external" && config.process !== "worker") await changes.publishAll();
  // Work for a worker is committed before its signal.
  const works = config.process !== "web";
  const signals = await openWorkSignals(database, log, works);
  const queues = new FairQueues(clock);
  const statements = new PageStatements({
    database: pages,
    turns: queues.open({ name: "statements", ...STATEMENTS }),
    searches: queues.open({ name: "searches", ...SEARCHES }),
    failed: deps.statementFailed,
  });
  const downloads = new Downloads(queues);
  const jobs = await openJobs(database, log, LOST_JOBS_S * config.timeScale, { works, signals });

  // e-mail
  const notifications = await openNotifications({
    database,
    secrets,
    clock,
    log,
    queues,
    publicUrl: config.publicUrl,
    mail: config.mail,
    works,
  });

  // accounts
  const sessionEnds = await watchSessionEnds(database);
  const hasher = boundedHasher(argon2idHasher);
  const guard = accountGuard(pages, limits, clock);
  const emails = notifications.accountEmails;
  const confirmations = emailConfirmations({
    db: database.db,
    clock,
    log,
    guard,
    emails,
    changes,
    key: secrets.derive(CONFIRM_KEY),
    by: confirmingOf(config),
  });
  const browsers = knownBrowsers(
    secrets.derive("known browsers"),
    config.publicUrl?.startsWith("https:") ?? false,
  );
  const accounts = new AccountService({
    database: pages,
    clock,
    log,
    secret: secrets.derive("session cookie").toString("base64url"),
    publicUrl: config.publicUrl,
    terms,
    termsInEnglish,
    hasher,
    guard,
    confirmations,
    signup: config.signup,
    watch: { browsers, emails },
    mail: config.mail !== null,
  });

  const hostsFor = (purpose: Purpose) => readPrivateHosts(config.privateHosts, purpose);

  // settings
  const prove = sessionProof({ hasher, guard, clock });
  const revoking = { outward: outwardAccess, setHooks: () => jobs.runNow("set-webhooks") };
  const settings = new AccountSettings({
    hasher,
    guard,
    clock,
    emails,
    changes,
    log,
    confirmations,
    prove,
    ...revoking,
    apiKeySecret: secrets.derive("API keys"),
  });
  const resets = new PasswordResets({
    db: pages.db,
    clock,
    log,
    hasher,
    guard,
    emails,
    browsers,
    ...revoking,
    key: secrets.derive(RESET_KEY),
    // Never from the request: links must lead to our own address.
    configured: config.mail !== null && config.publicUrl !== null,
  });
  const usage = usageService({ clock, planOf: (owner) => accounts.planOf(owner) });

  // agents
  const agents = await openAgents({
    database,
    secrets,
    clock,
    log,
    changes,
    queues,
    role: { works, signals },
    privateHosts: hostsFor("mistral"),
    operator: config.mistral,
    times: scaled(ANSWER_TIMES, config.timeScale),
  });

  // files, connections and sending
  const opened = (purpose: Purpose, connections?: number) =>
    openGuardedFetch({ privateHosts: hostsFor(purpose), ...(connections ? { connections } : {}) });
  const fetches = {
    picture: opened("picture"),
    gateway: opened("gateway"),
    instance: opened("gateway", INSTANCE_CONNECTIONS),
    missed: opened("gateway", WEBHOOK_CONNECTIONS),
    relay: opened("relay", WEBHOOK_CONNECTIONS),
  };
  const pictureTurns = new PictureTurns(queues);
  const uploads = new UploadFolder(storage.dataFolder);
  await uploads.sweep(clock.now());
  const files = fileService({ guardedFetch: fetches.picture, turns: pictureTurns, uploads, clock });
  const outbox = await openOutbox(database, sentWatch({ db: database.db, changes, log }));
  const connections = new ConnectionService({
    changes,
    files,
    outbox,
    answerMs: waits.answerMs,
    ownerMs: waits.ownerMs,
  });
  // The embedded database has no other process, so old leases need not expire.
  const upkeep = upkeepOf(database.db);
  if (storage.kind === "embedded") await upkeep.releaseAll();
  const messageKey = await upkeep.messageKey();
  const optOuts = optOutService({ changes, undo: openUndo({ secrets, clock }) });
  const assistant = agents.forChats;
  const phone = phoneReceipts({ db: database.db, changes, messageKey });
  const messages = messageReceiver({
    db: database.db,
    clock,
    log,
    changes,
    files,
    messageKey,
    assistant,
    receipts: phone,
    optOut: optOuts.replied,
  });
  const hidden = hiddenNamer({ db: database.db, changes, assistant, optOut: optOuts.replied });
  const spool = openSpool(storage.dataFolder);
  const reports = gatewayReports({ db: database.db, changes, hidden });
  const intake = { receiveMessages: messages, recordOutgoing: reports.recordOutgoing };
  const settleKnownReceipts = async (connectionId: number, receipts: readonly Receipt[]) => {
    await reports.settleKnown(connectionId, receipts);
    await phone.record(connectionId, receipts);
  };
  const sending = works
    ? await composeSending({
        config,
        storage,
        clock,
        log,
        changes,
        queues,
        messages,
        messageKey,
        instanceFetch: fetches.instance,
        groupNamed: groupNamer({ db: database.db, changes }),
        receipts: { ...phone, hidden },
        intake: { ...intake, settleReceipts: settleKnownReceipts },
        figures: deps.figures,
        ...(deps.outdated ? { outdated: deps.outdated } : {}),
        dataFolder: spool.folderId,
      })
    : null;

  // gateways
  const gateways = await openGateways({
    database,
    secrets,
    clock,
    log,
    changes,
    connections,
    config,
    pictureTurns,
    guardedFetch: fetches.gateway,
    relayGuard: fetches.relay,
    pictureFetch: fetches.picture,
    links: async (owner) => (await agents.links.list(owner)).links,
  });
  const webhooks = await openWebhooks({
    database,
    secrets,
    clock,
    log,
    changes,
    queues,
    guardedFetch: fetches.relay,
    gatewayFetch: fetches.missed,
    ...intake,
    settleKnownReceipts,
    settleReceipts: async (connectionId, receipts) => {
      await reports.settle(connectionId, receipts);
      await phone.record(connectionId, receipts);
    },
    readElsewhere: phone.read,
    leaveOut: ({ accountId, connectionId }, person, text) =>
      optOuts.replied(ownerOf(database.db, accountId), { phone: person, text, doubtful: true, connectionId }),
    poke: (db, connectionId) => wake(db, connectionId, "poke"),
    relayTimes: scaled(RELAY_TIMES, config.timeScale),
    gapTimes: scaled(GAP_TIMES, config.timeScale),
    ...(works ? {} : { elsewhere: { stored: () => signals.tell("webhooks") } }),
  });
  signals.hear("webhooks", webhooks.wake);

  const audit = auditService({ db: database.db, clock });
  const scheduled: ScheduledJob[] = [
    { name: "set-webhooks", cron: "*/5 * * * *", run: gateways.setMissingHooks },
    { name: "recount", cron: "17 6 * * *", run: () => reportDifferences(database, log) },
    {
      name: "forget-sessions",
      cron: "37 6 * * *",
      run: async () => {
        await accounts.pruneSessions();
        await resets.pruneOld();
        await accounts.pruneInvitations();
      },
    },
    { name: "delete-campaign-people", cron: "* * * * *", run: () => pruneCampaigns(database.db, clock) },
    { name: "forget-relays", cron: "27 * * * *", run: webhooks.pruneOld },
    { name: "forget-letters", cron: "57 5 * * *", run: notifications.pruneOld },
    { name: "forget-events", cron: "7 5 * * *", run: audit.pruneOld },
    { name: "forget-pictures", cron: "27 5 * * *", run: () => files.pruneUnused(database.db) },
    { name: "forget-import-rows", cron: "47 5 * * *", run: () => pruneNotedRows(database.db) },
    { name: "forget-echoes", cron: "47 * * * *", run: upkeep.pruneOutgoing },
  ];
  if (works) {
    await jobs.schedule(scheduled);
    // Our address may have changed since the last start.
    await jobs.runNow("set-webhooks");
  }

  // contacts, campaigns, dashboard
  const alone = storage.kind === "embedded";
  const importer = contactImporter({ database, spool, changes, clock, log, queues, alone });
  signals.hear("imports", () => importer.kick());
  const contacts = contactService({
    spool,
    queues,
    downloads,
    importer: works ? importer : importsElsewhere(database, signals, spool.folderId, log),
    changes,
    timeZoneOf: async (owner) => (await accounts.me(owner)).timeZone,
  });
  const campaigns = new CampaignService({ clock, changes, downloads, random32: () => randomInt(2 ** 32) });
  const testSends = testSendService({ outbox, answerMs: waits.testMs });
  const dashboard = dashboardService({ clock, campaigns });
  const chats = new ChatService({ clock, log, changes, files, assistant });
  if (works) agents.answerIn(chats);

  // accounts that their owners deleted
  const removals = await jobs.queue({
    name: "remove-accounts",
    workers: 1,
    silenceSeconds: 30,
    pollMs: 5_000,
  });
  const removal = new AccountRemoval({
    db: database.db,
    clock,
    log,
    hasher,
    guard,
    connections,
    pruneImports: (owner) => pruneImports(owner, spool),
    ask: (delayMs, tx) => removals.put("removed", {}, delayMs, tx),
  });
  signals.hear(ACCOUNT_CLOSED, () => {
    removals
      .put("removed", {}, 0)
      .catch((error: unknown) => log.warn({ err: error }, "closed account not taken away yet"));
  });
  if (works) {
    await removals.work(() => removal.work());
    await removals.put("removed", {}, 0);
    await importer.start();
  }

  const stopSending = onlyOnce(async () => sending?.close());
  const standStill = onlyOnce(async () => {
    await stopSending();
    await signals.close();
    await Promise.all([jobs.stop(), agents.finish()]);
    await notifications.close();
    await sending?.stop();
    await webhooks.stop();
    await importer.stop();
  });

  return {
    accounts,
    agents,
    audit,
    campaigns,
    changes,
    chats,
    connections,
    contacts,
    files,
    gateways,
    notifications,
    settings,
    resets,
    confirmations,
    prove,
    removal,
    exportAccount: accountExporter({
      database: pages,
      clock,
      log,
      queues,
      downloads,
      dataFolder: storage.dataFolder,
    }),
    usage,
    dashboard,
    optOuts,
    search: searchService({ campaigns, contacts }),
    sessionEnds,
    testSends,
    webhooks,
    queues,
    statements,
    lanes: () => sending?.count() ?? { owned: 0, connected: 0 },
    streams: changes.streams,
    endStreams: () => changes.close(),
    stopSending,
    standStill,
    async stop() {
      await standStill();
      await outbox.close();
      await sessionEnds.close();
      await Promise.all([...Object.values(fetches), agents].map((one) => one.close()));
    },
  };
}

function onlyOnce(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | null = null;
  return () => {
    done ??= work();
    return done;
  };
}

/** Counters move with their rows in one statement; a difference is a bug that the operator must see. */
async function reportDifferences(database: Storage["database"], log: Logger): Promise<void> {
  for (const difference of await upkeepOf(database.db).recount(2))
    log.error(difference, "counters differ from their rows");
}

function importsElsewhere(
  { db }: Storage["database"],
  signals: WorkSignals,
  folder: string,
  log: Logger,
): { kick(): void } {
  return {
    kick() {
      signals.tell("imports");
      upkeepOf(db)
        .hasWorkerAt(folder)
        .then(
          (seen) => {
            if (!seen)
              log.error(
                { folder },
                "no worker reads this data folder: what is imported here waits until one does",
              );
          },
          () => undefined,
        );
    },
  };
}
