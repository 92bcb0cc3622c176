import { describe, expect, test } from "vitest";
import { callThere, madeThere } from "../../../../tests/support/calls-there.ts";
import { instanceLab } from "../../../../tests/support/instance-lab.ts";
import type { StateReport } from "../transport.ts";

const lab = await instanceLab();

const rests = (cause: string) => (report: StateReport) =>
  report.state === "disconnected" && report.cause === cause;
const isPending = (report: StateReport) => report.state === "pending" && Boolean(report.qr);
const connects = (calls: readonly string[]) =>
  calls.filter((one) => one.startsWith("GET /instance/connect/")).length;

describe("a session that ends or breaks", () => {
  test("F17 the device was removed on the phone: logged out, and nothing by itself", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.removeDevice("a");
    one.transport.poke?.();
    await one.reported(rests("logged_out"));
    expect(one.transport.ready()).toBe(false);
    const before = connects(one.calls);
    for (let second = 0; second < 20; second++) {
      await one.transport.connect();
      await one.pass(1_000);
    }
    expect(connects(one.calls)).toBe(before);
    await one.wish();
    await one.reported(isPending);
    await gateway.world.scan("a", { phone: "5511900000001" });
    await one.connected();
  });

  test.each([
    [402, "temp_banned"],
    [403, "banned"],
    [406, "banned"],
    [408, "ended_there"],
  ] as const)(
    "a session that its gateway gives up for good (%i) is said to have ended by what ended it, and nothing is linked by itself",
    async (code, cause) => {
      const gateway = await lab.gateway();
      const one = await lab.linked(gateway);
      const before = connects(one.calls);
      gateway.world.ban("a", { code, ...(code === 402 && { expire: 7_200 }) });
      const [row] = await callThere<{ disconnectionAt: string }[]>(
        gateway,
        "GET",
        "/instance/fetchInstances",
      );
      const end = new Date(Date.parse(row?.disconnectionAt ?? "") + 7_200_000);
      const causeUntil = code === 402 ? end : null;
      one.transport.poke?.();
      expect(await one.reported(rests(cause))).toMatchObject({ causeUntil });
      await one.pass(120_000);
      expect(connects(one.calls)).toBe(before);
      await one.transport.close();
      if (!one.access.now) throw new Error("no access");
      const next = await lab.open(one.connection, one.access.now);
      await next.transport.connect();
      expect(await next.reported(rests(cause))).toMatchObject({ causeUntil });
      expect(connects(next.calls)).toBe(0);
    },
  );

  test("a logout at the gateway is not blamed on the phone", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await callThere(gateway, "DELETE", "/instance/logout/a");
    one.transport.poke?.();
    await one.reported(rests("ended_there"));
  });

  test("found removed when another process acquires the lane", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.close();
    gateway.world.removeDevice("a");
    if (!one.access.now) throw new Error("no access");
    const next = await lab.open(one.connection, one.access.now);
    await next.transport.connect();
    await next.reported(rests("logged_out"));
    expect(connects(next.calls)).toBe(0);
  });

  test("an unreported change is seen at the look every five minutes", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.pass(20_000);
    gateway.world.removeDevice("a");
    const [at, looked] = [one.clock.monotonic(), one.calls.length];
    await one.reported(rests("logged_out"), 2_000);
    expect(one.clock.monotonic() - at).toBeLessThan(360_000);
    expect(one.calls.length - looked).toBeLessThan(10);
  });

  test("linked elsewhere: noticed without a request", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.removeDevice("a");
    one.transport.poke?.();
    await one.reported(rests("logged_out"));
    await callThere(gateway, "GET", "/instance/connect/a");
    await gateway.world.scan("a", { phone: "5511900000001" });
    one.transport.poke?.();
    await one.connected();
  });

  test("F17 linked again after a removal: the old reason is kept over there, and a break is no second removal", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.removeDevice("a");
    one.transport.poke?.();
    await one.reported(rests("logged_out"));
    await one.wish();
    await one.reported(isPending);
    await gateway.world.scan("a", { phone: "5511900000001" });
    await one.connected();
    const [row] = await callThere<object[]>(gateway, "GET", "/instance/fetchInstances");
    expect(row).toMatchObject({ connectionStatus: "open", disconnectionReasonCode: 401 });
    const said = one.host.reports.length;
    const stop = gateway.world.offlineLoop("a", 0.001);
    expect(gateway.world.state("a")).toBe("close");
    one.transport.poke?.();
    await one.until(() => one.host.reports.length > said);
    expect(one.host.reports.at(-1)).toMatchObject({ state: "connecting", cause: "network" });
    stop();
    gateway.world.reconnect("a");
    await one.connected();
    expect(one.host.reports.slice(said).map(({ state }) => state)).not.toContain("disconnected");
  });

  test("F16 a dropped socket: not ready until it is back, the used code is not shown", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.dropSocket("a", { hold: true });
    one.transport.poke?.();
    expect(await one.reported(({ state }) => state === "connecting")).toMatchObject({
      cause: "network",
      qr: null,
    });
    expect(one.transport.ready()).toBe(false);
    await one.pass(20_000);
    expect(one.host.reports.some((report, at) => at > 2 && report.state === "pending")).toBe(false);
    gateway.world.reconnect("a");
    await one.connected();
  });

  test("an instance added while it reconnects: its used code is not shown", async () => {
    const gateway = await lab.gateway();
    await lab.linked(gateway);
    gateway.world.dropSocket("a", { hold: true });
    const adopted = await lab.instance(gateway);
    await adopted.transport.connect();
    await adopted.reported(({ state }) => state === "connecting");
    await adopted.pass(20_000);
    expect(adopted.host.reports.map(({ state }) => state)).not.toContain("pending");
    expect(connects(adopted.calls)).toBe(0);
    gateway.world.reconnect("a");
    await adopted.connected();
  });

  test("an endless loop without a way to WhatsApp is named, and not fed", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const stop = gateway.world.offlineLoop("a", 60);
    const before = connects(one.calls);
    await one.until(() => {
      one.transport.poke?.();
      return one.host.reports.at(-1)?.cause === "offline_loop";
    });
    expect(one.transport.ready()).toBe(false);
    expect(connects(one.calls) - before).toBe(0);
    stop();
    gateway.world.reconnect("a");
    await one.connected();
  });

  test("a loop while linking: a few questions, no more", async () => {
    const gateway = await lab.gateway();
    gateway.world.behave({ online: false });
    const one = await lab.instance(gateway, { qrcode: false });
    await one.transport.connect();
    await one.until(() => one.calls.length > 0);
    const stop = gateway.world.offlineLoop("a", 60);
    await one.until(() => {
      one.transport.poke?.();
      return one.host.reports.at(-1)?.cause === "offline_loop";
    });
    expect(connects(one.calls)).toBeLessThanOrEqual(3);
    const asked = connects(one.calls);
    await one.pass(60_000);
    expect(connects(one.calls)).toBe(asked);
    stop();
  });

  test("however often the gateway says that something changed, it is looked at twice a second at most", async () => {
    const one = await lab.linked(await lab.gateway());
    one.calls.length = 0;
    for (let ms = 0; ms < 10_000; ms += 50) {
      one.transport.poke?.();
      one.clock.advance(50);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(one.calls.filter((call) => call.includes("connectionState")).length).toBeLessThanOrEqual(21);
  });
});

describe("a gateway that will not have us", () => {
  test("its key was changed: said so, and well again when it is known", async () => {
    const one = await lab.linked(await lab.gateway());
    const right = one.access.now;
    if (!right) throw new Error("no access");
    one.access.now = { ...right, apiKey: "wrong" };
    one.transport.poke?.();
    await one.reported(rests("wrong_key"));
    expect(one.transport.ready()).toBe(false);
    one.access.now = right;
    await one.wish();
    await one.connected();
  });

  test("F15 a send that meets the wrong key stops the lane until a look found better", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { integration: "EVOLUTION" });
    await one.transport.connect();
    await one.connected();
    await callThere(gateway, "DELETE", "/instance/delete/a");
    await madeThere(gateway, "a", { token: "another-token", integration: "EVOLUTION" });
    if (one.access.now) one.access.now = { ...one.access.now, serverKey: gateway.apiKey };
    const readiness: boolean[] = [];
    one.transport.onReady(() => readiness.push(one.transport.ready()));
    const message = {
      to: { jid: "5511987654321", lid: null },
      messageId: "",
      text: "Oi",
      media: null,
      hasAttachment: false,
    };
    expect(await one.transport.send(message)).toEqual({ kind: "stop", cause: "wrong_key", retryAt: "human" });
    expect(readiness).toEqual([false]);
    await one.reported(rests("wrong_key"));
    if (one.access.now) one.access.now = { ...one.access.now, apiKey: "another-token" };
    const since = one.clock.monotonic();
    one.transport.poke?.();
    await one.connected();
    expect(one.clock.monotonic() - since).toBeLessThan(10_000);
    expect(readiness).toEqual([false, true]);
    expect(await one.transport.send(message)).toMatchObject({ kind: "accepted" });
    expect(gateway.world.accepted).toHaveLength(1);
  });

  test("deleted at the gateway", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await callThere(gateway, "DELETE", "/instance/delete/a");
    const to = { jid: "5511987654321@s.whatsapp.net", lid: null };
    const message = { to, messageId: "", text: "Oi", media: null, hasAttachment: false };
    await expect.poll(() => one.transport.send(message)).toMatchObject({ kind: "stop" });
    await one.reported(rests("gone"));
    expect(one.transport.ready()).toBe(false);
  });

  test("access to its server is gone", async () => {
    const one = await lab.linked(await lab.gateway());
    one.access.now = null;
    one.transport.poke?.();
    await one.reported(rests("withdrawn"));
    await one.transport.logout();
    expect(one.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause: "withdrawn" });
  });

  test("a licence that is not activated, until it is", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.license(true);
    one.transport.poke?.();
    await one.reported(rests("license_required"));
    gateway.world.license(false);
    await one.connected(5_000);
  });

  test("F11 away: shown after the second look, and back within the back-off", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await gateway.world.goDown();
    one.transport.poke?.();
    await one.reported(rests("unreachable"));
    expect(one.transport.ready()).toBe(false);
    await one.pass(30_000);
    await gateway.world.comeBack();
    await one.connected();
  });

  test("a single look that fails is no news", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const said = one.host.reports.length;
    gateway.world.faults.next("connectionState", "badGatewayBefore");
    one.transport.poke?.();
    await one.pass(10_000);
    expect(one.host.reports).toHaveLength(said);
    expect(one.transport.ready()).toBe(true);
  });
});

describe("ending", () => {
  test("a code that was on its way when the session was ended is not shown any more", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway);
    gateway.world.faults.next("connect", "slow", { ms: 150 });
    await one.transport.connect();
    await one.until(() => connects(one.calls) === 1);
    await one.transport.logout();
    await one.until(() => one.host.reports.length > 0);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(one.host.reports.map(({ cause }) => cause)).toEqual(["disconnected_by_user"]);
  });

  test("a look that was under way when the session was ended does not call it open any more", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const before = one.calls.length;
    gateway.world.faults.next("fetchInstances", "slow", { ms: 150 });
    one.transport.poke?.();
    await one.until(() => one.calls.slice(before).some((call) => call.includes("fetchInstances")));
    await one.transport.logout();
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(one.transport.ready()).toBe(false);
    expect(one.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause: "disconnected_by_user" });
  });

  test("logging out ends the session there, and a second time does no harm @decision 18", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.logout();
    expect(gateway.world.state("a")).toBe("close");
    expect(one.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause: "disconnected_by_user" });
    await one.transport.logout();
    expect(one.transport.ready()).toBe(false);
    await gateway.world.goDown();
    await expect(one.transport.logout()).rejects.toMatchObject({ code: "gateway_unreachable" });
    expect(one.host.reports.at(-1)).toMatchObject({ state: "connecting", cause: "ending" });
  });

  test("26.24 a logout that was done and answered with an error is confirmed by the state", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("logout", "acceptThenError");
    await one.transport.logout();
    expect(gateway.world.state("a")).toBe("close");
    expect(one.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause: "disconnected_by_user" });
  });

  test("26.24 a logout that failed is not confirmed while the instance is open", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("logout", "errorBefore");
    await expect(one.transport.logout()).rejects.toMatchObject({ code: "gateway_failed" });
    expect(one.host.reports.at(-1)).toMatchObject({ state: "connecting", cause: "ending" });
  });

  test("26.24 an instance that is deleted only in part is deleted once more", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("delete", "halfDone");
    await one.transport.remove?.();
    expect(gateway.world.instances()).toEqual([]);
  });

  test("26.21 what the gateway says of its session, and its silence, are interruptions though the instance is open again", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    let heard = 0;
    one.transport.onInterrupted?.(() => heard++);
    one.transport.poke?.();
    expect([heard, one.transport.ready()]).toEqual([1, true]);
    gateway.world.faults.next("sendText", "connectionClosed");
    const to = { jid: "5511900000002@s.whatsapp.net", lid: null };
    await one.transport.send({ to, messageId: "", text: "Oi", media: null, hasAttachment: false });
    expect(heard).toBe(2);
    await gateway.world.goDown();
    await one.transport.lookup?.("5511900000002");
    expect(heard).toBeGreaterThan(2);
  });

  test("removing deletes it there; one that is gone already is left, and one that cannot be reached is said to be @decision 18", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.remove?.();
    expect(gateway.world.instances()).toEqual([]);
    await one.transport.remove?.();
    await gateway.world.goDown();
    await expect(one.transport.remove?.()).rejects.toMatchObject({ code: "gateway_unreachable" });
    one.access.now = null;
    await one.transport.remove?.();
  });

  test("losing the connection to another owner stops it at once", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await lab.open(
      one.connection,
      one.access.now ?? { baseUrl: "", apiKey: "", name: "", integration: "", number: null },
    );
    gateway.world.removeDevice("a");
    one.transport.poke?.();
    await one.until(() => one.host.losses() > 0);
    expect(one.transport.ready()).toBe(false);
    const asked = one.calls.length;
    await one.pass(60_000);
    expect(one.calls).toHaveLength(asked);
  });
});
