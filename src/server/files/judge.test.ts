import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { heic } from "../../../tests/support/heic-file.ts";
import { mkv, mp4, oggVoice, pdf, webm } from "../../../tests/support/media-files.ts";
import { LARGEST_ATTACHMENT, type SentAs } from "../../domain/attachment.ts";
import { cleanImage } from "./images.ts";
import { type Judged, judge } from "./judge.ts";
import { judgeReceived } from "./judge-received.ts";
import { mediaFacts } from "./media-facts.ts";

let folder = "";
beforeAll(async () => {
  folder = await fs.mkdtemp(path.join(os.tmpdir(), "recado-judge-"));
});
afterAll(() => fs.rm(folder, { recursive: true, force: true }));

let files = 0;

async function judged(content: Uint8Array | string, name: string, as?: SentAs): Promise<Judged> {
  const file = path.join(folder, String(++files));
  await fs.writeFile(file, content);
  return judge(file, { name, as, draw: cleanImage });
}

const refusal = (content: Uint8Array | string, name: string, as?: SentAs) =>
  judged(content, name, as).then(
    ({ kind }) => `taken as ${kind}`,
    ({ code }: { code: string }) => code,
  );

const picture = () =>
  sharp({ create: { width: 400, height: 300, channels: 3, background: "#146b3c" } })
    .jpeg()
    .toBuffer();
const PROGRAM = Buffer.concat([Buffer.from("MZ"), Buffer.alloc(200)]);
const ZIP = Buffer.from("504b0506000000000000000000000000000000000000", "hex");

describe("judged by content", () => {
  test("H.264 in MP4 is a video, with its size and length", async () => {
    expect(await judged(await mp4({ video: "avc", audio: "aac" }, 3), "festa.mp4")).toMatchObject({
      kind: "video",
      mime: "video/mp4",
      name: "festa.mp4",
      width: 64,
      height: 48,
      seconds: 3,
    });
  });

  test("sounds that WhatsApp plays keep their bytes and name", async () => {
    const ogg = await judged(await oggVoice(5), "aviso.ogg");
    expect(ogg).toMatchObject({ kind: "audio", mime: "audio/ogg", name: "aviso.ogg" });
    expect(ogg.seconds).toBeCloseTo(5, 1);
    expect(await judged(await mp4({ audio: "aac" }), "aviso.m4a")).toMatchObject({
      kind: "audio",
      mime: "audio/mp4",
    });
  });

  test("a browser's recording becomes a voice note: the same packets in OGG", async () => {
    const note = await judged(await webm({ audio: "opus" }, 4), "", "voice");
    expect(note).toMatchObject({ kind: "voice", mime: "audio/ogg; codecs=opus", name: "" });
    const file = path.join(folder, "note.ogg");
    await fs.writeFile(file, note.content);
    const facts = await mediaFacts(file);
    expect(facts).toMatchObject({ container: "application/ogg", audio: { codec: "opus" } });
    expect(facts.seconds).toBeCloseTo(4, 1);
  });

  test("what is no picture, video or sound is a document under its name", async () => {
    expect(await judged(pdf(), "boleto de maio.pdf")).toMatchObject({
      kind: "document",
      mime: "application/pdf",
      name: "boleto de maio.pdf",
    });
    expect(await judged("Nome;Telefone\n", "lista.csv")).toMatchObject({ mime: "text/csv" });
    expect(await judged(ZIP, "planilha.xlsx")).toMatchObject({ kind: "document" });
    expect(await judged("<svg xmlns='http://www.w3.org/2000/svg'/>", "logo.svg")).toMatchObject({
      kind: "document",
    });
  });

  test("as a document a picture and an HEVC video stay as they are", async () => {
    const jpeg = await picture();
    const kept = await judged(jpeg, "foto.jpg", "document");
    expect(kept).toMatchObject({ kind: "document", mime: "image/jpeg", bytes: jpeg.byteLength });
    expect(await judged(await mp4({ video: "hevc" }), "iphone.mp4", "document")).toMatchObject({
      kind: "document",
    });
  });

  test("a picture becomes ours, whatever it is called, and says when it was made smaller", async () => {
    expect(await judged(await picture(), "foto.jpg")).toMatchObject({
      kind: "image",
      name: "",
      reduced: false,
    });
    const wide = await sharp({ create: { width: 4_000, height: 40, channels: 3, background: "#fff" } })
      .png()
      .toBuffer();
    expect(await judged(wide, "faixa.png")).toMatchObject({ width: 2_048, reduced: true });
  });
});

test.each<[string, () => Promise<Uint8Array | string> | Uint8Array | string, string, string, SentAs?]>([
  ["nothing in it", () => "", "vazio.pdf", "attachment_empty"],
  ["a program", () => PROGRAM, "jogo.exe", "attachment_program"],
  ["a program called a bill", () => PROGRAM, "boleto.pdf", "attachment_program"],
  ["a program by its name alone", () => "format c:", "leia.bat", "attachment_program"],
  ["a program after a turned name", () => "x", "boleto\u202efdp.scr", "attachment_program"],
  [
    "a page called a picture",
    () => "<!doctype html><script>alert(1)</script>",
    "foto.jpg",
    "attachment_disguised",
  ],
  ["a ZIP called a PDF", () => ZIP, "boleto.pdf", "attachment_disguised"],
  ["a text called a video", () => "oi", "festa.mp4", "attachment_disguised"],
  ["a document without a name", () => "oi", "", "attachment_name_required"],
  ["HEVC", () => mp4({ video: "hevc" }), "iphone.mp4", "video_unsupported"],
  ["H.264 in Matroska", () => mkv({ video: "avc" }), "filme.mkv", "video_unsupported"],
  ["VP9", () => webm({ video: "vp9" }), "tela.webm", "video_unsupported"],
  ["Opus in WebM as a sound", () => webm({ audio: "opus" }), "nota.webm", "audio_unsupported"],
  ["AAC as a voice note", () => mp4({ audio: "aac" }), "nota.m4a", "voice_unsupported", "voice"],
  [
    "a video as a voice note",
    () => webm({ video: "vp9", audio: "opus" }),
    "nota.webm",
    "voice_unsupported",
    "voice",
  ],
  ["a document as a voice note", () => pdf(), "boleto.pdf", "attachment_corrupt", "voice"],
  [
    "a video cut in the middle",
    async () => (await mp4({ video: "avc" }, 200)).subarray(0, 1_000),
    "festa.mp4",
    "attachment_corrupt",
  ],
  [
    "a picture cut in the middle",
    async () => (await picture()).subarray(0, 300),
    "foto.jpg",
    "image_corrupt",
  ],
  [
    "more than 16 MB of video",
    async () => Buffer.concat([await mp4({ video: "avc" }), Buffer.alloc(17 * 2 ** 20)]),
    "festa.mp4",
    "attachment_too_large",
  ],
  ["more than 100 MB", () => Buffer.alloc(LARGEST_ATTACHMENT + 1, "a"), "livro.txt", "attachment_too_large"],
])("refused: %s", async (_, content, name, code, as) => {
  expect(await refusal(await content(), name, as)).toBe(code);
});

describe("a phone's picture", () => {
  test("becomes a JPEG, sent or received", async () => {
    const jpeg = { kind: "image", mime: "image/jpeg", name: "", width: 96, height: 64 };
    expect(await judged(heic(), "IMG_0001.HEIC")).toMatchObject(jpeg);
    const file = path.join(folder, String(++files));
    await fs.writeFile(file, heic());
    const said = {
      kind: "image",
      mime: "image/heic",
      name: "",
      size: null,
      seconds: null,
      pages: null,
    } as const;
    expect(await judgeReceived(file, said, cleanImage)).toMatchObject(jpeg);
  });
  test("stays as it is as a document", async () => {
    expect(await judged(heic(), "IMG_0001.HEIC", "document")).toMatchObject({
      kind: "document",
      name: "IMG_0001.HEIC",
      bytes: heic().length,
    });
  });
  test("is not an AVIF that is called one, nor a broken one", async () => {
    expect(await refusal(heic({ brand: "avif" }), "IMG_0001.HEIC")).toBe("attachment_disguised");
    expect(await refusal(heic().subarray(0, -100), "IMG_0001.HEIC")).toBe("image_corrupt");
  });
  test("that is broken is kept as a document where it was received", async () => {
    const file = path.join(folder, String(++files));
    await fs.writeFile(file, heic().subarray(0, -100));
    const said = {
      kind: "image",
      mime: "image/heic",
      name: "",
      size: null,
      seconds: null,
      pages: null,
    } as const;
    expect(await judgeReceived(file, said, cleanImage)).toMatchObject({ kind: "document" });
  });
});

describe("an installation that takes less", () => {
  const tried = async (bytes: number, mostMb: number, name: string) => {
    const file = path.join(folder, String(++files));
    await fs.writeFile(file, Buffer.concat([await mp4({ video: "avc" }), Buffer.alloc(bytes)]));
    return judge(file, {
      name,
      mostMb,
      draw: cleanImage,
      ...(name.endsWith("mp4") ? {} : { as: "document" }),
    });
  };
  test("refuses above its limit, of each kind, and names it", async () => {
    const over = { code: "attachment_too_large", details: { mb: 3 } };
    await expect(tried(3 * 2 ** 20, 3, "festa.mp4")).rejects.toMatchObject(over);
    await expect(tried(3 * 2 ** 20, 3, "festa")).rejects.toMatchObject(over);
    expect(await tried(2 * 2 ** 20, 3, "festa.mp4")).toMatchObject({ kind: "video" });
  });
  test("never takes more than WhatsApp", async () => {
    await expect(tried(17 * 2 ** 20, 50, "festa.mp4")).rejects.toMatchObject({ details: { mb: 16 } });
  });
});
