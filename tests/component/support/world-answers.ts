import { AUDIT_KINDS } from "../../../src/contract/audit.ts";
import type { ListedCampaign, Outcome } from "../../../src/contract/campaigns.ts";
import type { Dashboard } from "../../../src/contract/dashboard.ts";
import { DISPLAY_STATUSES, type DisplayStatus } from "../../../src/domain/campaign.ts";
import { risksOf } from "../../../src/domain/number-plan.ts";
import { folded } from "../../../src/web/lib/folded.ts";
import { audienceAnswers } from "./audience-answers.ts";
import { emptyMonth } from "./calendar.ts";
import { type Handlers, refuse } from "./endpoints.ts";
import { peopleAnswers } from "./people-answers.ts";
import type { World } from "./world.ts";

/** Answers the page's questions from what `state` holds at that moment. Writes are the tests' own. */
export function answerFrom(state: World): Handlers {
  return {
    ...accountAnswers(state),
    ...campaignAnswers(state),
    ...contactAnswers(state),
    ...peopleAnswers(state),
    ...audienceAnswers(state),
    ...libraryAnswers(state),
    ...chatAnswers(state),
    ...connectionAnswers(state),
    ...settingsAnswers(state),
  };
}

function found<Row>(row: Row | undefined): Row {
  if (row === undefined) throw refuse("not_found");
  return row;
}

const holds = (text: string, search: string | undefined) => folded(text).includes(folded(search ?? ""));

function pageById<Row extends { id: number }>(
  rows: readonly Row[],
  after: number | undefined,
  limit: number,
) {
  const all = rows.filter(({ id }) => after === undefined || id < after).toSorted((a, b) => b.id - a.id);
  const items = all.slice(0, limit);
  return { items, next: all.length > limit ? (items.at(-1)?.id ?? null) : null };
}

/** Rows behind the place `after`. */
function pageByPlace<Row extends { seq: number }>(
  rows: readonly Row[],
  { after, limit, search }: { after: number; limit: number; search?: string | undefined },
  text: (row: Row) => string,
) {
  const all = search ? rows.filter((row) => holds(text(row), search)) : rows;
  const first = search ? all.findIndex(({ seq }) => seq > after) : after + 1;
  const items = first < 0 ? [] : all.slice(first, first + limit);
  return { items, next: first >= 0 && first + limit < all.length ? (items.at(-1)?.seq ?? null) : null };
}

function pageByCursor<Row>(rows: readonly Row[], cursor: string | undefined, limit: number) {
  const first = Number(cursor ?? 0);
  return {
    items: rows.slice(first, first + limit),
    next: first + limit < rows.length ? String(first + limit) : null,
  };
}

function accountAnswers(state: World): Handlers {
  return {
    "GET /api/me": () => {
      if (!state.me) throw refuse("unauthenticated");
      return state.me;
    },
    "PATCH /api/settings/profile": ({ body: { password: _, ...changes } }) => {
      if (!state.me) throw refuse("unauthenticated");
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      state.me = { ...state.me, ...given };
      return state.me;
    },
    "GET /api/installation": () => state.installation,
    "GET /api/health/live": () => ({ status: "alive" }),
    "GET /api/terms": () => state.terms,
    "GET /api/password-reset": () => ({ byMail: state.byMail }),
    "GET /api/signup/policy": () => ({ open: state.signupOpen }),
  };
}

const byStatus = (campaigns: readonly ListedCampaign[]) =>
  Object.fromEntries(
    DISPLAY_STATUSES.map((status) => [status, campaigns.filter((each) => each.status === status).length]),
  ) as Record<DisplayStatus, number>;

function sumsOf(campaigns: readonly ListedCampaign[]) {
  const sum = (of: (counts: ListedCampaign["counts"]) => number) =>
    campaigns.reduce((total, { counts }) => total + of(counts), 0);
  const sent = sum((counts) => counts.sent + counts.accepted);
  const errors = sum((counts) => counts.errors);
  const uncertain = sum((counts) => counts.uncertain);
  const attempts = sent + errors + uncertain;
  return {
    attempts,
    accepted: sent,
    confirmed: sum((counts) => counts.confirmed),
    read: sum((counts) => counts.read),
    errors,
    uncertain,
    rate: attempts === 0 ? null : sent / attempts,
  };
}

/** Of the campaigns' own days. */
function periodOf(campaigns: readonly ListedCampaign[]) {
  const sum = (of: Outcome) => campaigns.reduce((total, { inPeriod }) => total + (inPeriod?.[of] ?? 0), 0);
  const attempts = sum("attempts");
  const accepted = sum("accepted");
  return {
    attempts,
    accepted,
    confirmed: sum("confirmed"),
    read: sum("read"),
    errors: sum("errors"),
    uncertain: sum("uncertain"),
    rate: attempts === 0 ? null : accepted / attempts,
  };
}

function summaryOf(campaigns: readonly ListedCampaign[]) {
  const shown = campaigns.filter(({ archivedAt }) => archivedAt === null);
  return {
    total: shown.length,
    archived: campaigns.length - shown.length,
    deleted: 0,
    byStatus: byStatus(shown),
    endsAt: null,
  };
}

function campaignAnswers(state: World): Handlers {
  const listed = (id: number) => found(state.campaigns.find((each) => each.id === id));
  return {
    "GET /api/campaigns": ({ query: { from, to, after, limit, ...wanted } }) => {
      const { search, status, archived, campaign, list } = wanted;
      const byDay = from !== undefined || to !== undefined;
      const matching = state.campaigns
        .filter(({ archivedAt }) => (archivedAt !== null) === (archived === "true"))
        .filter((each) => status === undefined || each.status === status)
        .filter((each) => campaign === undefined || each.id === campaign)
        .filter((each) => list === undefined || each.listId === list)
        .filter((each) => !byDay || each.inPeriod !== null)
        .filter((each) => holds(`${each.name} ${each.text}`, search));
      return {
        ...pageById(matching, after, limit),
        found: { ...(byDay ? periodOf(matching) : sumsOf(matching)), campaigns: matching.length },
        summary: summaryOf(state.campaigns),
      };
    },
    "GET /api/campaign-calendar": ({ query: { month } }) => {
      const today = new Date().toISOString().slice(0, 10);
      return { ...emptyMonth(month ?? today.slice(0, 7), today), ...state.calendar };
    },
    "GET /api/campaign-summary": () => summaryOf(state.campaigns),
    "GET /api/campaigns/{id}": ({ params }) => {
      const { inPeriod: _, ...campaign } = listed(params.id);
      return campaign;
    },
    "GET /api/campaigns/{id}/deliveries": ({ params, query: { status, ...query } }) => {
      listed(params.id);
      const rows = (state.deliveries[params.id] ?? []).filter((each) => !status || each.status === status);
      if (!status) return pageByPlace(rows, query, ({ name, phone }) => `${name} ${phone}`);
      const all = rows.filter(
        (row) => row.seq > query.after && holds(`${row.name} ${row.phone}`, query.search),
      );
      const items = all.slice(0, query.limit);
      return { items, next: all.length > query.limit ? (items.at(-1)?.seq ?? null) : null };
    },
    "GET /api/dashboard": () => dashboardOf(state),
    "GET /api/dashboard/campaigns": () => ({ items: state.campaigns.map(({ id, name }) => ({ id, name })) }),
    "GET /api/dashboard/first-steps": () => state.firstSteps,
  };
}

function dashboardOf({ campaigns, lists, dashboard }: World): Dashboard {
  const { rate, accepted, ...sums } = sumsOf(campaigns);
  const today = new Date();
  const days = Array.from({ length: 7 }, (_, n) => {
    const day = new Date(today.getTime() - (6 - n) * 86_400_000).toISOString().slice(0, 10);
    return { day, sent: 10 * n, delivered: 9 * n, confirmed: 8 * n };
  });
  return {
    cards: {
      sent: { value: accepted, change: 0.124 },
      contacts: { value: lists.reduce((sum, { count }) => sum + count, 0), change: null },
      rate: { value: rate, change: null, confirmed: null },
      interval: { value: 60, change: null },
    },
    days,
    statuses: { total: campaigns.length, byStatus: byStatus(campaigns) },
    gauge: { ...sums, rate, confirmedRate: rate, readRate: rate, delivered: accepted },
    recent: campaigns.slice(0, 5).map(({ id, name, status, people, started, rate: share, date }) => ({
      id,
      name,
      status,
      messages: people,
      started,
      rate: share,
      date,
    })),
    options: campaigns.map(({ id, name }) => ({ id, name })),
    moreBefore: null,
    zone: "America/Sao_Paulo",
    ...dashboard,
  };
}

function contactAnswers(state: World): Handlers {
  const list = (id: number) => found(state.lists.find((each) => each.id === id));
  return {
    "GET /api/contact-lists": ({ query: { search, id, after, limit } }) => {
      const matching = state.lists.filter((each) => id === undefined || each.id === id);
      return {
        ...pageById(
          matching.filter(({ name }) => holds(name, search)),
          after,
          limit,
        ),
        total: {
          lists: state.lists.length,
          contacts: state.lists.reduce((sum, { count }) => sum + count, 0),
        },
      };
    },
    "GET /api/contact-lists/{id}": ({ params }) => ({ ...list(params.id), optedOut: 0 }),
    "GET /api/contact-lists/{id}/contacts": ({ params, query }) => {
      list(params.id);
      return pageByPlace(state.contacts[params.id] ?? [], query, ({ name, phone }) => `${name} ${phone}`);
    },
    "GET /api/contact-imports": () => ({ items: state.imports.slice(0, 10) }),
    "GET /api/opt-outs": ({ query: { state: which = "left", search, cursor, skip = 0, limit = 100 } }) => {
      const all = which === "left" ? state.optOuts : state.undecided;
      const matching = all.filter(({ phone, name }) => holds(`${phone} ${name ?? ""}`, search));
      const first = cursor === undefined ? skip : Number(cursor.split("-")[0]);
      return {
        optOuts: matching.slice(first, first + limit),
        total: all.length,
        undecided: state.undecided.length,
        next: first + limit < matching.length ? `${first + limit}-1` : null,
      };
    },
    "GET /api/search": ({ query: { q } }) => ({
      campaigns: state.campaigns
        .filter(({ name }) => holds(name, q))
        .slice(0, 5)
        .map(({ id, name, status }) => ({ id, name, status })),
      lists: state.lists
        .filter(({ name }) => holds(name, q))
        .slice(0, 5)
        .map(({ id, name, count }) => ({ id, name, count })),
      templates: state.templates
        .filter(({ name, text }) => holds(`${name} ${text}`, q))
        .slice(0, 5)
        .map(({ id, name }) => ({ id, name })),
      contacts: state.lists
        .flatMap(({ id, name }) =>
          (state.contacts[id] ?? [])
            .filter((each) => holds(`${each.name} ${each.phone}`, q))
            .map(({ seq, ...each }) => ({
              ...each,
              id: state.people.find(({ phone }) => phone === each.phone)?.id ?? seq + 1,
              listId: id,
              listName: name,
            })),
        )
        .slice(0, 5),
    }),
  };
}

function libraryAnswers(state: World): Handlers {
  return {
    "GET /api/message-templates": ({ query: { search, skip, limit } }) => {
      const found = state.templates.filter(({ name, text }) => holds(`${name} ${text}`, search));
      return { items: found.slice(skip, skip + limit), found: found.length };
    },
  };
}

function chatAnswers(state: World): Handlers {
  const chat = (id: number) => found(state.chats.find((each) => each.id === id));
  const unreadOf = (connectionId: number) =>
    state.chats
      .filter((each) => each.connectionId === connectionId)
      .reduce((sum, each) => sum + each.unread, 0);
  return {
    "GET /api/chats": ({ query: { connectionId, search, cursor } }) => {
      const all = state.chats
        .filter((each) => each.connectionId === connectionId && holds(`${each.name} ${each.phone}`, search))
        .toSorted((a, b) => b.last.at.localeCompare(a.last.at));
      const { items, next } = pageByCursor(all, cursor, 50);
      return { chats: items, next, unread: unreadOf(connectionId) };
    },
    "GET /api/chats/unread": () => {
      const connections = state.connections
        .map(({ id }) => ({ connectionId: id, unread: unreadOf(id) }))
        .filter(({ unread }) => unread > 0);
      return { unread: connections.reduce((sum, { unread }) => sum + unread, 0), connections };
    },
    "GET /api/chats/{id}": ({ params }) => chat(params.id),
    "GET /api/chats/{id}/messages": ({ params, query: { older } }) => {
      chat(params.id);
      const all = state.messages[params.id] ?? [];
      const end = older === undefined ? all.length : Number(older);
      const first = Math.max(0, end - 100);
      return { messages: all.slice(first, end), older: first > 0 ? String(first) : null, upTo: all.length };
    },
    "GET /api/chats/{id}/answers": ({ params }) => ({
      answers: Object.values(state.answers)
        .flat()
        .filter(({ chatId }) => chatId === params.id),
    }),
    "POST /api/chats/{id}/read": ({ params }) => {
      const read = chat(params.id);
      read.unread = 0;
      return read;
    },
  };
}

function connectionAnswers(state: World): Handlers {
  return {
    "GET /api/connections": () => ({ connections: state.connections }),
    "GET /api/connections/{id}/plan": ({ params }) => found(state.plans[params.id]),
    "PUT /api/connections/{id}/plan": ({ params, body: { plan, accepts } }) => {
      const view = found(state.plans[params.id]);
      const risks = risksOf(plan, new Date().toISOString().slice(0, 10));
      const open = risks.filter((risk) => !view.risks.includes(risk) && !accepts.includes(risk));
      if (open.length > 0) throw refuse("plan_risky", { details: { risks: open } });
      const stored = { ...view, plan, risks };
      state.plans[params.id] = stored;
      return stored;
    },
    "GET /api/connections/{id}/assistant/answers": ({ params, query: { cursor } }) => {
      const { items, next } = pageByCursor(state.answers[params.id] ?? [], cursor, 50);
      return { answers: items, next };
    },
    "GET /api/assistants": () => ({ links: state.links }),
    "GET /api/mistral/settings": () => state.mistral,
    "GET /api/mistral/agents": () => {
      if (state.mistral.source === "none") throw refuse("mistral_no_key");
      return state.agents;
    },
    "GET /api/mistral/agents/{agentId}": ({ params }) =>
      found(state.agents.find(({ id }) => id === params.agentId)),
    "GET /api/mistral/models": () => ({
      models: [{ id: "mistral-small-latest", name: "mistral-small-latest" }],
    }),
    "GET /api/gateways": () => ({ gateways: state.gateways, providedClosed: false }),
    "GET /api/gateways/{id}/instances": ({ params }) => ({ instances: state.instances[params.id] ?? [] }),
    "GET /api/gateways/{id}/instances/{name}/oddities": () => ({ oddities: [] }),
  };
}

function settingsAnswers(state: World): Handlers {
  return {
    "GET /api/settings/api-keys": () => ({ keys: state.keys }),
    "GET /api/settings/password-proof": () => ({ needed: state.passwordNeeded }),
    "GET /api/settings/sessions": () => ({ sessions: state.sessions }),
    "GET /api/settings/notifications": () => state.notifications,
    "GET /api/settings/usage": () => state.usage,
    "GET /api/settings/opt-out-confirmation": () => ({ text: state.optOutConfirmation }),
    "GET /api/audit": ({ query: { group, after, limit } }) => {
      const kinds: readonly string[] | undefined = group && AUDIT_KINDS[group];
      const events = state.audit.filter(({ kind }) => !kinds || kinds.includes(kind));
      return pageById(events, after, limit);
    },
  };
}
