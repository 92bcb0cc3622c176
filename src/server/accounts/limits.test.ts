import { expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { accountGuard, networkOf } from "./limits.ts";

const { database } = await testDatabase();

test.each([
  ["203.0.113.9", "203.0.113.9"],
  ["::ffff:203.0.113.9", "203.0.113.9"],
  ["2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"],
  ["2001:0DB8:0001:0002::1", "2001:db8:1:2::/64"],
  ["2001:db8:1:3::1", "2001:db8:1:3::/64"],
  ["not an address", "unknown"],
  ["", "unknown"],
])("%s counts as %s", (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test("after a new password earlier attempts keep nobody out, from no network and at no process", async () => {
  const guards = [accountGuard(database), accountGuard(database)] as const;
  const networks = ["203.0.113.9", "198.51.100.7"];
  const email = "ana@exemplo.com.br";
  for (const network of networks)
    for (let nth = 0; nth < 5; nth++)
      for (const guard of guards) await guard.beforeLogin(email, network).catch(() => undefined);
  for (const network of networks)
    for (const guard of guards)
      await expect(guard.beforeLogin(email, network)).rejects.toMatchObject({ code: "too_many_requests" });
  await expect(guards[0].beforeLogin("bia@exemplo.com.br", "203.0.113.9")).resolves.toBeUndefined();
  await guards[0].afterReset(email);
  for (const network of networks) for (const guard of guards) await guard.beforeLogin(email, network);
});
