import { afterAll, expect, inject, test } from "vitest";
import { keyOf } from "./fuzz/requests.ts";
import { fuzzRoute } from "./fuzz/run.ts";
import { openWorld } from "./fuzz/world.ts";

/* Any request to any mounted route: an answer below 500 in the contract's form, a refusal with a code and a
   text. New routes are included automatically; `npm run fuzz` sends ten thousand each. */

const world = await openWorld(inject("databaseServer"), inject("databaseTemplate"));
afterAll(() => world.close());

const SEED = "1";
const REQUESTS = 24;
const routes = world.app.endpoints.map((route) => ({ key: keyOf(route), route }));

test.each(routes)(
  "$key never answers 500, nor anything but what the contract says (seed 1)",
  async ({ route }) => {
    const { errors, requests } = await fuzzRoute(world, route, { seed: SEED, requests: REQUESTS });
    expect(errors).toEqual([]);
    expect(requests).toBe(REQUESTS);
  },
);
