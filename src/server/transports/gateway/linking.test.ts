import { describe, expect, test } from "vitest";
import { instanceLab } from "../../../../tests/support/instance-lab.ts";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import type { StateReport } from "../transport.ts";
import { INSTANCE_TIMING } from "./instance-deps.ts";
import type { InstanceScreen } from "./instance-screen.ts";
import { Linking } from "./linking.ts";
import type { Reached } from "./reached.ts";

const lab = await instanceLab();

const rests = (cause: string) => (report: StateReport) =>
  report.state === "disconnected" && report.cause === cause;
const isPending = (report: StateReport) => report.state === "pending" && Boolean(report.qr);
const connects = (calls: readonly string[]) =>
  calls.filter((one) => one.startsWith("GET /instance/connect/")).length;

describe("linking", () => {
  test("a code to scan, then connected, with the profile of the linked phone @spec 7.28", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway);
    await one.transport.connect();
    const shown = await one.reported(isPending);
    expect(shown.qr?.text).toBe(gateway.world.qr("a")?.code);
    expect(shown.qr?.expiresAt.getTime()).toBeLessThanOrEqual(one.clock.now().getTime() + 45_000);
    expect([one.transport.ready(), one.transport.pairing()]).toEqual([false, null]);

    await gateway.world.scan("a", { phone: "5511900000001", profileName: "Ana" });
    const report = await one.connected();
    expect(report).toMatchObject({ cause: null, qr: null, pairing: "5511900000001@s.whatsapp.net" });
    expect(one.transport.pairing()).toBe("5511900000001@s.whatsapp.net");
    expect(one.profiles.at(-1)).toMatchObject({ phone: "5511900000001", profileName: "Ana" });
    expect(one.host.reports.map(({ state }) => state)).not.toContain("disconnected");
  });

  test("a gateway that sends a drawing alone: the drawing is the code, until it is scanned @spec 7.28 @decision 29", async () => {
    const gateway = await lab.gateway();
    gateway.world.behave({ bareCodes: true });
    const one = await lab.instance(gateway);
    await one.transport.connect();
    const shown = await one.reported(isPending);
    expect(shown.qr?.text).toMatch(/^data:image\/png;base64,/);
    expect(shown.qr?.text).toBe(gateway.world.qr("a")?.base64);
    await gateway.world.scan("a", { phone: "5511900000001" });
    expect(await one.connected()).toMatchObject({ qr: null });
  });

  test("the gateway is not queried before linking is requested", async () => {
    const one = await lab.instance(await lab.gateway());
    await one.pass(10_000);
    expect(one.calls).toEqual([]);
  });

  test("a closed instance starts to link on its lane's request", async () => {
    const one = await lab.instance(await lab.gateway(), { qrcode: false });
    await one.transport.connect();
    await one.reported(isPending);
  });

  test("codes are renewed by themselves, each with the time it has left @decision 19", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 60, qrLimit: 1_000 } });
    const one = await lab.instance(gateway);
    const left: number[] = [];
    const { report } = one.host;
    one.host.report = (state) => {
      if (state.qr) left.push(state.qr.expiresAt.getTime() - one.clock.now().getTime());
      return report(state);
    };
    await one.transport.connect();
    const seen = new Set<string>();
    await one.until(() => {
      const qr = one.host.reports.at(-1)?.qr;
      if (qr) seen.add(qr.text);
      return seen.size >= 4;
    });
    expect(left.length).toBeGreaterThanOrEqual(4);
    expect(Math.min(...left)).toBeGreaterThan(0);
  });

  test("a code that does not change any more is not shown for longer than it lives", async () => {
    const one = await lab.instance(await lab.gateway());
    await one.transport.connect();
    await one.reported(isPending);
    await one.reported(({ state, qr }) => state === "connecting" && qr === null);
  });

  test("26.25 L2 a code used before is not shown, even if returned again; the next one is", async () => {
    const clock = manualClock();
    const shown: string[] = [];
    const linking = new Linking({
      clock,
      timing: INSTANCE_TIMING,
      screen: {
        code: ({ qr }: { qr: string | null }) => void shown.push(qr ?? ""),
        connecting: () => void shown.push("none yet"),
      } as unknown as InstanceScreen,
    });
    let code = "used";
    const client = { connect: async () => ({ kind: "qr", code, pairingCode: null }) };
    const at = { access: { name: "a", number: null }, client } as unknown as Reached;
    const ask = async () => {
      clock.advance(INSTANCE_TIMING.askMs);
      await linking.ask(at);
    };
    linking.begin();
    await ask();
    linking.stop();
    linking.begin();
    await ask();
    code = "new";
    await ask();
    expect(shown).toEqual(["used", "none yet", "new"]);
  });

  test("when the codes have run out it rests, and a person's wish brings new ones", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 500, qrLimit: 2 } });
    const one = await lab.instance(gateway);
    await one.transport.connect();
    await one.reported(isPending);
    await expect.poll(() => gateway.world.qr("a") ?? null).toBeNull();
    await one.reported(rests("qr_expired"));
    const shown = one.host.reports.flatMap(({ qr }) => qr?.text ?? []);
    expect(new Set(shown).size).toBeLessThanOrEqual(2);
    const before = connects(one.calls);
    for (let second = 0; second < 20; second++) {
      await one.transport.connect();
      await one.pass(1_000);
    }
    expect(connects(one.calls)).toBe(before);
    await one.wish();
    await one.reported(isPending);
  });

  test("one at rest sees a person's wish also after a restart, and starts nothing before", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 50, qrLimit: 2 } });
    const one = await lab.instance(gateway);
    await one.transport.connect();
    await one.reported(isPending);
    await one.reported(rests("qr_expired"));
    await one.transport.close();
    if (!one.access.now) throw new Error("no access");
    const next = await lab.open(one.connection, one.access.now);
    for (let second = 0; second < 5; second++) {
      await next.transport.connect();
      await next.pass(1_000);
    }
    expect(connects(next.calls)).toBe(0);
    await next.wish();
    await next.reported(isPending);
  });

  test("without a scan, a person must ask again after ten minutes", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 30, qrLimit: 1_000 } });
    const one = await lab.instance(gateway, { timing: { linkMs: 60_000 } });
    await one.transport.connect();
    await one.reported(isPending);
    await one.reported(rests("qr_expired"));
  });

  test("an instance with a number brings a code to type beside each QR code", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { number: "5511900000001" });
    await one.transport.connect();
    const { pairingCode } = await one.reported(isPending);
    expect(pairingCode?.text).toBe(gateway.world.qr("a")?.pairingCode);
    expect(pairingCode?.text).toMatch(/^\w{8}$/);
  });

  test("asking for a code to type: with a number, or said to be refused", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { qrcode: false });
    if (one.access.now) one.access.now = { ...one.access.now, number: "5511900000001" };
    await one.transport.requestPairingCode();
    await one.transport.connect();
    const first = await one.reported(({ pairingCode }) => Boolean(pairingCode));
    expect(first.pairingCode?.text).toMatch(/^\w{8}$/);
    expect(one.calls).toContain("GET /instance/connect/a?number=5511900000001");

    const other = await lab.instance(await lab.gateway());
    await other.transport.connect();
    await other.reported(isPending);
    await other.transport.requestPairingCode();
    await other.reported(({ cause }) => cause === "pairing_refused");
  });

  test("another phone than the one named was used to scan", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { number: "5511955554444" });
    await one.transport.connect();
    await one.reported(isPending);
    await gateway.world.scan("a", { phone: "5511900000001" });
    expect(await one.connected()).toMatchObject({ cause: "other_number" });
  });

  test("a gateway without internet: on its way, with no code, until it is back", async () => {
    const gateway = await lab.gateway();
    gateway.world.behave({ online: false });
    const one = await lab.instance(gateway, { qrcode: false });
    await one.transport.connect();
    await one.reported(({ state }) => state === "connecting");
    await one.pass(30_000);
    expect(one.host.reports.at(-1)).toMatchObject({ state: "connecting", qr: null });
  });
});
