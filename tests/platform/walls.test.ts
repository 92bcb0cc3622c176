import { expect, test } from "vitest";
import { brokenWalls, cycles, importsOf, loadedTooSoon } from "../../scripts/walls.ts";

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
  ["src/server/http/app.ts", "src/server/accounts/service.ts", "http-knows-no-feature"],
])("%s may not import %s", (file, target, wall) => {
  expect(brokenWalls(new Map([[file, [target]]])).join()).toContain(`${wall}: `);
});

test.each([
  ["src/domain/phone.ts", "npm:libphonenumber-js"],
  ["src/server/campaigns/service.ts", "src/server/campaigns/repo.ts"],
  ["src/server/campaigns/service.ts", "src/server/contacts/service.ts"],
  ["src/server/app/routes.ts", "src/server/accounts/routes.ts"],
  ["src/server/transports/device/socket.ts", "npm:baileys"],
  ["src/server/jobs/queue.ts", "npm:pg-boss"],
])("%s may import %s", (file, target) => {
  expect(brokenWalls(new Map([[file, [target]]]))).toEqual([]);
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
    "src/server/b.ts": `
export { c } from "./c.ts";
import "./main.ts";
`,
    "src/server/c.ts": "",
    "src/server/d.ts": 'import sharp from "sharp";',
  };
  const loads = (c: string) =>
    loadedTooSoon(
      new Map(
        Object.entries({ ...texts, "src/server/c.ts": c }).map(([file, text]) => [
          file,
          importsOf(file, text, { atOnce: true }),
        ]),
      ),
    );
  expect(loads("")).toEqual([]);
  expect(loads('import { type D } from "baileys";')).toEqual([
    expect.stringContaining(
      "src/server/app/main.ts → src/server/b.ts → src/server/c.ts → npm:baileys\n    light-start: ",
    ),
  ]);
  expect(loadedTooSoon(new Map()).join()).toContain("is not there");
});
