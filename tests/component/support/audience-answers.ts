import type { AudienceCount, AudienceQuestion } from "../../../src/contract/audiences.ts";
import { type Handlers, refuse } from "./endpoints.ts";
import type { World } from "./world.ts";

type Someone = { phone: string; name: string };

type Crowd = { known: Someone[]; more: number };

const size = ({ known, more }: Crowd) => known.length + more;

function ofList(state: World, id: number): Crowd {
  const list = state.lists.find((each) => each.id === id);
  if (!list) throw refuse("not_found", { details: { field: "audience" } });
  const known = state.contacts[id] ?? [];
  return { known, more: Math.max(0, list.count - known.length) };
}

function ofSegment(state: World, id: number): Crowd {
  const segment = state.segments.find((each) => each.id === id);
  if (!segment) throw refuse("not_found", { details: { field: "audience" } });
  return { known: state.people, more: 0 };
}

function ofCampaign(state: World, id: number): Crowd {
  if (!state.campaigns.some((each) => each.id === id))
    throw refuse("not_found", { details: { field: "audience" } });
  return { known: state.deliveries[id] ?? [], more: 0 };
}

function crowdsOf(state: World, { listId, audience }: AudienceQuestion) {
  const lists = [...(listId === null ? [] : [listId]), ...(audience?.listIds ?? [])];
  const sources = new Map<string, Crowd>();
  for (const id of lists) sources.set(`list:${id}`, ofList(state, id));
  for (const id of audience?.segmentIds ?? []) sources.set(`segment:${id}`, ofSegment(state, id));
  const without = new Map<string, Crowd>();
  for (const id of audience?.without.listIds ?? []) without.set(`without-list:${id}`, ofList(state, id));
  for (const id of audience?.without.campaignIds ?? [])
    without.set(`without-campaign:${id}`, ofCampaign(state, id));
  const chats = state.chats.map(({ phone, name }) => ({ phone: phone ?? "", name }));
  if (audience?.without.talkedHours) without.set("talked", { known: chats, more: 0 });
  if (audience?.without.unanswered) without.set("unanswered", { known: [], more: 0 });
  const left = Object.values(state.contacts)
    .flat()
    .filter(({ optedOut }) => optedOut);
  without.set("opted_out", { known: left, more: 0 });
  return { sources, without };
}

function linesOf(state: World, question: AudienceQuestion) {
  const { sources, without } = crowdsOf(state, question);
  const people = new Map<string, Someone>();
  for (const { known } of sources.values()) for (const each of known) people.set(each.phone, each);
  const more = [...sources.values()].reduce((sum, crowd) => sum + crowd.more, 0);
  const places = [...sources.values()].reduce((sum, crowd) => sum + size(crowd), 0);
  const rest = new Map(people);
  const left = [...without].map(([key, { known }]) => {
    const taken = [...rest.values()].filter(({ phone }) => known.some((each) => each.phone === phone));
    for (const { phone } of taken) rest.delete(phone);
    return [key, taken] as const;
  });
  return { sources, left, gets: { known: [...rest.values()], more }, twice: places - people.size - more };
}

function nameOf({ lists, segments, campaigns }: World, key: string): string | null {
  const [kind, id] = key.replace("without-", "").split(":");
  const rows = { list: lists, segment: segments, campaign: campaigns }[kind ?? ""];
  return rows?.find((each) => String(each.id) === id)?.name ?? null;
}

function countOf(state: World, question: AudienceQuestion): AudienceCount {
  const { sources, left, gets, twice } = linesOf(state, question);
  return {
    sources: [...sources].map(([key, crowd]) => ({ key, name: nameOf(state, key), people: size(crowd) })),
    twice,
    without: left.map(([key, people]) => ({ key, name: nameOf(state, key), people: people.length })),
    gets: size(gets),
    landLines: 0,
    missing: Object.fromEntries(question.variables.map(({ key }) => [key, size(gets)])),
    items: gets.known.slice(0, 50).map(({ phone, name }) => ({ phone, name, texts: {} })),
  };
}

export function audienceAnswers(state: World): Handlers {
  return {
    "GET /api/segments": () => ({ items: state.segments }),
    "POST /api/segments/count": () => ({ people: state.people.length }),
    "POST /api/audience/count": ({ body }) => countOf(state, body),
    "POST /api/audience/forecast": () => ({ forecast: null }),
    "POST /api/audience/number-checks/count": () => ({ unchecked: 0, waiting: 0, may: "yes" }),
    "POST /api/audience/names": ({ body: { line, ...question } }) => {
      const { sources, left, gets } = linesOf(state, question);
      const crowd =
        line === "gets" ? gets : (sources.get(line) ?? { known: new Map(left).get(line) ?? [], more: 0 });
      return {
        people: size(crowd),
        items: crowd.known.slice(0, 100).map(({ name, phone }) => ({ name, phone })),
      };
    },
    "GET /api/settings/weekly-limit": () => ({ campaignsPerWeek: state.weeklyLimit }),
    "GET /api/settings/undo-time": () => ({ seconds: state.undoSeconds }),
  };
}
