import { createHash } from "node:crypto";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { instanceLab } from "../../../../tests/support/instance-lab.ts";
import { type AttachmentKind, takesCaption } from "../../../domain/attachment.ts";
import { systemClock } from "../../base/clock.ts";
import type { IncomingMessage, WantedFile } from "../transport.ts";
import { WorkTracker } from "../work-tracker.ts";
import type { EvolutionClient } from "./evolution-client.ts";
import type { MessageSearch } from "./evolution-requests.ts";
import { BAILEYS, InstanceCalls } from "./instance-calls.ts";
import type { Monitor } from "./monitor.ts";

const lab = await instanceLab();

describe("what a lane asks", () => {
  const messageTo = (jid: string, text = "Olá") => ({
    to: { jid, lid: null },
    messageId: "",
    text,
    media: null,
    hasAttachment: false,
  });

  test("both ninth-digit forms are asked, and WhatsApp's own address is used", async () => {
    const gateway = await lab.gateway();
    gateway.world.person({ phone: "5511933332222", lid: "700123" });
    gateway.world.person({ phone: "5511944443333", onWhatsApp: false });
    const one = await lab.linked(gateway);
    const found = await one.transport.lookup?.("5531987654321");
    expect(found).toMatchObject({ kind: "found", address: { jid: "553187654321@s.whatsapp.net" } });
    expect(await one.transport.lookup?.("5511944443333")).toEqual({ kind: "absent" });
    const sent = await one.transport.send(messageTo("553187654321@s.whatsapp.net"));
    expect(sent.kind).toBe("accepted");
    expect(gateway.world.accepted.map(({ jid, phone }) => [jid, phone])).toEqual([
      ["553187654321@s.whatsapp.net", "5531987654321"],
    ]);
  });

  test("another channel has no look-up: the number is the address @decision 6", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway, { integration: "EVOLUTION", number: "5511900000001" });
    await one.transport.connect();
    await one.connected();
    expect(one.transport.lookup).toBeUndefined();
    expect((await one.transport.send(messageTo("5511987654321"))).kind).toBe("accepted");
    await one.transport.typing("5511987654321", 100);
  });

  test("an answer quotes, a reaction and a deletion name their message; other channels have neither", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const jid = "5511987654321@s.whatsapp.net";
    const of = { id: "3A00", fromMe: false, participant: null, text: "18h?" };
    const bearing = (what: "quote" | "react" | "delete", ours = false) => ({
      ...messageTo(jid, what === "delete" ? "" : "👍"),
      bearing: { what, of: { ...of, fromMe: ours }, at: 0 },
    });
    expect((await one.transport.send(bearing("quote"))).kind).toBe("accepted");
    expect((await one.transport.send(bearing("react"))).kind).toBe("accepted");
    expect((await one.transport.send(bearing("delete", true))).kind).toBe("accepted");
    const key = { remoteJid: jid, fromMe: false, id: "3A00" };
    expect(gateway.world.acts).toEqual([
      { reactionMessage: { key, text: "👍" } },
      { protocolMessage: { key: { ...key, fromMe: true }, type: "REVOKE" } },
    ]);
    const since = new Date(Date.now() - 60_000);
    one.clock.advance(Date.now() - one.clock.now().getTime());
    const listed = (await one.transport.sentTo?.({ jid, lid: null }, since)) ?? [];
    expect(listed.find(({ kind }) => kind === "text")?.quoted).toMatchObject({ text: "18h?" });
    gateway.world.faults.next("sendReaction", "acceptThenReset");
    expect(await one.transport.send(bearing("react"))).toMatchObject({ kind: "ambiguous" });
    const other = await lab.instance(gateway, { integration: "EVOLUTION", number: "5511900000001" });
    await other.transport.connect();
    await other.connected();
    expect(await other.transport.send(bearing("react"))).toMatchObject({ kind: "refused" });
  });

  test.each([
    ["tooMany", "rate_limited"],
    ["connectionClosed", "not_connected"],
    ["badGatewayBefore", "lookup_failed"],
    ["htmlPage", "lookup_failed"],
  ] as const)("a look-up that meets %s blames no recipient", async (fault, cause) => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    gateway.world.faults.next("whatsappNumbers", fault);
    expect(await one.transport.lookup?.("5511987654321")).toMatchObject({ kind: "stop", cause });
  });

  test("nothing is sent while it is not open, or not certainly ours", async () => {
    const gateway = await lab.gateway();
    const one = await lab.instance(gateway);
    const closed = { kind: "stop", cause: "not_connected", retryAt: null };
    expect(await one.transport.send(messageTo("5511987654321@s.whatsapp.net"))).toEqual(closed);
    await one.transport.connect();
    await one.reported(({ state }) => state === "pending");
    await gateway.world.scan("a", { phone: "5511900000001" });
    await one.connected();
    one.host.mayAct = () => false;
    expect(await one.transport.lookup?.("5511987654321")).toEqual(closed);
    expect(await one.transport.send(messageTo("5511987654321@s.whatsapp.net"))).toEqual(closed);
    expect(gateway.world.accepted).toEqual([]);
  });

  test("pictures travel with each message @decision 5", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const base64 =
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    const media = { kind: "image", name: "", base64, mime: "image/png" };
    const message = { ...messageTo("5511987654321@s.whatsapp.net", "Oferta"), media, hasAttachment: true };
    expect(one.transport.upload).toBeUndefined();
    expect((await one.transport.send(message)).kind).toBe("accepted");
    expect(gateway.world.accepted).toMatchObject([{ kind: "image", text: "Oferta", phone: "5511987654321" }]);
    expect((await one.transport.send({ ...message, media: null })).kind).toBe("stop");
  });

  test("every kind of file goes as the gateway takes it: a voice note as one, a document under its name", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const base64 = Buffer.from("bytes").toString("base64");
    const sent: { kind: AttachmentKind; name: string; mime: string }[] = [
      { kind: "voice", name: "", mime: "audio/ogg; codecs=opus" },
      { kind: "audio", name: "aviso.mp3", mime: "audio/mpeg" },
      { kind: "video", name: "festa.mp4", mime: "video/mp4" },
      { kind: "document", name: "boleto.pdf", mime: "application/pdf" },
    ];
    for (const facts of sent) {
      const message = messageTo("5511987654321@s.whatsapp.net", takesCaption(facts.kind) ? "Segue" : "");
      const outcome = await one.transport.send({
        ...message,
        media: { ...facts, base64 },
        hasAttachment: true,
      });
      expect(outcome.kind).toBe("accepted");
    }
    const mediaSha256 = createHash("sha256").update("bytes").digest("hex");
    expect(gateway.world.accepted).toMatchObject([
      { kind: "audio", voice: true, text: null, mediaSha256 },
      { kind: "audio", voice: false, fileName: "aviso.mp3", mediaSha256 },
      { kind: "video", text: "Segue", mediaSha256 },
      { kind: "document", text: "Segue", fileName: "boleto.pdf", mediaSha256 },
    ]);
  });

  test("a received file is asked of the gateway, and its answers say what became of it", async () => {
    const gateway = await lab.gateway();
    const one = await lab.linked(gateway);
    const bytes = Buffer.from("%PDF-1.4 boleto");
    const media = { kind: "document", bytes, mimetype: "application/pdf", fileName: "a.pdf" } as const;
    const providerId = gateway.world.reply("a", "5511987654321", { media });
    const { signal } = new AbortController();
    const wanted = { providerId, source: null, size: null, most: 100 * 1024 * 1024, signal };
    const fetched = async (change: Partial<WantedFile> = {}) => {
      const stream = await one.transport.fetchFile?.({ ...wanted, ...change });
      return (await buffer(stream ?? Readable.from([]))).toString();
    };
    expect(await fetched()).toBe(bytes.toString());
    await expect(fetched({ providerId: "unknown" })).rejects.toMatchObject({ cause: "gone" });
    await expect(fetched({ size: 33 * 1024 * 1024 })).rejects.toMatchObject({ cause: "too_large" });
    await expect(fetched({ most: 5 })).rejects.toMatchObject({ cause: "too_large" });
    gateway.world.faults.next("getBase64FromMediaMessage", "errorBefore");
    await expect(fetched()).rejects.toMatchObject({ cause: "unreachable" });
    gateway.world.forgetFile("a", providerId);
    await expect(fetched()).rejects.toMatchObject({ cause: "gone" });
    one.host.mayAct = () => false;
    await expect(fetched()).rejects.toMatchObject({ cause: "unreachable" });
  });

  test("messages sent to a person are found again, from any sender, and no others", async () => {
    const gateway = await lab.gateway({ now: () => Date.now() });
    const one = await lab.linked(gateway);
    const jid = "5511987654321@s.whatsapp.net";
    await one.transport.send(messageTo(jid, "primeira"));
    gateway.world.faults.next("sendText", "acceptThenReset");
    expect(await one.transport.send(messageTo(jid, "segunda"))).toMatchObject({ kind: "ambiguous" });
    await one.transport.send(messageTo("5511955556666@s.whatsapp.net", "a outra pessoa"));
    gateway.world.reply("a", "5511987654321", "resposta");
    gateway.world.typedOnPhone("a", "5511987654321", "do celular");
    await gateway.world.idle();
    one.clock.advance(Date.now() - one.clock.now().getTime());
    const since = new Date(Date.now() - 60_000);
    const listed = (await one.transport.sentTo?.({ jid, lid: null }, since)) ?? [];
    expect(listed.map(({ text, viaApi }) => [text, viaApi]).sort()).toEqual([
      ["do celular", false],
      ["primeira", true],
      ["segunda", true],
    ]);
    expect(listed.map(({ providerId }) => providerId)).toContain(gateway.world.accepted[1]?.id);
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
    expect(await one.transport.send(messageTo("5511987654321@s.whatsapp.net"))).toMatchObject({
      kind: "ambiguous",
    });
    await one.until(() => one.calls.slice(looks).some((call) => call.includes("connectionState")));
  });
});

function askedOf(client: Partial<EvolutionClient>) {
  const access = {
    baseUrl: "http://127.0.0.1:1",
    apiKey: "k",
    name: "a",
    integration: BAILEYS,
    number: null,
  };
  const reached = { access, client: client as EvolutionClient };
  const monitor = { reached: () => reached, look: () => undefined } as unknown as Monitor;
  return new InstanceCalls({
    monitor,
    wire: new WorkTracker(),
    clock: systemClock,
    mayCall: () => true,
    notOpen: () => undefined,
  });
}

describe("what a gateway leaves out of its answers", () => {
  const answer = (number: string, jid: string, exists: boolean) => ({ number, jid, exists, lid: null });
  test.each([
    ["nothing", []],
    ["one form alone", [answer("5531987654321", "5531987654321@s.whatsapp.net", false)]],
    ["another number", [answer("5511911112222", "5511911112222@s.whatsapp.net", false)]],
    ["an address that is no number's", [answer("5531987654321", "120363000000000000@g.us", true)]],
  ])("%s: no number is reported absent, and no address is stored", async (_, answers) => {
    const calls = askedOf({ whatsappNumbers: async () => answers });
    expect(await calls.lookup("5531987654321")).toEqual({
      kind: "stop",
      cause: "lookup_failed",
      retryAt: null,
    });
  });

  test("messages sent to a person are queried page by page, under the LID as well", async () => {
    const [jid, lid] = ["5511987654321@s.whatsapp.net", "70000000000001@lid"];
    const message = (providerId: string, fromMe = true) =>
      ({ providerId, message: { providerId, fromMe } as IncomingMessage, statuses: [] }) as const;
    const pages = new Map([
      [`${jid} 1`, [message("a"), message("theirs", false)]],
      [`${jid} 2`, [message("b")]],
      [`${lid} 1`, [message("a"), message("c")]],
    ]);
    const calls = askedOf({
      findMessages: async (_: string, { remoteJid, page }: MessageSearch) => ({
        pages: remoteJid === jid ? 2 : 1,
        messages: pages.get(`${remoteJid} ${page}`) ?? [],
      }),
    } as unknown as Partial<EvolutionClient>);
    const found = await calls.sentTo({ jid, lid }, new Date());
    expect(found.map(({ providerId }) => providerId)).toEqual(["a", "b", "c"]);
  });

  test("messages sent to a person are found although the gateway's clock is minutes off", async () => {
    const since = new Date();
    const off = (minutes: number) => new Date(since.getTime() + minutes * 60_000);
    const stored = [off(-5), off(5)].map((at) => ({ at, message: { providerId: String(at), fromMe: true } }));
    const calls = askedOf({
      findMessages: async (_: string, { between }: MessageSearch) => ({
        pages: 1,
        messages: stored.filter(({ at }) => between && at >= between.from && at <= between.to),
      }),
    } as unknown as Partial<EvolutionClient>);
    const found = await calls.sentTo({ jid: "5511987654321@s.whatsapp.net", lid: null }, since);
    expect(found.map(({ providerId }) => providerId)).toEqual(
      stored.map(({ message }) => message.providerId),
    );
  });
});
