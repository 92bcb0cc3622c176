import type { z } from "zod";
import type { Agent, AssistantLink } from "../../../src/contract/agents.ts";
import type { Segment } from "../../../src/contract/audiences.ts";
import type { AuditEvent } from "../../../src/contract/audit.ts";
import type { CampaignCounts, Delivery, ListedCampaign } from "../../../src/contract/campaigns.ts";
import type { AgentAnswer, Chat, ChatMessage } from "../../../src/contract/chats.ts";
import type { Connection } from "../../../src/contract/connections.ts";
import type { ContactField } from "../../../src/contract/contact-fields.ts";
import type { ContactListCard, ListedContact } from "../../../src/contract/contacts.ts";
import type { AttachmentSummary } from "../../../src/contract/files.ts";
import type { Gateway, Instance } from "../../../src/contract/gateways.ts";
import type { MessageTemplate } from "../../../src/contract/library.ts";
import type { PlanView } from "../../../src/contract/number-plans.ts";
import type { OptOut } from "../../../src/contract/opt-outs.ts";
import type { PersonDetails } from "../../../src/contract/people.ts";
import type { ApiKey, Session } from "../../../src/contract/settings.ts";
import { campaignActions, type DisplayStatus, deliveryRate } from "../../../src/domain/campaign.ts";
import type { DeliveryState } from "../../../src/domain/delivery.ts";
import { recommendedPlan, risksOf } from "../../../src/domain/number-plan.ts";

type States = z.infer<typeof CampaignCounts>["states"];

let lastId = 0;

export const MINUTE = 60_000;
export const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * MINUTE).toISOString();
export const phoneOf = (n: number) => String(5_531_900_000_000 + n);

const next = () => ++lastId;

const NONE: States = {
  pending: 0,
  sending: 0,
  waiting: 0,
  skipped: 0,
  uncertain: 0,
  error: 0,
  accepted: 0,
  sent: 0,
  delivered: 0,
  read: 0,
};

export function countsOf(people: Partial<States>): z.infer<typeof CampaignCounts> {
  const states = { ...NONE, ...people };
  const { pending, sending, waiting, sent, delivered, read } = states;
  return {
    total: Object.values(states).reduce((sum, each) => sum + each, 0),
    sent: sent + delivered + read,
    confirmed: delivered + read,
    read,
    errors: states.error,
    uncertain: states.uncertain,
    accepted: states.accepted,
    skipped: states.skipped,
    remaining: pending + sending + waiting,
    states,
  };
}

const storedOf = (status: DisplayStatus) =>
  status === "completed" || status === "partially_completed" || status === "failed" ? "ended" : status;

export function campaign(given: Partial<ListedCampaign> & { states?: Partial<States> } = {}): ListedCampaign {
  const { states = {}, ...rest } = given;
  const { status = "completed" } = rest;
  const counts = countsOf(states);
  const running = status === "sending" || status === "paused";
  const resendable = status === "partially_completed" || status === "failed" ? counts.errors : 0;
  const cause = status === "paused" ? "user" : null;
  const at = minutesAgo(90);
  return {
    id: next(),
    name: "Campanha",
    text: "Oi, {nome}!",
    nameFallback: "",
    leaveHint: false,
    variables: [],
    audience: null,
    status,
    actions: [
      ...campaignActions(
        { status: storedOf(status), cause, counts: counts.states as Record<DeliveryState, number> },
        resendable,
        Boolean(rest.archivedAt),
      ),
    ],
    cause,
    canary: null,
    breaker: null,
    connectionCause: null,
    causeSince: null,
    causeUntil: null,
    attachment: null,
    moreAttachments: [],
    connectionId: null,
    connectionName: null,
    listId: null,
    listName: null,
    people: counts.total,
    schedule: { kind: "now" },
    intervalS: 60,
    extraS: 0,
    createdAt: at,
    updatedAt: at,
    scheduledAt: null,
    startedAt: status === "draft" || status === "scheduled" ? null : at,
    endedAt: running || status === "draft" || status === "scheduled" ? null : minutesAgo(30),
    archivedAt: null,
    date: at,
    late: false,
    started: status !== "draft" && status !== "scheduled",
    counts,
    rate: deliveryRate(counts),
    confirmedRate: counts.total === 0 ? null : counts.confirmed / counts.total,
    progress: running
      ? { done: counts.total - counts.remaining, perMinute: 1, endsAt: null, awaits: null, plan: null }
      : null,
    failureLines: [],
    failureTotal: 0,
    resendable,
    unfinished: 0,
    resendsId: null,
    inPeriod: null,
    ...rest,
  };
}

export function delivery(seq: number, given: Partial<Delivery> = {}): Delivery {
  return {
    seq,
    name: `Pessoa ${seq}`,
    phone: phoneOf(seq),
    status: "read",
    at: minutesAgo(40),
    tries: 1,
    resolvable: given.status === "uncertain",
    messages: null,
    unfinished: false,
    reason: null,
    error: null,
    ...given,
  };
}

export function knownPerson(n: number, given: Partial<PersonDetails> = {}): PersonDetails {
  const at = given.createdAt ?? minutesAgo(600 + n);
  return {
    id: next(),
    name: `Pessoa ${n}`,
    phone: phoneOf(n),
    fields: {},
    createdAt: at,
    updatedAt: at,
    lists: [],
    origin: {
      kind: "file",
      fileName: "clientes.csv",
      row: n + 2,
      by: "Ótica Horizonte",
      at,
      basis: null,
      basisNote: null,
    },
    optOut: null,
    ...given,
  };
}

export function contactField(given: Partial<ContactField> = {}): ContactField {
  return { id: next(), key: "pet", label: "Pet", kind: "text", ...given };
}

export function contactList(given: Partial<ContactListCard> = {}): ContactListCard {
  return {
    id: next(),
    name: "Clientes",
    count: given.first?.length ?? 0,
    createdAt: minutesAgo(600),
    first: [],
    matches: null,
    ...given,
  };
}

export function segment(given: Partial<Segment> = {}): Segment {
  return {
    id: next(),
    name: "Sem resposta",
    rule: { match: "all", items: [{ on: "reply", test: "never", days: null }] },
    broken: false,
    updatedAt: minutesAgo(60),
    ...given,
  };
}

export function template(given: Partial<MessageTemplate> = {}): MessageTemplate {
  return {
    id: next(),
    name: "Lembrete de consulta",
    text: "Oi, {primeiro_nome}! Sua consulta é *amanhã*.",
    attachment: null,
    updatedAt: minutesAgo(60),
    ...given,
  };
}

export function contact(seq: number, given: Partial<ListedContact> = {}): ListedContact {
  return { seq, name: `Pessoa ${seq}`, phone: phoneOf(seq), ...given };
}

export function optOut(n: number, given: Partial<OptOut> = {}): OptOut {
  return {
    phone: String(5_511_900_000_000 + n),
    name: null,
    source: "manual",
    text: null,
    connectionName: null,
    at: minutesAgo(60 + n / 60),
    ...given,
  };
}

export function connection(given: Partial<Connection> = {}): Connection {
  const id = next();
  return {
    id,
    deviceId: phoneOf(id),
    number: phoneOf(id),
    name: "Matriz",
    kind: "device",
    state: "connected",
    desired: "connected",
    linked: true,
    cause: null,
    causeUntil: null,
    since: minutesAgo(120),
    isDefault: false,
    qr: null,
    qrExpiresAt: null,
    pairingCode: null,
    pairingCodeExpiresAt: null,
    newChats: null,
    campaigns: { sending: 0, paused: 0, scheduled: 0, names: [] },
    ...given,
  };
}

const day = (offset: number) => minutesAgo(-offset * 24 * 60).slice(0, 10);

/** Of a number in use for four days, at noon of an open day. */
export function planView(given: Partial<PlanView> = {}): PlanView {
  const plan = given.plan === null ? null : recommendedPlan(day(-4));
  const offsets = Array.from({ length: 15 }, (_, at) => at - 7);
  return {
    name: "Matriz",
    number: phoneOf(1),
    zone: "America/Sao_Paulo",
    plan,
    risks: risksOf(plan, day(0)),
    state: "open",
    until: plan ? minutesAgo(-180) : null,
    coldToday: 22,
    budget: plan ? 38 : null,
    newChats: null,
    days: offsets.map((offset) => ({
      day: day(offset),
      cold: offset > 0 ? null : offset < -4 ? 0 : ([20, 30, 0, 47, 22][offset + 4] ?? 0),
      budget: plan && offset >= -4 && offset % 7 !== 5 ? 60 + offset * 10 : 0,
    })),
    uses: [
      { campaignId: 1, name: "Retorno anual, exame de vista", cold: 18 },
      { campaignId: null, name: null, cold: 4 },
    ],
    ...given,
  };
}

export function chat(given: Partial<Chat> & Pick<Chat, "connectionId">): Chat {
  const id = next();
  const name = given.name ?? "Ana Beatriz Rocha";
  return {
    id,
    kind: "person",
    name,
    savedName: null,
    pushName: name,
    phone: phoneOf(id),
    remoteId: `${phoneOf(id)}@s.whatsapp.net`,
    unread: 0,
    last: { text: "Oi!", kind: "text", fromMe: false, source: null, at: minutesAgo(2) },
    optedOut: false,
    asksToLeave: null,
    assistant: { state: "none", name: null, pausedUntil: null },
    ...given,
  };
}

export function message(given: Partial<ChatMessage> = {}): ChatMessage {
  const fromMe = given.fromMe ?? false;
  return {
    key: `m${next()}`,
    outboxId: null,
    requestKey: null,
    fromMe,
    source: fromMe ? "chat" : "contact",
    kind: "text",
    text: "Oi!",
    attachment: null,
    reactions: [],
    quoted: null,
    contacts: [],
    place: null,
    poll: null,
    chosen: null,
    link: null,
    edited: false,
    deletedBy: null,
    receivedFile: null,
    scheduled: false,
    deleting: null,
    participant: null,
    status: fromMe ? "read" : null,
    error: null,
    campaign: null,
    at: minutesAgo(2),
    ...given,
  };
}

export function agent(given: Partial<Agent> = {}): Agent {
  return {
    id: `ag:${next()}`,
    name: "Atendente",
    description: "Responde sobre horários",
    instructions: "Seja breve.",
    model: "mistral-small-latest",
    completion_args: { temperature: 0 },
    created_at: minutesAgo(500),
    updated_at: minutesAgo(500),
    ...given,
  };
}

export function assistantLink(
  given: Partial<AssistantLink> & Pick<AssistantLink, "connectionId">,
): AssistantLink {
  return { agentId: "ag:1", agentName: "Atendente", active: true, pauseMinutes: 30, ...given };
}

export function agentAnswer(given: Partial<AgentAnswer> = {}): AgentAnswer {
  return {
    id: next(),
    chatId: 1,
    chatName: "Ana",
    agentName: "Atendente",
    state: "sent",
    reason: null,
    text: "Abrimos às 9h.",
    question: "Que horas abre?",
    createdAt: minutesAgo(5),
    finishedAt: minutesAgo(5),
    ...given,
  };
}

export function gateway(given: Partial<Gateway> = {}): Gateway {
  return {
    id: next(),
    name: "Servidor da loja",
    url: "http://127.0.0.1:8080",
    provided: false,
    withdrawn: false,
    keyHint: "a1b2",
    check: { state: "ok", version: "2.3.7", licenseUrl: null, reachesUs: "yes", at: minutesAgo(10) },
    instances: 0,
    createdAt: minutesAgo(900),
    ...given,
  };
}

export function instance(given: Partial<Instance> & Pick<Instance, "gatewayId">): Instance {
  return {
    name: "vendas",
    profileName: "Ótica Horizonte",
    number: phoneOf(773),
    hasPicture: false,
    status: "open",
    integration: "WHATSAPP-BAILEYS",
    counts: { messages: 10, contacts: 5, chats: 3 },
    createdAt: minutesAgo(900),
    connectionId: null,
    cause: null,
    lastEventAt: minutesAgo(1),
    keepsMessages: true,
    hook: "ours",
    formerWebhook: null,
    relay: null,
    oddities: 0,
    assistant: null,
    ...given,
  };
}

export function apiKey(given: Partial<ApiKey> = {}): ApiKey {
  return {
    id: next(),
    name: "Sistema de pedidos",
    prefix: "rcd_abc",
    scope: "all",
    createdAt: minutesAgo(900),
    lastUsedAt: null,
    expiresAt: null,
    revokedAt: null,
    ...given,
  };
}

export function session(given: Partial<Session> = {}): Session {
  return {
    id: crypto.randomUUID(),
    current: false,
    userAgent: "Mozilla/5.0 (Windows NT 10.0) Chrome/153.0",
    address: "203.0.113.7",
    createdAt: minutesAgo(900),
    lastSeenAt: minutesAgo(3),
    ...given,
  };
}

export function auditEvent(given: Partial<AuditEvent> = {}): AuditEvent {
  return {
    id: next(),
    at: minutesAgo(20),
    kind: "data_exported",
    actor: "session",
    keyName: null,
    address: "203.0.113.7",
    browser: "Chrome, Windows",
    subject: null,
    subjectId: null,
    details: null,
    ...given,
  };
}

export const attachment = (facts: Partial<AttachmentSummary> = {}): AttachmentSummary => ({
  id: 7,
  kind: "image",
  name: "",
  mime: "image/png",
  bytes: 9_000,
  width: 640,
  height: 480,
  seconds: null,
  ...facts,
});

export const uploaded = (facts: Partial<AttachmentSummary> = {}) => ({
  ...attachment(facts),
  reduced: false,
});
