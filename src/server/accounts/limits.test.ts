import { beforeEach, describe, expect, test } from "vitest";
import { testDatabase } from "../../../tests/support/database.ts";
import { manualClock } from "../../../tests/support/manual-clock.ts";
import { ACCOUNT_LIMITS, accountGuard, networkOf } from "./limits.ts";

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

test("after a new password earlier attempts block no one, from any network or process", async () => {
  const guards = [accountGuard(database), accountGuard(database)] as const;
  const networks = ["203.0.113.9", "198.51.100.7"];
  const email = "ana@exemplo.com.br";
  for (const network of networks)
    for (let nth = 0; nth < 5; nth++)
      for (const guard of guards)
        await guard.beforeLogin({ email, address: network, known: false }).catch(() => undefined);
  for (const network of networks)
    for (const guard of guards)
      await expect(guard.beforeLogin({ email, address: network, known: false })).rejects.toMatchObject({
        code: "too_many_requests",
      });
  await expect(
    guards[0].beforeLogin({ email: "bia@exemplo.com.br", address: "203.0.113.9", known: false }),
  ).resolves.toBe(1);
  await guards[0].afterReset(email);
  for (const network of networks)
    for (const guard of guards) await guard.beforeLogin({ email, address: network, known: false });
});

describe("F10 wrong passwords from elsewhere", () => {
  const EMAIL = "ana@exemplo.com.br";
  const networks = Array.from({ length: 21 }, (_, nth) => `2001:db8:${nth}::1`);
  const elsewhere = (address: string) => ({ email: EMAIL, address, known: false });

  beforeEach(async () => {
    await database.query("truncate rate_limit");
  });

  async function attack(guard: ReturnType<typeof accountGuard>): Promise<void> {
    for (let nth = 0; nth < 101; nth++)
      await guard.beforeLogin(elsewhere(networks[nth % networks.length] ?? "")).catch(() => undefined);
  }

  test("101 from 21 networks: the owner gets in at once in a known browser, and within a minute in another", async () => {
    const clock = manualClock();
    const guard = accountGuard(database, ACCOUNT_LIMITS, clock);
    await attack(guard);
    await guard.beforeLogin({ email: EMAIL, address: "203.0.113.9", known: true });
    await guard.beforeLogin(elsewhere("203.0.113.9"));
    const strict = accountGuard(
      database,
      { ...ACCOUNT_LIMITS, loginFresh: { attempts: 0, seconds: 60 } },
      clock,
    );
    const refused = await strict.beforeLogin(elsewhere("203.0.113.10")).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "too_many_requests" });
    clock.advance(60_000);
    await strict.beforeLogin(elsewhere("203.0.113.10"));
  });

  test("guessing from one network is bounded: five at once, and then one a minute", async () => {
    const clock = manualClock();
    const guard = accountGuard(database, ACCOUNT_LIMITS, clock);
    let made = 0;
    for (let second = 0; second < 600; second++) {
      await guard.beforeLogin(elsewhere("203.0.113.9")).then(
        () => made++,
        () => undefined,
      );
      clock.advance(1_000);
    }
    expect(made).toBe(18);
  });

  test("what is refused prolongs nothing", async () => {
    const clock = manualClock();
    const guard = accountGuard(database, ACCOUNT_LIMITS, clock);
    for (let nth = 0; nth < 50; nth++)
      await guard.beforeLogin(elsewhere("203.0.113.9")).catch(() => undefined);
    clock.advance(2_000);
    await guard.beforeLogin(elsewhere("203.0.113.9"));
  });

  test("a known browser waits after its own ten wrong ones alone", async () => {
    const guard = accountGuard(database, ACCOUNT_LIMITS, manualClock());
    const mine = { email: EMAIL, address: "203.0.113.9", known: true };
    for (let nth = 0; nth < 10; nth++) await guard.beforeLogin(mine);
    await expect(guard.beforeLogin(mine)).rejects.toMatchObject({ code: "too_many_requests" });
  });
});
