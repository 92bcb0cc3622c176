import fs from "node:fs";
import { expect, test } from "vitest";
import { addressesOf, relatedTests } from "../../scripts/test-changed.ts";

const GRAPH = new Map([
  ["src/server/contacts/service.ts", []],
  ["src/server/contacts/lists.test.ts", []],
  ["src/server/app/compose/contacts.ts", ["src/server/contacts/service.ts"]],
  ["src/server/app/compose.test.ts", ["src/server/app/compose/contacts.ts"]],
  ["tests/limits.test.ts", ["src/server/contacts/service.ts"]],
  ["src/web/ui/card.tsx", []],
  ["src/web/pages/contacts/contacts-page.tsx", ["src/web/ui/card.tsx"]],
  ["src/web/pages/chat/chat-page.tsx", []],
  ["tests/component/contacts.test.tsx", []],
  ["tests/component/chat.test.tsx", []],
  ["src/web/pages/agents/agent-page.tsx", []],
  ["tests/component/agents.test.tsx", []],
]);
const TEXTS: Record<string, string> = {
  "tests/component/contacts.test.tsx": 'renderApp("/contacts?busca=ana")',
  "tests/component/chat.test.tsx": 'renderApp("/chat"); see("/contacts-elsewhere")',
  "tests/component/agents.test.tsx": "renderApp('/chatbot/7'); see('/chatbots')",
};
const addresses = new Map([
  ["src/web/pages/contacts/", ["/contacts"]],
  ["src/web/pages/chat/", ["/chat"]],
  ["src/web/pages/agents/", ["/chatbot/"]],
]);
const related = (...changed: string[]) =>
  relatedTests(GRAPH, changed, { addresses, read: (file) => TEXTS[file] ?? "" });

test("a changed source brings the tests beside it and its importers, not those of the whole app", () => {
  expect(related("src/server/contacts/service.ts")).toEqual({
    tests: ["src/server/contacts/lists.test.ts", "tests/limits.test.ts"],
    component: [],
  });
});

test("a changed screen, or one that imports what changed, brings the component tests of its address", () => {
  const contacts = { tests: [], component: ["tests/component/contacts.test.tsx"] };
  expect(related("src/web/pages/contacts/contacts-page.tsx")).toEqual(contacts);
  expect(related("src/web/ui/card.tsx")).toEqual(contacts);
  expect(related("src/web/pages/agents/agent-page.tsx").component).toEqual([
    "tests/component/agents.test.tsx",
  ]);
});

test("a changed test brings itself; a file of another kind brings nothing", () => {
  expect(related("tests/component/chat.test.tsx", "README.md")).toEqual({
    tests: [],
    component: ["tests/component/chat.test.tsx"],
  });
});

test("every folder of screens has its addresses in the router", () => {
  const found = addressesOf(fs.readFileSync("src/web/app/router.tsx", "utf8"));
  const folders = fs.readdirSync("src/web/pages").map((name) => `src/web/pages/${name}/`);
  expect([...found.keys()].toSorted()).toEqual(folders.toSorted());
  expect(found.get("src/web/pages/connect/")).toEqual(["/baileys", "/whatsapp/connect"]);
  expect(found.get("src/web/pages/dashboard/")).toEqual(["/"]);
  expect(found.get("src/web/pages/unsubscribe/")).toEqual(["/descadastrar/"]);
});
