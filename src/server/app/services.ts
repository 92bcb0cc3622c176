import { randomInt } from "node:crypto";
import type { EmailConfirmations } from "../accounts/email-confirmation.ts";
import { accountExporter } from "../accounts/export.ts";
import type { ProveSession } from "../accounts/prove-session.ts";
import type { AccountRemoval } from "../accounts/removal.ts";
import type { PasswordResets } from "../accounts/reset.ts";
import type { AccountService } from "../accounts/service.ts";
import type { SessionEnds } from "../accounts/session-ends.ts";
import type { AccountSettings } from "../accounts/settings.ts";
import type { Agents } from "../agents/agents.ts";
import { type AuditService, auditService } from "../audit/service.ts";
import { AudienceService } from "../campaigns/audiences.ts";
import { CampaignService } from "../campaigns/service.ts";
import { type TestSendService, testSendService } from "../campaigns/test-send.ts";
import { ChatService } from "../chat/service.ts";
import type { PlanService } from "../connections/plans.ts";
import type { ConnectionService } from "../connections/service.ts";
import type { People } from "../contacts/people.ts";
import type { ContactService } from "../contacts/service.ts";
import { openSpool } from "../contacts/spool.ts";
import { type DashboardService, dashboardService } from "../dashboard/service.ts";
import type { Changes } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import type { PageStatements } from "../db/page-statements.ts";
import type { FileService } from "../files/service.ts";
import type { Gateways } from "../gateways/gateways.ts";
import type { Webhooks } from "../gateways/webhooks.ts";
import type { FairQueues } from "../jobs/fair-queue.ts";
import type { LibraryService } from "../library/service.ts";
import type { NotificationsFeature } from "../notifications/notifications.ts";
import type { OptOutService } from "../opt-outs/service.ts";
import { type SearchService, searchService } from "../search/service.ts";
import { type UsageService, usageService } from "../usage/service.ts";
import { composeAccounts } from "./compose/accounts.ts";
import { composeAgents } from "./compose/agents.ts";
import { type Common, composeCommon, type ServiceDeps } from "./compose/common.ts";
import { composeConnections } from "./compose/connections.ts";
import { composeContacts } from "./compose/contacts.ts";
import { openFetches } from "./compose/fetches.ts";
import { composeGateways, composeWebhooks } from "./compose/gateways.ts";
import { composeIncoming } from "./compose/incoming.ts";
import { composeNotifications } from "./compose/notifications.ts";
import { composeRemoval } from "./compose/removal.ts";
import { scheduleJobs } from "./compose/schedule.ts";
import { composeSending } from "./compose/sending.ts";
import { type Stops, stopsOf } from "./compose/stops.ts";

export type { ServiceDeps, Waits } from "./compose/common.ts";

export type Services = Stops & {
  accounts: AccountService;
  agents: Agents;
  audit: AuditService;
  campaigns: CampaignService;
  changes: Changes;
  chats: ChatService;
  connections: ConnectionService;
  plans: PlanService;
  contacts: ContactService;
  people: People;
  files: FileService;
  /** For the operator, at the start. */
  storeNotice: string | null;
  gateways: Gateways;
  notifications: NotificationsFeature;
  settings: AccountSettings;
  resets: PasswordResets;
  confirmations: EmailConfirmations;
  prove: ProveSession;
  removal: AccountRemoval;
  exportAccount(owner: Owner): Promise<Response>;
  audiences: AudienceService;
  library: LibraryService;
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
};

const composeCampaigns = ({ clock, changes, config, downloads }: Common) =>
  new CampaignService({
    clock,
    changes,
    downloads,
    random32: () => randomInt(2 ** 32),
    undoSeconds: config.undoSeconds,
  });

export async function composeServices(deps: ServiceDeps): Promise<Services> {
  const common = await composeCommon(deps);
  const { config, database, clock, log, changes, works } = common;
  const notifications = await composeNotifications(common);
  const signIn = await composeAccounts(common, notifications.accountEmails);
  const { accounts, settings, resets, confirmations, prove, sessionEnds } = signIn;
  const agents = await composeAgents(common);
  const fetches = openFetches(config);
  const channels = await composeConnections(common, fetches);
  const { files, connections, outbox } = channels;
  const incoming = await composeIncoming(common, agents, files);
  const spool = openSpool(common.storage.dataFolder);
  const sending = works ? await composeSending(common, { ...channels, fetches, incoming, spool }) : null;
  const gateways = await composeGateways(common, fetches, agents, channels);
  const webhooks = await composeWebhooks(common, fetches, incoming);
  const audit = auditService({ db: database.db, clock });
  const jobs = { accounts, audit, files, gateways, notifications, resets, webhooks };
  if (works) await scheduleJobs(common, jobs);
  const { importer, contacts, people, library } = composeContacts(common, spool, accounts);
  const campaigns = composeCampaigns(common);
  const chats = new ChatService({ clock, log, changes, files, assistant: agents.forChats });
  if (works) agents.answerIn(chats);
  const removal = await composeRemoval(common, signIn, connections, spool);
  if (works) await importer.start();
  const started = { ...channels, notifications, sessionEnds, agents, fetches, sending, webhooks, importer };
  return {
    accounts,
    agents,
    audit,
    campaigns,
    changes,
    chats,
    ...channels,
    contacts,
    people,
    gateways,
    notifications,
    settings,
    resets,
    confirmations,
    prove,
    removal,
    exportAccount: exporterOf(common, files),
    usage: usageService({ clock, planOf: (owner) => accounts.planOf(owner) }),
    dashboard: dashboardService({ clock, campaigns }),
    optOuts: incoming.optOuts,
    search: searchService({ campaigns, contacts, library }),
    sessionEnds,
    audiences: new AudienceService(changes, clock),
    library,
    testSends: testSendService({ outbox, answerMs: common.waits.testMs }),
    webhooks,
    queues: common.queues,
    statements: common.statements,
    lanes: () => sending?.count() ?? { owned: 0, connected: 0 },
    streams: () => changes.streams(),
    endStreams: () => changes.close(),
    ...stopsOf(common, started),
  };
}

function exporterOf({ pages, clock, log, queues, downloads, storage }: Common, files: FileService) {
  const { dataFolder } = storage;
  return accountExporter({
    database: pages,
    clock,
    log,
    queues,
    downloads,
    dataFolder,
    filesOf: (owner) => files.filesOf(owner),
  });
}
