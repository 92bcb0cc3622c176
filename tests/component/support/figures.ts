import type { Dashboard } from "../../../src/contract/dashboard.ts";
import { refuse } from "./endpoints.ts";
import { fakeServer } from "./fake-server.ts";
import { campaign, connection, contactList, minutesAgo } from "./rows.ts";
import { world } from "./world.ts";
import { answerFrom } from "./world-answers.ts";

export const HOUR = 3_600_000;
export const ZONE = "America/Sao_Paulo";

export const dayIn = (at: number) => new Intl.DateTimeFormat("en-CA", { timeZone: ZONE }).format(at);

export function daysOf(
  span: number,
  busy: Record<number, readonly [sent: number, taken: number, came: number]>,
) {
  return Array.from({ length: span }, (_, at): Dashboard["days"][number] => {
    const back = span - 1 - at;
    const [sent, delivered, confirmed] = busy[back] ?? [0, 0, 0];
    return { day: dayIn(Date.now() - back * 24 * HOUR), sent, delivered, confirmed };
  });
}

const BUSY = { 0: [35, 34, 24], 1: [64, 60, 50], 40: [50, 50, 40] } as const;

export function withFigures() {
  const line = connection({ name: "Matriz" });
  const here = { connectionId: line.id, connectionName: line.name };
  const old = campaign({
    name: "Óculos prontos",
    status: "partially_completed",
    states: { sent: 20, read: 74, error: 5, uncertain: 1 },
    date: minutesAgo(0),
    ...here,
  });
  const states = { delivered: 10, pending: 90 };
  const running = campaign({ name: "Black Friday", status: "sending", states, ...here });
  const draft = campaign({ name: "Rascunho", status: "draft", text: "", people: 0 });
  const list = contactList({ name: "Clientes", count: 120 });
  const state = world({ connections: [line], campaigns: [draft, running, old], lists: [list] });
  const server = fakeServer(state);
  const whole = {
    cards: {
      sent: { value: 104, change: 0.88 },
      contacts: { value: 120, change: 0 },
      rate: { value: 104 / 110, change: -0.0505, confirmed: 84 / 110 },
      interval: { value: 1, change: 0 },
    },
    gauge: {
      rate: 104 / 110,
      confirmedRate: 84 / 110,
      readRate: 74 / 110,
      attempts: 110,
      delivered: 104,
      confirmed: 84,
      read: 74,
      errors: 5,
      uncertain: 1,
    },
  };
  const one = { ...whole, cards: { ...whole.cards, sent: { value: 94, change: null } } };
  const { "GET /api/dashboard": ofWorld } = answerFrom(state);
  server.on("GET /api/dashboard", async (call) => {
    const { campaign: wanted, days } = call.query;
    if (!ofWorld || (wanted !== undefined && !state.campaigns.some(({ id }) => id === wanted)))
      throw refuse("not_found");
    const figures = wanted === old.id ? one : whole;
    return { ...(await ofWorld(call)), ...figures, days: daysOf(Number(days), BUSY), ...state.dashboard };
  });
  return { server, state, old, running, whole };
}
