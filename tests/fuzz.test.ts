import { afterAll, expect, inject, test } from "vitest";
import { keyOf } from "./fuzz/requests.ts";
import { fuzzRoute } from "./fuzz/run.ts";
import { openWorld } from "./fuzz/world.ts";

/*
 * Whatever anybody sends to whatever route: an answer below 500, in the form that the contract promises, and if it is a refusal, a code
 * with words. The routes are those that the product mounts, so a new one is in here by itself. `npm run fuzz` sends ten thousand each.
 */

const world = await openWorld(inject("databaseServer"), inject("databaseTemplate"));
afterAll(() => world.close());

const SEED = "1";
const REQUESTS = 60;
const routes = world.app.endpoints.map((route) => ({ key: keyOf(route), route }));

test.each(routes)(
  "$key never answers 500, nor anything but what the contract says (seed 1)",
  async ({ route }) => {
    const { faults, requests } = await fuzzRoute(world, route, { seed: SEED, requests: REQUESTS });
    expect(faults).toEqual([]);
    expect(requests).toBe(REQUESTS);
  },
);
