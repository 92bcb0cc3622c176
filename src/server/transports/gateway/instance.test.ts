import { describe, expect, test } from "vitest";
import { instanceLab } from "../../../../tests/support/instance-lab.ts";
import type { StateReport } from "../transport.ts";

const lab = await instanceLab();

const rests = (cause: string) => (report: StateReport) =>
  report.state === "disconnected" && report.cause === cause;
const isPending = (report: StateReport) => report.state === "pending" && Boolean(report.qr);
const connects = (calls: readonly string[]) =>
  calls.filter((one) => one.startsWith("GET /instance/connect/")).length;

describe("linking", () => {
  test("a code that can be scanned, then connected, with what the gateway tells of whoever scanned", async () => {
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

  test("nothing is asked of the gateway before somebody wants it", async () => {
    const one = await lab.instance(await lab.gateway());
    await one.pass(10_000);
    expect(one.calls).toEqual([]);
  });

  test("a closed instance starts to link when its lane is told to", async () => {
    const one = await lab.instance(await lab.gateway(), { qrcode: false });
    await one.transport.connect();
    await one.reported(isPending);
  });

  test("codes are renewed by themselves, each with the time it has left", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 60 } });
    const one = await lab.instance(gateway);
    await one.transport.connect();
    const seen = new Set<string>();
    await one.until(() => {
      const qr = one.host.reports.at(-1)?.qr;
      if (qr) seen.add(qr.text);
      return seen.size >= 4;
    });
    for (const { qr } of one.host.reports)
      if (qr) expect(qr.expiresAt.getTime()).toBeGreaterThan(one.clock.now().getTime() - 60_000);
  });

  test("a code that does not change any more is not shown for longer than it lives", async () => {
    const one = await lab.instance(await lab.gateway());
    await one.transport.connect();
    await one.reported(isPending);
    await one.reported(({ state, qr }) => state === "connecting" && qr === null);
  });

  test("when the codes have run out it rests, and a person's wish brings new ones", async () => {
    const gateway = await lab.gateway({ timing: { qrMs: 50, qrLimit: 2 } });
    const one = await lab.instance(gateway);
    await one.transport.connect();
    await one.reported(isPending);
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

  test("nobody came: after ten minutes a person has to ask again", async () => {
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

describe("a session that ends or breaks", () => {
  test("the device was removed on the phone: logged out, and nothing by itself", async () => {
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

  test("found removed by whoever takes the lane over", async () => {
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

  test("somebody links it elsewhere: seen without being asked", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.removeDevice("a");
    one.transport.poke?.();
    await one.reported(rests("logged_out"));
    await fetch(`${gateway.url}/instance/connect/a`, { headers: { apikey: gateway.apiKey } });
    await gateway.world.scan("a", { phone: "5511900000001" });
    one.transport.poke?.();
    await one.connected();
  });

  test("a dropped socket: not ready until it is back, the used code is not shown", async () => {
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

  test("an instance taken into use while it reconnects: its used code is nobody's to scan", async () => {
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

  test("a send that meets the wrong key stops the lane until a look found better", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { integration: "EVOLUTION" });
    await one.transport.connect();
    await one.connected();
    // Somebody made it anew over there, with another token.
    const call = (method: string, path: string, body?: object) =>
      fetch(gateway.url + path, {
        method,
        headers: { apikey: gateway.apiKey, "content-type": "application/json" },
        body: body ? JSON.stringify(body) : undefined,
      });
    await call("DELETE", "/instance/delete/a");
    await call("POST", "/instance/create", {
      instanceName: "a",
      token: "another-token",
      integration: "EVOLUTION",
    });
    const readiness: boolean[] = [];
    one.transport.onReady(() => readiness.push(one.transport.ready()));
    const letter = {
      to: { jid: "5511987654321", lid: null },
      messageId: "",
      text: "Oi",
      media: null,
      hasImage: false,
    };
    expect(await one.transport.send(letter)).toEqual({ kind: "stop", cause: "wrong_key", retryAt: "human" });
    expect(readiness).toEqual([false]);
    await one.reported(rests("wrong_key"));
    if (one.access.now) one.access.now = { ...one.access.now, apiKey: "another-token" };
    await one.connected();
    expect(readiness).toEqual([false, true]);
    expect(await one.transport.send(letter)).toMatchObject({ kind: "accepted" });
    expect(gateway.world.accepted).toHaveLength(1);
  });

  test("somebody deleted it there", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await fetch(`${gateway.url}/instance/delete/a`, {
      method: "DELETE",
      headers: { apikey: gateway.apiKey },
    });
    const to = { jid: "5511987654321@s.whatsapp.net", lid: null };
    const letter = { to, messageId: "", text: "Oi", media: null, hasImage: false };
    await expect.poll(() => one.transport.send(letter)).toMatchObject({ kind: "stop" });
    await one.reported(rests("gone"));
    expect(one.transport.ready()).toBe(false);
  });

  test("nobody here speaks for it any more", async () => {
    const one = await lab.linked(await lab.gateway());
    one.access.now = null;
    one.transport.poke?.();
    await one.reported(rests("gone"));
  });

  test("a licence that nobody activated, until somebody did", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.license(true);
    one.transport.poke?.();
    await one.reported(rests("license_required"));
    gateway.world.license(false);
    await one.connected(5_000);
  });

  test("away: told after the second look, and back within the pauses of the back-off", async () => {
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

describe("what a lane asks", () => {
  const letterTo = (jid: string, text = "Olá") => ({
    ...{ to: { jid, lid: null }, messageId: "", text, media: null, hasImage: false },
  });

  test("both ninth-digit forms are asked, and WhatsApp's own address is used", async () => {
    const gateway = await lab.gateway();
    gateway.world.person({ phone: "5511933332222", lid: "700123" });
    gateway.world.person({ phone: "5511944443333", onWhatsApp: false });
    const one = await lab.linked(gateway);
    const found = await one.transport.lookup?.("5531987654321");
    expect(found).toMatchObject({ kind: "found", address: { jid: "553187654321@s.whatsapp.net" } });
    expect(await one.transport.lookup?.("5511944443333")).toEqual({ kind: "absent" });
    const sent = await one.transport.send(letterTo("553187654321@s.whatsapp.net"));
    expect(sent.kind).toBe("accepted");
    expect(gateway.world.accepted.map(({ jid, phone }) => [jid, phone])).toEqual([
      ["553187654321@s.whatsapp.net", "5531987654321"],
    ]);
  });

  test("another channel has no look-up: the number is the address", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { integration: "EVOLUTION", number: "5511900000001" });
    await one.transport.connect();
    await one.connected();
    expect(one.transport.lookup).toBeUndefined();
    expect((await one.transport.send(letterTo("5511987654321"))).kind).toBe("accepted");
    await one.transport.typing("5511987654321", 100);
  });

  test.each([
    ["tooMany", "rate_limited"],
    ["connectionClosed", "not_connected"],
    ["badGatewayBefore", "lookup_failed"],
    ["htmlPage", "lookup_failed"],
  ] as const)("a look-up that meets %s blames nobody", async (fault, cause) => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("whatsappNumbers", fault);
    expect(await one.transport.lookup?.("5511987654321")).toMatchObject({ kind: "stop", cause });
  });

  test("nothing is sent while it is not open, or not certainly ours", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway);
    const closed = { kind: "stop", cause: "not_connected", retryAt: null };
    expect(await one.transport.send(letterTo("5511987654321@s.whatsapp.net"))).toEqual(closed);
    await one.transport.connect();
    await one.reported(isPending);
    await gateway.world.scan("a", { phone: "5511900000001" });
    await one.connected();
    one.host.mayAct = () => false;
    expect(await one.transport.lookup?.("5511987654321")).toEqual(closed);
    expect(await one.transport.send(letterTo("5511987654321@s.whatsapp.net"))).toEqual(closed);
    expect(gateway.world.accepted).toEqual([]);
  });

  test("pictures travel with each message", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const base64 =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const media = { base64, mime: "image/png" };
    const letter = { ...letterTo("5511987654321@s.whatsapp.net", "Oferta"), media, hasImage: true };
    expect(one.transport.upload).toBeUndefined();
    expect((await one.transport.send(letter)).kind).toBe("accepted");
    expect(gateway.world.accepted).toMatchObject([{ kind: "image", text: "Oferta", phone: "5511987654321" }]);
    expect((await one.transport.send({ ...letter, media: null })).kind).toBe("stop");
  });

  test("what was sent to somebody is found again, whoever sent it, and nothing else", async () => {
    const gateway = await lab.gateway({ now: () => Date.now() });
    const one = await lab.linked(gateway);
    const jid = "5511987654321@s.whatsapp.net";
    await one.transport.send(letterTo(jid, "primeira"));
    gateway.world.faults.next("sendText", "acceptThenReset");
    expect(await one.transport.send(letterTo(jid, "segunda"))).toMatchObject({ kind: "ambiguous" });
    await one.transport.send(letterTo("5511955556666@s.whatsapp.net", "a outra pessoa"));
    gateway.world.reply("a", "5511987654321", "resposta");
    gateway.world.typedOnPhone("a", "5511987654321", "do celular");
    await gateway.world.idle();
    one.clock.advance(Date.now() - one.clock.now().getTime());
    const since = new Date(Date.now() - 60_000);
    const told = (await one.transport.sentTo?.({ jid, lid: null }, since)) ?? [];
    expect(told.map(({ text, viaApi }) => [text, viaApi]).sort()).toEqual([
      ["do celular", false],
      ["primeira", true],
      ["segunda", true],
    ]);
    expect(told.map(({ providerId }) => providerId)).toContain(gateway.world.accepted[1]?.id);
    const byPhone = await one.transport.sentTo?.({ jid: "5511987654321", lid: null }, since);
    expect(byPhone).toHaveLength(3);
    await gateway.world.goDown();
    await expect(one.transport.sentTo?.({ jid, lid: null }, since)).rejects.toMatchObject({
      code: "gateway_unreachable",
    });
  });

  test("typing is shown to the other side", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.typing("5511987654321@s.whatsapp.net", 20);
    expect(gateway.world.presences).toMatchObject([{ presence: "composing" }, { presence: "paused" }]);
  });

  test("a send that a restart of the gateway cut off is in doubt, and the instance looked at", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("sendText", "acceptThenReset");
    await gateway.world.idle();
    const looks = one.calls.length;
    expect(await one.transport.send(letterTo("5511987654321@s.whatsapp.net"))).toMatchObject({
      kind: "ambiguous",
    });
    await one.until(() => one.calls.slice(looks).some((call) => call.includes("connectionState")));
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

  test("logging out ends the session there, and a second time does no harm", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.logout();
    expect(gateway.world.state("a")).toBe("close");
    expect(one.host.reports.at(-1)).toMatchObject({ state: "disconnected", cause: "disconnected_by_user" });
    await one.transport.logout();
    expect(one.transport.ready()).toBe(false);
  });

  test("removing deletes it there; one that is gone already, or that cannot be reached, is left", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    await one.transport.remove?.();
    expect(gateway.world.instances()).toEqual([]);
    await one.transport.remove?.();
    await gateway.world.goDown();
    await one.transport.remove?.();
    one.access.now = null;
    await one.transport.remove?.();
  });

  test("whoever lost the connection stops at once", async () => {
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
