import { expect, test } from "vitest";
import { composedApp } from "../../../tests/support/composed-app.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import type { PersonDetails } from "../../contract/people.ts";

const { app, signUp } = await composedApp(await testDatabase());

type Answer = { status: number; body: Record<string, unknown> };

async function setting(scope: string) {
  const { cookie } = await signUp(`ana-${scope}`);
  const ask = async (headers: Record<string, string>, method: string, path: string, body?: unknown) => {
    const json: Record<string, string> = body === undefined ? {} : { "content-type": "application/json" };
    const init = { method, headers: { ...headers, ...json }, body: JSON.stringify(body) };
    const answer = await app.hono.request(path, init);
    const isJson = answer.headers.get("content-type")?.includes("json");
    return { status: answer.status, body: isJson ? await answer.json() : {} } as Answer;
  };
  const made = await ask({ cookie }, "POST", "/api/settings/api-keys", { name: "Loja", scope });
  const person = { name: "Ana", phone: "31987654321" };
  const { body: known } = await ask({ cookie }, "POST", "/api/people", person);
  const { body: field } = await ask({ cookie }, "POST", "/api/contact-fields", {
    label: "Pet",
    kind: "text",
  });
  const { body: list } = await ask({ cookie }, "POST", "/api/contact-lists", { name: "Clientes" });
  const authorization = `Bearer ${String(made.body.key)}`;
  const call = (method: string, path: string, body?: unknown) => ask({ authorization }, method, path, body);
  return { call, person: Number(known.id), field: Number(field.id), list: Number(list.id) };
}
type Setting = Awaited<ReturnType<typeof setting>>;

const READS = ["", "/count", "/export", "/{id}", "/{id}/history"].map((path) => `/api/people${path}`);

const writes = ({ person, field, list }: Setting): [string, string, unknown][] => {
  const selection = { ids: [person] };
  return [
    ["POST", "/api/people", { name: "Bia", phone: "31987654322" }],
    ["PATCH", `/api/people/${person}`, { name: "Bia" }],
    ["POST", `/api/people/${person}/merge`, { otherId: 999, phone: "31987654321", name: "", fields: {} }],
    ["POST", "/api/people/add-to-list", { listId: list, selection }],
    ["POST", "/api/people/remove-from-list", { listId: list, selection }],
    ["POST", "/api/people/remove", { selection }],
    ["POST", "/api/contact-fields", { label: "Peso", kind: "number" }],
    ["PATCH", `/api/contact-fields/${field}`, { label: "Bicho" }],
    ["DELETE", `/api/contact-fields/${field}`, undefined],
    ["POST", "/api/contact-lists", { name: "Nova" }],
    ["PATCH", `/api/contact-lists/${list}`, { name: "Outra" }],
    ["POST", "/api/contacts", { name: "Bia", phone: "31987654322", listId: list }],
    [
      "POST",
      "/api/contact-imports/json",
      { name: "Loja", contacts: [{ name: "Bia", phone: "31987654322" }] },
    ],
    ["POST", "/api/contact-import-drafts/999/read", {}],
    ["DELETE", `/api/contact-lists/${list}`, undefined],
  ];
};

test.each(["read", "send"])(
  "a key with the scope «%s» reads people, fields and lists and changes none",
  async (scope) => {
    const here = await setting(scope);
    for (const path of [...READS, "/api/contact-fields", "/api/contact-lists", "/api/contact-imports"])
      expect([path, (await here.call("GET", path.replace("{id}", String(here.person)))).status]).toEqual([
        path,
        200,
      ]);
    for (const [method, path, body] of writes(here)) {
      const answer = await here.call(method, path, body);
      expect([path, answer.status, answer.body.code]).toEqual([path, 403, "forbidden_scope"]);
    }
  },
);

test("a key with the whole scope changes them, and its people say which key added them", async () => {
  const here = await setting("all");
  const answers: [string, number][] = [];
  for (const [method, path, body] of writes(here))
    answers.push([path, (await here.call(method, path, body)).status]);
  expect(answers.map(([, status]) => status)).toEqual([
    201, 200, 404, 200, 200, 200, 201, 200, 200, 201, 200, 201, 202, 404, 200,
  ]);
  const { items } = (await here.call("GET", "/api/people")).body as { items: PersonDetails[] };
  expect(items.map(({ name }) => name)).toEqual(["Bia"]);
  expect((await here.call("GET", `/api/people/${items[0]?.id}`)).body).toMatchObject({
    origin: { kind: "api", by: "Loja", row: null },
  });
});
