import type { z } from "zod";
import type { Me, Terms } from "../../../src/contract/accounts.ts";
import type { Agent, AssistantLink, MistralSettings } from "../../../src/contract/agents.ts";
import type { Segment } from "../../../src/contract/audiences.ts";
import type { AuditEvent } from "../../../src/contract/audit.ts";
import type { CampaignCalendar } from "../../../src/contract/campaign-calendar.ts";
import type { Delivery, ListedCampaign } from "../../../src/contract/campaigns.ts";
import type { AgentAnswer, Chat, ChatMessage } from "../../../src/contract/chats.ts";
import type { Connection } from "../../../src/contract/connections.ts";
import type { ContactField } from "../../../src/contract/contact-fields.ts";
import type { ContactImport, ContactListCard, ListedContact } from "../../../src/contract/contacts.ts";
import type { Dashboard, FirstSteps } from "../../../src/contract/dashboard.ts";
import type { Gateway, Instance } from "../../../src/contract/gateways.ts";
import type { MessageTemplate } from "../../../src/contract/library.ts";
import type { PlanView } from "../../../src/contract/number-plans.ts";
import type { OptOut } from "../../../src/contract/opt-outs.ts";
import type { PersonDetails, PersonEvent } from "../../../src/contract/people.ts";
import type { ApiKey, Notifications, Session, Usage } from "../../../src/contract/settings.ts";
import type { system } from "../../../src/contract/system.ts";
import { LIMIT_NAMES } from "../../../src/domain/limits.ts";
import { minutesAgo, session } from "./rows.ts";

/** Keys of records are ids. */
export type World = {
  /** Null: signed out. */
  me: Me | null;
  campaigns: ListedCampaign[];
  calendar: Partial<CampaignCalendar>;
  deliveries: Record<number, Delivery[]>;
  lists: ContactListCard[];
  contacts: Record<number, ListedContact[]>;
  segments: Segment[];
  templates: MessageTemplate[];
  people: PersonDetails[];
  fields: ContactField[];
  histories: Record<number, PersonEvent[]>;
  imports: ContactImport[];
  optOuts: OptOut[];
  undecided: OptOut[];
  connections: Connection[];
  /** By connection. */
  plans: Record<number, PlanView>;
  chats: Chat[];
  messages: Record<number, ChatMessage[]>;
  agents: Agent[];
  links: AssistantLink[];
  answers: Record<number, AgentAnswer[]>;
  mistral: MistralSettings;
  gateways: Gateway[];
  instances: Record<number, Instance[]>;
  keys: ApiKey[];
  sessions: Session[];
  notifications: Notifications;
  usage: Usage;
  weeklyLimit: number | null;
  undoSeconds: number;
  optOutConfirmation: string;
  audit: AuditEvent[];
  installation: z.infer<typeof system.installation.answer>;
  firstSteps: FirstSteps;
  dashboard: Partial<Dashboard>;
  terms: Terms;
  passwordNeeded: boolean;
  byMail: boolean;
  signupOpen: boolean;
};

export function person(given: Partial<Me> = {}): Me {
  return {
    // The page keeps one cache per person.
    id: crypto.randomUUID(),
    name: "Ótica Horizonte",
    email: "dona@otica.com.br",
    confirmation: null,
    company: "",
    language: "pt-BR",
    timeZone: "America/Sao_Paulo",
    riskRead: true,
    stepsHidden: true,
    attachmentMb: 100,
    createdAt: "2026-01-05T12:00:00.000Z",
    ...given,
  };
}

const settled = (): Pick<World, "notifications" | "usage" | "terms" | "mistral"> => ({
  notifications: {
    emailCampaignCompleted: true,
    emailDeliveryIssues: true,
    emailAccountUpdates: true,
    emailMarketing: false,
    emailProduct: false,
    browserCampaignStatus: false,
    browserNewMessage: false,
    mail: { configured: true, closed: false, last: null },
  },
  usage: {
    month: "2026-11",
    campaigns: 120,
    single: 8,
    total: 128,
    limit: null,
    renewsAt: "2026-12-01T03:00:00.000Z",
    history: [{ month: "2026-10", total: 90 }],
    limits: LIMIT_NAMES.map((name) => ({ name, most: null, used: 0 })),
  },
  terms: { version: "1", text: "# Termos de uso\n\n1. O serviço envia mensagens." },
  mistral: {
    source: "none",
    operatorClosed: false,
    keyHint: null,
    baseUrl: "https://api.mistral.ai",
    defaultUrl: "https://api.mistral.ai",
  },
});

export function world(given: Partial<World> = {}): World {
  return {
    me: person(),
    campaigns: [],
    calendar: {},
    deliveries: {},
    lists: [],
    contacts: {},
    segments: [],
    templates: [],
    people: [],
    fields: [],
    histories: {},
    imports: [],
    optOuts: [],
    undecided: [],
    connections: [],
    plans: {},
    chats: [],
    messages: {},
    agents: [],
    links: [],
    answers: {},
    gateways: [],
    instances: {},
    keys: [],
    weeklyLimit: null,
    undoSeconds: 0,
    optOutConfirmation: "Pronto: você não vai mais receber nossas campanhas por aqui.",
    sessions: [session({ current: true, createdAt: minutesAgo(60) })],
    audit: [],
    installation: { restored: null, diskLow: false, idle: false },
    firstSteps: { connect: false, contacts: false, test: false, campaign: false },
    dashboard: {},
    passwordNeeded: false,
    byMail: true,
    signupOpen: true,
    ...settled(),
    ...given,
  };
}
