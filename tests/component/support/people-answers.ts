import type { Person, PersonDetails } from "../../../src/contract/people.ts";
import { folded } from "../../../src/web/lib/folded.ts";
import { type Handlers, refuse } from "./endpoints.ts";
import type { World } from "./world.ts";

type Scope = { listId?: number | undefined; search?: string | undefined };

const holds = ({ name, phone }: Person, search: string) =>
  folded(`${name} ${phone}`).includes(folded(search));

export function matchingPeople(state: World, { listId, search }: Scope): PersonDetails[] {
  return state.people
    .filter(({ lists }) => listId === undefined || lists.some(({ id }) => id === listId))
    .filter((person) => !search || holds(person, search));
}

const shown = ({ updatedAt: _, lists: __, origin: ___, optOut: ____, ...person }: PersonDetails): Person =>
  person;

export function knownById(state: World, id: number): PersonDetails {
  const person = state.people.find((each) => each.id === id);
  if (!person) throw refuse("not_found");
  return person;
}

export function peopleAnswers(state: World): Handlers {
  return {
    "GET /api/people": ({ query: { sort, descending, cursor, limit, ...scope } }) => {
      const sorted = matchingPeople(state, scope).toSorted((a, b) =>
        sort === "name" ? a.name.localeCompare(b.name, "pt-BR") : a.createdAt.localeCompare(b.createdAt),
      );
      if (descending === "true") sorted.reverse();
      const first = Number(cursor ?? 0);
      return {
        items: sorted.slice(first, first + limit).map(shown),
        total: matchingPeople(state, { listId: scope.listId }).length,
        next: first + limit < sorted.length ? String(first + limit) : null,
      };
    },
    "GET /api/people/count": ({ query }) => ({ people: matchingPeople(state, query).length }),
    "GET /api/people/{id}": ({ params }) => knownById(state, params.id),
    "GET /api/people/{id}/history": ({ params, query: { cursor, limit } }) => {
      const events = state.histories[knownById(state, params.id).id] ?? [];
      const first = Number(cursor ?? 0);
      return {
        items: events.slice(first, first + limit),
        campaigns: events.filter(({ kind }) => kind === "campaign").length,
        next: first + limit < events.length ? String(first + limit) : null,
      };
    },
    "GET /api/people/{id}/erasure": ({ params }) => {
      const sent = state.histories[knownById(state, params.id).id] ?? [];
      const campaigns = sent.filter(({ kind }) => kind === "campaign").length;
      return { campaigns, waiting: 1, chats: 1, messages: sent.length - campaigns, direct: 0 };
    },
    "GET /api/people/{id}/why": ({ params }) => {
      const sent = state.histories[knownById(state, params.id).id] ?? [];
      const campaigns = sent.filter(({ kind }) => kind === "campaign").length;
      return { text: `Por que recebi isto?\n\nVocê recebeu ${campaigns} campanha.` };
    },
    "GET /api/contact-fields": () => ({ items: state.fields }),
  };
}
