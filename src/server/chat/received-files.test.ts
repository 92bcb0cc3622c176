import { sql } from "kysely";
import sharp from "sharp";
import { expect, test } from "vitest";
import { testDatabase, testLog } from "../../../tests/support/database.ts";
import { testFiles } from "../../../tests/support/file-service.ts";
import { mp4, oggVoice, pdf } from "../../../tests/support/media-files.ts";
import { memoryStore } from "../../../tests/support/memory-store.ts";
import { noAssistant } from "../../../tests/support/no-assistant.ts";
import { ANA, ANA_JID, fileOf, incoming, receiveLab } from "../../../tests/support/receive-lab.ts";
import { AppError } from "../../domain/errors.ts";
import { systemClock } from "../base/clock.ts";
import { ownerOf } from "../db/owner.ts";
import { createSecrets, type Secrets } from "../db/secrets.ts";
import type { FileService } from "../files/service.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { openGuardedFetch } from "../net/guarded-fetch.ts";
import { FileError, type WantedFile } from "../transports/transport.ts";
import { personChats } from "./erase.ts";
import { FileFetcher, fileTurns } from "./file-fetcher.ts";
import { forgetReceivedFiles } from "./forget-files.ts";
import { noteFile } from "./received-files.ts";
import { ChatService } from "./service.ts";

const { db } = await testDatabase();

const png = (side = 8) =>
  sharp({ create: { width: side, height: side, channels: 3, background: "#0a0" } })
    .png()
    .toBuffer();

type Answer = Uint8Array | Error;

type Options = { files?: FileService; secrets?: Secrets };

async function arrange({
  files = testFiles(openGuardedFetch({ privateHosts: new Set() })),
  ...own
}: Options = {}) {
  const lab = await receiveLab(db, { files });
  const wanted: WantedFile[] = [];
  let answers: Answer[] = [];
  let waiting: (() => void)[] = [];
  let ahead = 0;
  const clock = { now: () => new Date(Date.now() + ahead) };
  const fetcher = new FileFetcher({
    db,
    log: testLog,
    clock,
    after: (_, call) => {
      waiting.push(call);
      return () => {
        waiting = waiting.filter((one) => one !== call);
      };
    },
    changes: { mark: (_, __, id) => void lab.marks.push(id) },
    files,
    secrets: own.secrets ?? lab.secrets,
    turns: fileTurns(new FairQueues(systemClock)),
    retryMs: 1_000,
  });
  const transport = {
    ready: () => true,
    fetchFile: async (one: WantedFile) => {
      wanted.push(one);
      const [answer] = answers.length > 1 ? answers.splice(0, 1) : answers;
      if (answer instanceof Error) throw answer;
      return inPieces(answer ?? Buffer.alloc(0));
    },
  };
  const rows = async () =>
    (
      await sql<{ state: string; kind: string; name: string; mime: string; as: string | null }>`
        select r.state, f.kind, f.name, f.mime, r.kind as "as" from received_file r
        join chat_message m on m.id = r.message_id left join attachment f on f.id = m.attachment_id
        where r.connection_id = ${lab.connectionId} order by r.message_id`.execute(db)
    ).rows;
  const settled = async () => {
    fetcher.look(lab.here, transport);
    await expect
      .poll(async () => {
        for (const call of waiting.splice(0)) {
          ahead += 60_000;
          call();
        }
        return (await rows()).filter(({ state }) => state === "coming").length;
      })
      .toBe(0);
    return rows();
  };
  return {
    ...lab,
    files,
    fetcher,
    transport,
    wanted,
    rows,
    settled,
    answer: (...next: Answer[]) => {
      answers = next;
    },
    later: (ms: number) => {
      ahead += ms;
    },
    clock,
    owner: ownerOf(db, lab.account),
  };
}

async function* inPieces(bytes: Uint8Array) {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
}

const chatService = (files: FileService) =>
  new ChatService({
    files,
    clock: systemClock,
    log: testLog,
    changes: { mark: () => undefined },
    assistant: noAssistant,
  });

const first = async (lab: Awaited<ReturnType<typeof arrange>>) => {
  const [row] = await lab.messages();
  if (!row) throw new Error("no message");
  return row;
};

test("what people send is kept as what it is by its content, and never as more than it is", async () => {
  const lab = await arrange();
  const cases = [
    ["image", await png(), {}, "image", "", "image/png"],
    ["video", await mp4({ video: "avc", audio: "aac" }), { mime: "video/mp4" }, "video", "", "video/mp4"],
    ["voice", await oggVoice(), { mime: "audio/ogg" }, "voice", "", "audio/ogg; codecs=opus"],
    ["audio", await oggVoice(), { mime: "audio/ogg" }, "audio", "", "audio/ogg"],
    [
      "sticker",
      await sharp(await png())
        .webp()
        .toBuffer(),
      {},
      "sticker",
      "",
      "image/webp",
    ],
    [
      "document",
      pdf(),
      { mime: "application/pdf", name: "boleto.pdf" },
      "document",
      "boleto.pdf",
      "application/pdf",
    ],
    // None of these is what it says.
    ["image", Buffer.from("<html><script>alert(1)</script>"), {}, "document", "whatsapp", "image/jpeg"],
    ["sticker", await png(), {}, "document", "whatsapp.png", "image/jpeg"],
    ["video", await mp4({ video: "hevc" }), { mime: "video/mp4" }, "document", "whatsapp.mp4", "video/mp4"],
    ["image", await mp4({ video: "avc" }), {}, "document", "whatsapp.mp4", "image/jpeg"],
    ["voice", Buffer.from("MZ not a sound"), { mime: "audio/ogg" }, "document", "whatsapp.exe", "audio/ogg"],
    ["document", await png(), { name: "foto.jpg", mime: "text/html" }, "document", "foto.jpg", "text/html"],
  ] as const;
  for (const [kind, bytes, said] of cases) {
    lab.answer(bytes);
    await lab.receive(incoming({ kind: "other", file: fileOf(null, { kind, ...said }) }));
    await lab.settled();
  }
  expect((await lab.rows()).map(({ state, as, kind, name, mime }) => [state, as, kind, name, mime])).toEqual(
    cases.map(([as, , , kind, name, mime]) => ["here", as, kind, name, mime]),
  );
});

test("a document is only ever downloaded, whatever its sender calls it", async () => {
  const lab = await arrange();
  lab.answer(Buffer.from("<html><script>alert(1)</script>"));
  const name = "\u202egpj.exe";
  await lab.receive(incoming({ file: fileOf(null, { kind: "document", mime: "text/html", name }) }));
  await lab.settled();
  const { image } = await first(lab);
  const { headers } = await lab.files.show(lab.owner, image ?? 0, new Request("http://recado.test"));
  expect(headers.get("content-type")).toBe("application/octet-stream");
  expect(headers.get("content-disposition")).toMatch(/^attachment/);
  expect(headers.get("content-security-policy")).toContain("sandbox");
});

test("a fetch that fails is tried three times; the message was there from the beginning, its keys sealed", async () => {
  const lab = await arrange();
  const source = Buffer.from("the keys of WhatsApp");
  lab.answer(new FileError("unreachable"), new FileError("changed"), await png());
  await lab.receive(incoming({ kind: "image", text: "olha", file: fileOf(null, { source }) }));
  expect(await lab.messages()).toMatchObject([{ text: "olha", image: null }]);
  const { rows } = await sql<{ source: Buffer }>`select source from received_file
    where connection_id = ${lab.connectionId}`.execute(db);
  expect(rows[0]?.source.includes(source)).toBe(false);
  expect(await lab.settled()).toMatchObject([{ state: "here", kind: "image" }]);
  expect(lab.wanted.map((one) => source.equals(one.source ?? Buffer.alloc(0)))).toEqual([true, true, true]);

  const never = await arrange();
  never.answer(new FileError("unreachable"));
  await never.receive(incoming({ file: fileOf(null) }));
  expect(await never.settled()).toMatchObject([{ state: "failed", kind: null }]);
  expect(never.wanted).toHaveLength(3);
});

test.each([
  ["gone", new FileError("gone"), 1],
  ["too_large", new FileError("too_large"), 1],
  ["failed", Buffer.alloc(0), 1],
] as const)("a file that ends as «%s» leaves its message without it", async (state, answer, asked) => {
  const lab = await arrange();
  lab.answer(answer);
  await lab.receive(incoming({ text: "olha", file: fileOf(null) }));
  expect(await lab.settled()).toMatchObject([{ state, kind: null }]);
  expect(lab.wanted).toHaveLength(asked);
  expect(await lab.stored()).toEqual(["olha"]);
  expect(lab.marks.at(-1)).toBe((await first(lab)).chat);
});

test("one that says it is too large is not asked for", async () => {
  const lab = await arrange();
  await lab.receive(incoming({ file: fileOf(null, { kind: "video", size: 16 * 1024 * 1024 + 1 }) }));
  expect(await lab.settled()).toMatchObject([{ state: "too_large" }]);
  expect(lab.wanted).toEqual([]);
});

test("a full account and a full disk leave the message without its file, with the cause", async () => {
  const lab = await arrange();
  await sql`insert into account_limit (account_id, name, value) values (${lab.account}::uuid, 'stored_bytes', 10)`.execute(
    db,
  );
  lab.answer(await png());
  await lab.receive(incoming({ file: fileOf(null) }), incoming({ file: fileOf(await png()) }));
  expect((await lab.settled()).map(({ state }) => state)).toEqual(["no_room", "no_room"]);

  const store = { ...memoryStore(), put: async () => Promise.reject(new AppError("unavailable")) };
  const full = await arrange({
    files: testFiles(openGuardedFetch({ privateHosts: new Set() }), { store }),
  });
  full.answer(await png());
  await full.receive(incoming({ file: fileOf(null) }), incoming({ file: fileOf(await png()) }));
  expect((await full.settled()).map(({ state }) => state)).toEqual(["disk_full", "disk_full"]);
  expect(await full.messages()).toHaveLength(2);
});

test("what another process began to fetch is left to it, and taken over when it ended", async () => {
  const lab = await arrange();
  const stuck = Promise.withResolvers<AsyncGenerator<Uint8Array>>();
  const began = Promise.withResolvers<void>();
  await lab.receive(incoming({ file: fileOf(null) }));
  lab.fetcher.look(lab.here, {
    ready: () => true,
    fetchFile: () => {
      began.resolve();
      return stuck.promise;
    },
  });
  await began.promise;
  const other = await arrange();
  const see = () => other.fetcher.look(lab.here, other.transport);
  other.answer(await png());
  see();
  await other.receive(incoming({ file: fileOf(null) }));
  other.fetcher.look(other.here, other.transport);
  await expect.poll(other.rows).toMatchObject([{ state: "here" }]);
  expect(await lab.rows()).toMatchObject([{ state: "coming" }]);
  other.later(11 * 60_000);
  see();
  await expect.poll(lab.rows).toMatchObject([{ state: "here" }]);
  stuck.reject(new FileError("gone"));
  await lab.fetcher.close();
  expect(await lab.rows()).toMatchObject([{ state: "here", kind: "image" }]);
});

test("files are kept for so many days, then their messages say so and WhatsApp may be asked again", async () => {
  const lab = await arrange();
  const { account, clock, files, owner } = lab;
  lab.answer(await png());
  await lab.receive(incoming({ text: "de março", file: fileOf(null) }), incoming({ file: fileOf(null) }));
  await lab.settled();
  const [old, young] = await lab.messages();
  const chatId = old?.chat ?? 0;
  await sql`update attachment set created_at = now() - interval '200 days' where account_id = ${account}::uuid`.execute(
    db,
  );
  const forget = (days: number) =>
    forgetReceivedFiles({ db, clock, files, days, changes: { mark: () => undefined } });
  await sql`update received_file set at = now() - interval '91 days' where message_id = ${old?.id}`.execute(
    db,
  );
  await forget(90);
  expect((await lab.rows()).map(({ state }) => state)).toEqual(["expired", "here"]);
  const show = () => files.show(owner, young?.image ?? 0, new Request("http://recado.test"));
  expect((await show()).status).toBe(200);
  await sql`update received_file set at = now() - interval '91 days' where message_id = ${young?.id}`.execute(
    db,
  );
  await forget(90);
  await expect(show()).rejects.toMatchObject({ code: "not_found" });
  expect(await lab.stored()).toContain("de março");

  const chats = chatService(files);
  const again = await chats.fetchFile(owner, chatId, old?.id ?? 0);
  expect(again).toMatchObject({ text: "de março", receivedFile: { state: "coming" }, attachment: null });
  expect((await lab.settled())[0]).toMatchObject({ state: "here", kind: "image" });
  const stranger = await arrange();
  await expect(chats.fetchFile(stranger.owner, chatId, young?.id ?? 0)).rejects.toMatchObject({
    code: "not_found",
  });
  await expect(chats.fetchFile(owner, chatId, 0)).rejects.toMatchObject({ code: "not_found" });
  expect((await lab.rows())[1]).toMatchObject({ state: "expired" });
});

test("one that WhatsApp has no longer, or that is here, is not asked for again", async () => {
  const lab = await arrange();
  const chats = chatService(lab.files);
  lab.answer(new FileError("gone"), await png());
  await lab.receive(incoming({ file: fileOf(null) }));
  await lab.settled();
  const { chat, id } = await first(lab);
  expect(await chats.fetchFile(lab.owner, chat, id)).toMatchObject({ receivedFile: { state: "gone" } });
  await noteFile(lab.owner, id, "failed", new Date());
  expect(await chats.fetchFile(lab.owner, chat, id)).toMatchObject({ receivedFile: { state: "coming" } });
  await lab.settled();
  expect(await chats.fetchFile(lab.owner, chat, id)).toMatchObject({ receivedFile: { state: "here" } });
  expect(lab.wanted).toHaveLength(2);
});

test("a file whose bytes were lost on the disk is fetched again, and shown", async () => {
  const store = memoryStore();
  const lab = await arrange({ files: testFiles(openGuardedFetch({ privateHosts: new Set() }), { store }) });
  lab.answer(await png());
  await lab.receive(incoming({ file: fileOf(null) }));
  await lab.settled();
  const { chat, id } = await first(lab);
  store.held.clear();
  const asked = await chatService(lab.files).fetchFile(lab.owner, chat, id);
  expect(asked).toMatchObject({ receivedFile: { state: "coming" }, attachment: null });
  await lab.settled();
  const { image } = await first(lab);
  const shown = await lab.files.show(lab.owner, image ?? 0, new Request("http://recado.test"));
  expect((await shown.bytes()).length).toBeGreaterThan(0);
});

test("keys go with the person, and a lost secret key only costs the file", async () => {
  const lab = await arrange({ secrets: createSecrets(Buffer.alloc(32, 9).toString("base64")) });
  lab.answer(new FileError("gone"));
  await lab.receive(incoming({ file: fileOf(null, { source: Buffer.from("keys") }) }));
  expect(await lab.settled()).toMatchObject([{ state: "gone" }]);
  expect(lab.wanted).toMatchObject([{ source: null }]);
  await personChats.erase(lab.owner, { phone: ANA, addresses: [ANA_JID] });
  expect(await lab.rows()).toEqual([]);
});
