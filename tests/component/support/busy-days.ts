import type { ListedCampaign, Outcome } from "../../../src/contract/campaigns.ts";
import { type FakeServer, fakeServer } from "./fake-server.ts";
import { daysOf } from "./figures.ts";
import { campaign, connection, contactList } from "./rows.ts";
import { world } from "./world.ts";
import { answerFrom } from "./world-answers.ts";

type Figures = NonNullable<ListedCampaign["inPeriod"]>;

const figures = (accepted: number, errors: number, confirmed: number): Figures => ({
  attempts: accepted + errors,
  accepted,
  confirmed,
  read: 0,
  errors,
  uncertain: 0,
});

const ofOutcome: Record<Outcome, (counts: ListedCampaign["counts"]) => number> = {
  attempts: ({ sent, errors, uncertain }) => sent + errors + uncertain,
  accepted: ({ sent }) => sent,
  confirmed: ({ confirmed }) => confirmed,
  read: ({ read }) => read,
  errors: ({ errors }) => errors,
  uncertain: ({ uncertain }) => uncertain,
};

const plus = (a: Figures, b: Figures): Figures => ({
  attempts: a.attempts + b.attempts,
  accepted: a.accepted + b.accepted,
  confirmed: a.confirmed + b.confirmed,
  read: a.read + b.read,
  errors: a.errors + b.errors,
  uncertain: a.uncertain + b.uncertain,
});

/** By campaign and days back. */
type Busy = Record<number, Record<number, Figures>>;

export function withDays() {
  const line = connection({ name: "Matriz" });
  const list = contactList({ name: "Clientes", count: 120 });
  const here = { connectionId: line.id, connectionName: line.name };
  const old = campaign({
    name: "Óculos prontos",
    status: "partially_completed",
    states: { sent: 20, read: 74, error: 5, uncertain: 1 },
    ...here,
  });
  const clean = campaign({ name: "Pesquisa", states: { delivered: 7 } });
  const states = { delivered: 10, pending: 90 };
  const campaigns = [
    campaign({ name: "Desistida", status: "cancelled", states: { skipped: 4 } }),
    campaign({ name: "Natal", status: "draft", text: "", listId: list.id, people: 120 }),
    campaign({ name: "Black Friday", status: "sending", states, ...here }),
    clean,
    old,
  ];
  const busy: Busy = {
    [old.id]: { 0: figures(34, 1, 24), 1: figures(60, 4, 50) },
    [clean.id]: { 1: figures(7, 0, 7) },
  };
  const server = fakeServer(world({ connections: [line], lists: [list], campaigns }));
  answerDashboard(server, busy);
  answerList(server, busy);
  return { server, old };
}

function answerDashboard(server: FakeServer, busy: Busy) {
  server.on("GET /api/dashboard", async (call) => {
    const { campaign: id } = call.query;
    const chosen = server.world.campaigns.filter((each) => id === undefined || each.id === id);
    const answer = await answerFrom({ ...server.world, campaigns: chosen })["GET /api/dashboard"]?.(call);
    if (!answer) throw new Error("the world has a dashboard");
    const points = [0, 1].map((back) => {
      const found = chosen.flatMap((each) => busy[each.id]?.[back] ?? []);
      const { attempts, accepted, confirmed } = found.reduce(plus, figures(0, 0, 0));
      return [back, [attempts, accepted, confirmed] as const] as const;
    });
    const people = id === undefined ? 120 : (chosen[0]?.people ?? 0);
    return {
      ...answer,
      days: daysOf(7, Object.fromEntries(points)),
      cards: { ...answer.cards, contacts: { value: people, change: null } },
    };
  });
}

function answerList(server: FakeServer, busy: Busy) {
  server.on("GET /api/campaigns", async (call) => {
    const { from, to, outcome = null } = call.query;
    const backs = daysOf(7, {}).map(({ day }, at) => [6 - at, day] as const);
    const inside = backs.filter(([, day]) => day >= (from ?? "") && day <= (to ?? "9"));
    const narrowed = server.world.campaigns
      .filter(({ counts }) => outcome === null || ofOutcome[outcome](counts) > 0)
      .map((each) => {
        const found = inside.flatMap(([back]) => busy[each.id]?.[back] ?? []);
        return { ...each, inPeriod: from && found.length > 0 ? found.reduce(plus) : null };
      });
    const answer = await answerFrom({ ...server.world, campaigns: narrowed })["GET /api/campaigns"]?.(call);
    if (!answer) throw new Error("the world has campaigns");
    return answer;
  });
}
