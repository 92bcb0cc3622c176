import { busyMonth } from "./calendar.ts";
import {
  apiKey,
  auditEvent,
  campaign,
  chat,
  connection,
  contact,
  contactField,
  contactList,
  delivery,
  knownPerson,
  message,
  minutesAgo,
  optOut,
  planView,
  segment,
} from "./rows.ts";
import { person, type World, world } from "./world.ts";

const LONG =
  "Acompanhamento personalizado pós-venda dos clientes responsáveis pelo estabelecimento comercial";

/** Of the campaign whose details are looked at. */
export const FINISHED = 900_001;

export function workingWorld(): World {
  const newChats = { total: 100, used: 63, left: 37, until: minutesAgo(-20_000), readAt: minutesAgo(9) };
  const here = connection({ id: 7, name: "Matriz – Centro", isDefault: true, newChats });
  const away = connection({ id: 8, name: "Unidade Savassi", state: "disconnected", cause: "network" });
  const long = connection({ name: LONG.slice(0, 60) });
  return world({
    me: person({
      name: "Uma Empresa de Nome Muito Comprido Comércio e Serviços Ltda.",
      riskRead: false,
      stepsHidden: false,
    }),
    connections: [here, away, long],
    plans: {
      [here.id]: planView({ name: here.name, newChats }),
      [away.id]: planView({ name: away.name, plan: null }),
    },
    calendar: busyMonth(LONG),
    ...people(),
    ...sent(here.id, away.id),
    ...talks(here.id, away.id),
    segments: [segment({ name: LONG.slice(0, 60) }), segment({ broken: true })],
    keys: [apiKey(), apiKey({ name: "Painel" })],
    audit: [
      auditEvent({ kind: "key_created", subject: "Painel" }),
      auditEvent({ kind: "account_created" }),
      auditEvent({ kind: "campaign_started", subject: LONG }),
    ],
  });
}

function people(): Pick<World, "lists" | "contacts" | "people" | "fields" | "optOuts"> {
  const rows = Array.from({ length: 480 }, (_, seq) => contact(seq));
  const named = [contact(0, { name: LONG }), contact(1), contact(2)];
  const first = (all: typeof rows) => all.slice(0, 3).map(({ seq: _, ...each }) => each);
  const savassi = contactList({ name: "Clientes Savassi", count: 480, first: first(rows) });
  const long = contactList({ name: LONG, count: 3, first: first(named) });
  return {
    lists: [savassi, long],
    contacts: { [savassi.id]: rows, [long.id]: named },
    people: [1, 2, 3].map((n) => knownPerson(n, { fields: { pet: "Rex" } })),
    fields: [contactField()],
    optOuts: [optOut(1, { source: "reply", text: "Sair.", connectionName: "Matriz – Centro" }), optOut(2)],
  };
}

const TEN = ["read", "sent", "delivered", "error", "uncertain", "skipped", "pending"] as const;

function sent(here: number, away: number): Pick<World, "campaigns" | "deliveries"> {
  const states = { delivered: 210, read: 120, pending: 150 };
  const millions = { read: 1_240_000, error: 9_998, uncertain: 2 };
  const finished = campaign({
    id: FINISHED,
    name: "Óculos prontos",
    status: "partially_completed",
    connectionId: here,
    connectionName: "Matriz – Centro",
    listName: "Clientes Savassi",
    states: { sent: 20, delivered: 30, read: 440, error: 5, uncertain: 2, skipped: 1 },
    failureLines: ["Falha ao enviar mensagem para 5531900000003: este número não tem WhatsApp"],
    failureTotal: 5,
    inPeriod: { attempts: 497, accepted: 490, confirmed: 470, read: 440, errors: 5, uncertain: 2 },
  });
  const campaigns = [
    campaign({ name: "Black Friday", status: "sending", connectionId: here, states }),
    campaign({
      name: "Semana do cliente na unidade da Savassi e arredores",
      status: "paused",
      cause: "connection",
      connectionCause: "network",
      connectionId: away,
      connectionName: "Unidade Savassi",
      states,
    }),
    campaign({ name: "Rascunho de Natal", status: "draft", text: "" }),
    campaign({ name: "Desistida", status: "cancelled", states: { skipped: 4 } }),
    campaign({ name: "Volta às aulas", status: "scheduled", scheduledAt: "2027-01-05T12:00:00.000Z" }),
    campaign({
      name: LONG,
      text: `${LONG}. ${LONG}.`,
      status: "partially_completed",
      states: millions,
      inPeriod: {
        attempts: 1_250_000,
        accepted: 1_240_000,
        confirmed: 1_240_000,
        read: 1_240_000,
        errors: 9_998,
        uncertain: 2,
      },
    }),
    finished,
  ];
  const deliveries = Array.from({ length: 490 }, (_, seq) =>
    delivery(seq, {
      status: TEN[seq % TEN.length] ?? "read",
      ...(seq % TEN.length === 3 && { reason: "not_on_whatsapp", error: "este número não tem WhatsApp" }),
      ...(seq === 7 && { name: LONG }),
    }),
  );
  return { campaigns, deliveries: { [FINISHED]: deliveries } };
}

function talks(here: number, away: number): Pick<World, "chats" | "messages"> {
  const last = (text: string, minutes: number) =>
    ({ text, kind: "text", fromMe: false, source: null, at: minutesAgo(minutes) }) as const;
  const ana = chat({ connectionId: here, unread: 2, last: last("Passo aí às 17h", 2) });
  const bruno = chat({ connectionId: here, name: "Bruno Carvalho", optedOut: true, last: last("Sair.", 30) });
  const group = chat({
    connectionId: here,
    kind: "group",
    name: "120363042198765432@g.us",
    phone: null,
    remoteId: "120363042198765432@g.us",
    last: last("a vitrine ficou ótima", 50),
  });
  const rita = chat({ connectionId: away, name: "Rita Moura", last: last("", 5) });
  const long = chat({ connectionId: here, name: LONG, unread: 1200, last: last(LONG, 600) });
  const ours = (["pending", "sent", "delivered", "read", "accepted"] as const).map((status) =>
    message({ fromMe: true, status, text: `estado ${status}` }),
  );
  return {
    chats: [ana, bruno, group, rita, long],
    messages: {
      [ana.id]: [
        message({ text: "Oi! Vale para óculos de sol?", at: minutesAgo(3) }),
        message({ text: "Passo aí às 17h" }),
        ...ours,
        message({
          fromMe: true,
          outboxId: 1,
          status: "error",
          text: "não foi",
          error: { code: "not_on_whatsapp", text: "Este número não tem WhatsApp." },
        }),
        message({
          fromMe: true,
          outboxId: 2,
          status: "uncertain",
          text: "talvez",
          error: { code: "no_ack", text: "O WhatsApp não confirmou a mensagem." },
        }),
      ],
      [bruno.id]: [message({ text: "Sair." })],
      [group.id]: [message({ text: "a vitrine ficou ótima", participant: "Lucas" })],
      [long.id]: [message({ text: `${LONG}. ${LONG}.` })],
    },
  };
}
