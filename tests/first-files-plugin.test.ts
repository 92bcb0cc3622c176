import fs from "node:fs";
import { expect, test } from "vitest";
import { screensOf } from "../scripts/first-files-plugin.ts";
import { makeSession } from "../src/web/api/session.ts";
import { makeRouter } from "../src/web/app/router.tsx";

const source = fs.readFileSync("src/web/app/router.tsx", "utf8");

test("every screen that the router knows is found in its source, with its file and whether it needs a signed-in person", () => {
  const { routesByPath } = makeRouter(makeSession(() => undefined));
  const known = Object.entries(routesByPath).map(([path, { id }]) => [path, id.startsWith("/shell/")]);
  const found = screensOf(source).map(({ path, framed }) => [path, framed]);
  expect(found.toSorted()).toEqual(known.toSorted());
  for (const { path, file } of screensOf(source))
    expect(fs.existsSync(`src/web/app/${file}`), path).toBe(true);
});

test("a screen with two addresses is one file", () => {
  const files = new Map(screensOf(source).map(({ path, file }) => [path, file]));
  expect(files.get("/baileys")).toBe("../pages/connect/connect-page.tsx");
  expect(files.get("/whatsapp/connect")).toBe("../pages/connect/connect-page.tsx");
});

test("a screen whose file cannot be found fails the build", () => {
  const odd =
    'const odd = createRoute({\n  getParentRoute: () => root,\n  path: "/odd",\n  component: Odd,\n});\n';
  expect(() => screensOf(odd)).toThrow("/odd");
});
