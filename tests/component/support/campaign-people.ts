import type { Campaign, Delivery, ListedCampaign } from "../../../src/contract/campaigns.ts";
import { endStatus, type ShownDelivery } from "../../../src/domain/campaign.ts";
import { refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { campaign, countsOf, delivery } from "./rows.ts";

type Doubt = { params: { id: number; seq: number }; query: { at?: string | undefined } };
type People = Partial<Record<ShownDelivery, number>>;

/** Over, unless its status is given. */
export function withPeople(people: People, given: Partial<ListedCampaign> = {}, error = "no_whatsapp") {
  const reason = error === "no_whatsapp" ? "este número não tem WhatsApp" : error;
  const deliveries = Object.entries(people)
    .flatMap(([status, count]) => Array.from({ length: count }, () => status as ShownDelivery))
    .map((status, seq) => {
      const { phone } = delivery(seq);
      const line = `Falha ao enviar mensagem para ${phone}: ${reason}`;
      return delivery(seq, { status, ...(status === "error" && { error: line, reason: "not_on_whatsapp" }) });
    });
  const lines = deliveries.flatMap((each) => (each.status === "error" && each.error ? [each.error] : []));
  const counts = countsOf(people);
  const over = given.status === undefined;
  const made = campaign({
    status: endStatus(counts),
    connectionId: 1,
    connectionName: "Matriz",
    ...(over && { failureLines: lines.slice(0, 20), failureTotal: lines.length }),
    states: people,
    ...given,
  });
  return { made, deliveries, lines, people: { campaigns: [made], deliveries: { [made.id]: deliveries } } };
}

export function recount({ world }: FakeServer, id: number): void {
  const people: People = {};
  for (const { status } of world.deliveries[id] ?? []) people[status] = (people[status] ?? 0) + 1;
  const counts = countsOf(people);
  world.campaigns = world.campaigns.map((each) => (each.id === id ? { ...each, counts } : each));
}

export async function changePerson(server: FakeServer, id: number, seq: number, change: Partial<Delivery>) {
  const row = server.world.deliveries[id]?.[seq];
  if (!row) throw new Error(`no person ${seq}`);
  Object.assign(row, change);
  recount(server, id);
  await server.publish("campaigns", id);
}

export function settlesDoubts(server: FakeServer): void {
  const settle =
    (status: ShownDelivery) =>
    ({ params: { id, seq }, query }: Doubt): Delivery => {
      const row = server.world.deliveries[id]?.[seq];
      if (!row) throw refuse("not_found");
      if (!row.resolvable || query.at !== row.at) throw refuse("delivery_already_resolved");
      void changePerson(server, id, seq, { status, resolvable: false });
      return row;
    };
  server.on("POST /api/campaigns/{id}/deliveries/{seq}/mark-sent", settle("sent"));
  server.on("POST /api/campaigns/{id}/deliveries/{seq}/ignore", settle("skipped"));
  server.on("POST /api/campaigns/{id}/deliveries/{seq}/resend", settle("pending"));
}

export function changeCampaign({ world }: FakeServer, id: number, given: Partial<ListedCampaign>): Campaign {
  const before = world.campaigns.find((each) => each.id === id);
  if (!before) throw refuse("not_found");
  const { actions: _, counts, ...rest } = before;
  const { inPeriod, ...changed } = campaign({ ...rest, states: counts.states, ...given });
  world.campaigns = world.campaigns.map((each) => (each.id === id ? { ...changed, inPeriod } : each));
  return changed;
}
