import { expect, test } from "vitest";
import { SCREENS } from "../../contract/screens.ts";
import { makeSession } from "../api/session.ts";
import { makeRouter } from "./router.tsx";

test("26.20 the server knows the address of every screen", () => {
  const { routesByPath } = makeRouter(makeSession(() => undefined));
  expect(Object.keys(routesByPath).toSorted()).toEqual(SCREENS.toSorted());
});
