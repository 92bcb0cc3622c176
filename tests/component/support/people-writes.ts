import type { Person, Selection } from "../../../src/contract/people.ts";
import { readPhone } from "../../../src/domain/phone-foreign.ts";
import { refuse } from "./endpoints.ts";
import type { FakeServer } from "./fake-server.ts";
import { knownById, matchingPeople } from "./people-answers.ts";
import { contactList, knownPerson, minutesAgo } from "./rows.ts";
import type { World } from "./world.ts";

const chosen = (state: World, selection: Selection) =>
  "ids" in selection
    ? state.people.filter(({ id }) => selection.ids.includes(id))
    : matchingPeople(state, selection.all);

function phoneIn(state: World, typed: string, own?: number): string {
  const read = readPhone(typed);
  if ("error" in read) throw refuse("invalid_fields", { fields: { phone: "Telefone inválido." } });
  const other = state.people.find(({ id, phone }) => phone === read.phone && id !== own);
  if (other) {
    const { id, name, phone } = other;
    throw refuse("phone_taken", { details: { id, name, phone } });
  }
  return read.phone;
}

const without = (changes: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== null)) as Person["fields"];

export function changingPeople(server: FakeServer) {
  const { world: state } = server;
  const listOf = (id: number) => {
    const list = state.lists.find((each) => each.id === id);
    if (!list) throw refuse("not_found");
    return list;
  };
  const erased = new Set<string>();
  server.on("POST /api/people/{id}/erase", ({ params }) => {
    const { id, phone } = knownById(state, params.id);
    erased.add(phone);
    state.people = state.people.filter((person) => person.id !== id);
    return { campaigns: 1, chats: 1 };
  });
  server.on("POST /api/people", ({ body: { name, phone, fields = {}, listIds = [], takeBack } }) => {
    const own = phoneIn(state, phone);
    if (takeBack) erased.delete(own);
    if (erased.has(own)) throw refuse("person_erased");
    const lists = listIds.map(listOf).map(({ id, name: called }) => ({ id, name: called }));
    const person = knownPerson(0, { name, phone: phoneIn(state, phone), fields: without(fields), lists });
    state.people.push(person);
    return person;
  });
  server.on("PATCH /api/people/{id}", ({ params, body: { name, phone, fields = {} } }) => {
    const person = knownById(state, params.id);
    if (phone !== undefined) person.phone = phoneIn(state, phone, person.id);
    if (name !== undefined) person.name = name;
    person.fields = without({ ...person.fields, ...fields });
    person.updatedAt = minutesAgo(0);
    return person;
  });
  server.on("POST /api/people/{id}/merge", ({ params, body: { otherId, phone, name, fields } }) => {
    const [person, other] = [knownById(state, params.id), knownById(state, otherId)];
    state.people = state.people.filter(({ id }) => id !== otherId);
    const lists = [
      ...person.lists,
      ...other.lists.filter(({ id }) => !person.lists.some((l) => l.id === id)),
    ];
    return Object.assign(person, { name, phone: phone.slice(1), fields: without(fields), lists });
  });
  server.on("POST /api/people/add-to-list", ({ body: { selection, listId } }) => {
    const { id, name } = listOf(listId);
    const fresh = chosen(state, selection).filter(({ lists }) => !lists.some((each) => each.id === id));
    for (const person of fresh) person.lists = [...person.lists, { id, name }];
    return { people: fresh.length };
  });
  server.on("POST /api/people/remove-from-list", ({ body: { selection, listId } }) => {
    const gone = chosen(state, selection).filter(({ lists }) => lists.some(({ id }) => id === listId));
    for (const person of gone) person.lists = person.lists.filter(({ id }) => id !== listId);
    return { people: gone.length };
  });
  server.on("POST /api/people/remove", ({ body: { selection } }) => {
    const gone = new Set(chosen(state, selection));
    state.people = state.people.filter((person) => !gone.has(person));
    return { people: gone.size };
  });
  server.on("POST /api/contact-lists", ({ body: { name } }) => {
    const list = contactList({ name });
    state.lists.push(list);
    return list;
  });
}
