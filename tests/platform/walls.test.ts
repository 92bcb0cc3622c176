import { expect, test } from "vitest";
import {
  brokenWalls,
  cycles,
  exportedFunctions,
  importsOf,
  loadedTooSoon,
  looseFiles,
  roomCircles,
  roomOf,
  wideDoor,
} from "../../scripts/walls.ts";

test("every way to import is seen", () => {
  const text = `
import fs from "node:fs";
import type { Db } from "../db/client.ts";
import {
  a,
  b,
} from "./near.ts";
import "./styles.css";
export { c } from "../../domain/c.ts";
const later = () => import("./later.ts");
import { z } from "zod/v4";
import { x } from "@scope/name/part";
// import { no } from "./comment.ts" is not at a line's start
const text = 'from "nowhere"';
`;
  expect(importsOf("src/server/http/a.ts", text)).toEqual([
    "node:fs",
    "src/server/db/client.ts",
    "src/server/http/near.ts",
    "src/server/http/styles.css",
    "src/domain/c.ts",
    "src/server/http/later.ts",
    "npm:zod",
    "npm:@scope/name",
  ]);
});

test.each([
  ["src/domain/phone.ts", "src/server/base/clock.ts", "domain-alone"],
  ["src/domain/phone.ts", "node:fs", "domain-alone"],
  ["src/contract/a.ts", "npm:hono", "contract-knows-domain-and-zod"],
  ["src/web/app/main.tsx", "src/server/base/config.ts", "web-knows-the-contract"],
  ["src/server/app/main.ts", "simulators/main.ts", "product-without-simulator"],
  ["src/server/sending/lane/lane.ts", "npm:baileys", "baileys-behind-device"],
  ["src/server/accounts/repo.ts", "npm:pg", "driver-behind-db"],
  ["src/server/campaigns/service.ts", "src/server/contacts/repo.ts", "features-meet-at-services"],
  ["src/server/campaigns/service.ts", "src/server/contacts/import-repo.ts", "features-meet-at-services"],
  ["src/server/chat/send.ts", "src/server/files/images.ts", "features-meet-at-services"],
  ["src/server/sending/ledger/turn.ts", "src/server/audit/repo.ts", "features-meet-at-services"],
  ["src/server/campaigns/service.ts", "src/server/sending/lane/lane.ts", "sending-door"],
  ["src/server/app/services.ts", "src/server/sending/ledger/signals.ts", "sending-door"],
  ["src/server/http/app.ts", "src/server/accounts/service.ts", "libraries-know-no-feature"],
  ["src/web/pages/chat/chat-page.tsx", "src/web/pages/agents/agents.css", "pages-apart"],
  ["src/server/campaigns/service.ts", "src/server/app/services.ts", "libraries-below-features"],
])("%s may not import %s", (file, target, wall) => {
  expect(brokenWalls(new Map([[file, [target]]])).join()).toContain(`${wall}: `);
});

test.each([
  ["src/domain/phone.ts", "npm:libphonenumber-js"],
  ["src/server/campaigns/service.ts", "src/server/campaigns/repo.ts"],
  ["src/server/campaigns/service.ts", "src/server/contacts/service.ts"],
  ["src/server/app/routes.ts", "src/server/accounts/routes.ts"],
  ["src/server/campaigns/service.ts", "src/server/sending/sending.ts"],
  ["src/server/sending/sending.ts", "src/server/sending/lane/lane.ts"],
  ["src/server/campaigns/service.test.ts", "src/server/sending/ledger/settle.ts"],
  ["src/server/transports/device/socket.ts", "npm:baileys"],
  ["src/server/jobs/queue.ts", "npm:pg-boss"],
])("%s may import %s", (file, target) => {
  expect(brokenWalls(new Map([[file, [target]]]))).toEqual([]);
});

test("the door of sending: functions and values count, types do not; more than allowed is an error", () => {
  const text = `
export type A = string;
export function a() {}
export async function b() {}
export const c = () => {};
function d() {}
`;
  expect(exportedFunctions(text)).toEqual(["a", "b", "c"]);
  expect(wideDoor(text, { file: "sending.ts", most: 3 })).toEqual([]);
  expect(wideDoor(text, { file: "sending.ts", most: 2 })).toEqual([
    expect.stringContaining("exports 3 functions\n    sending-door: "),
  ]);
});

test("a circle is found, also one that is entered from outside", () => {
  const graph = new Map([
    ["in.ts", ["a.ts"]],
    ["a.ts", ["b.ts"]],
    ["b.ts", ["c.ts"]],
    ["c.ts", ["a.ts"]],
  ]);
  expect(cycles(graph).join()).toContain("a.ts → b.ts → c.ts → a.ts");
  expect(
    cycles(
      new Map([
        ["a.ts", ["b.ts"]],
        ["b.ts", []],
      ]),
    ),
  ).toEqual([]);
});

test("what the start loads by way of others is found; types and what is asked for later are not loaded", () => {
  const texts = {
    "src/server/app/main.ts": `
import type { A } from "baileys";
import { b } from "./b.ts";
export type { C } from "nodemailer";
const later = () => import("sharp");
`,
    "src/server/app/b.ts": `
export { c } from "./c.ts";
import "./main.ts";
`,
    "src/server/app/c.ts": "",
    "src/server/app/d.ts": 'import sharp from "sharp";',
  };
  const loads = (c: string) =>
    loadedTooSoon(
      new Map(
        Object.entries({ ...texts, "src/server/app/c.ts": c }).map(([file, text]) => [
          file,
          importsOf(file, text, { atOnce: true }),
        ]),
      ),
    );
  expect(loads("")).toEqual([]);
  expect(loads('import { type D } from "baileys";')).toEqual([
    expect.stringContaining(
      "src/server/app/main.ts → src/server/app/b.ts → src/server/app/c.ts → npm:baileys\n    light-start: ",
    ),
  ]);
  expect(loadedTooSoon(new Map()).join()).toContain("is not there");
});

const graphOf = (imports: Record<string, string[]>) => new Map(Object.entries(imports));

test("a circle of rooms is found, types included; within a room and from tests files may go where they like", () => {
  const open = {
    "src/server/chat/a.ts": ["src/server/db/client.ts", "src/server/chat/b.ts"],
    "src/server/chat/b.ts": ["src/server/chat/a.ts"],
    "src/server/db/client.ts": [],
    "src/server/db/client.test.ts": ["src/server/chat/a.ts"],
  };
  expect(roomCircles(graphOf(open))).toEqual([]);
  const closed = { ...open, "src/server/db/client.ts": ["src/server/chat/b.ts"] };
  expect(roomCircles(graphOf(closed))).toEqual([
    expect.stringContaining("src/server/chat ↔ src/server/db\n    no-room-circles: "),
  ]);
});

test("a folder of sending, transports or pages is a room; a loose file in a root is an error", () => {
  expect(roomOf("src/server/sending/lane/lane.ts")).toBe("src/server/sending/lane");
  expect(roomOf("src/server/chat/receive.ts")).toBe("src/server/chat");
  expect(roomOf("simulators/mail/smtp-server.ts")).toBe("simulators/mail");
  expect(looseFiles(graphOf({ "src/server/a.ts": [], "src/server/app/main.ts": [] }))).toEqual([
    expect.stringContaining("src/server/a.ts"),
  ]);
});
