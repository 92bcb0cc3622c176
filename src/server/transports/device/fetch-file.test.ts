import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { buffer } from "node:stream/consumers";
import { getMediaKeys, type MediaType, proto } from "baileys";
import { afterEach, expect, test, vi } from "vitest";
import { deviceLab, eventually, type LabDevice } from "../../../../tests/support/device-lab.ts";
import { mp4, oggVoice, pdf } from "../../../../tests/support/media-files.ts";
import type { WantedFile } from "../transport.ts";
import { packSource } from "./file-source.ts";

const lab = await deviceLab();
const { whatsapp } = lab;
const MARIA = "5511911110600";
const MB = 1024 * 1024;

let next = 5511900000600;
const digits = () => String(next++);

afterEach(() => void vi.unstubAllGlobals());

type Sent = NonNullable<Parameters<typeof whatsapp.write>[0]["file"]>;

async function received(
  device: LabDevice,
  phone: string,
  bytes: Buffer,
  sent: Omit<Sent, "base64">,
  text?: string,
) {
  const file = { base64: bytes.toString("base64"), ...sent };
  const { id } = await whatsapp.write({
    from: MARIA,
    to: phone,
    file,
    ...(text === undefined ? {} : { text }),
  });
  return eventually(() => device.host.messagesReceived.find(({ providerId }) => providerId === id));
}

const wanted = (source: Uint8Array | null | undefined, most = 16 * MB): WantedFile => ({
  providerId: "3A01",
  source: source ?? null,
  size: null,
  most,
  signal: new AbortController().signal,
});

async function fetched({ transport }: LabDevice, one: WantedFile): Promise<Buffer> {
  const stream = await transport.fetchFile?.(one);
  if (!stream) throw new Error("a device fetches files");
  return buffer(stream);
}

test("a file of every kind is described by its message, which waits for none, and comes as it was sent", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const kinds = [
    ["image", "image", { mimetype: "image/jpeg" }, randomBytes(5_000)],
    ["video", "video", { mimetype: "video/mp4", seconds: 2 }, await mp4({ video: "avc" })],
    ["audio", "audio", { mimetype: "audio/mpeg", seconds: 9 }, randomBytes(3_000)],
    ["audio", "voice", { mimetype: "audio/ogg; codecs=opus", ptt: true, seconds: 2 }, await oggVoice()],
    ["document", "document", { mimetype: "application/pdf", fileName: "../a\u202e.pdf", pages: 3 }, pdf()],
    ["sticker", "sticker", { mimetype: "image/webp" }, randomBytes(900)],
  ] as const;
  for (const [kind, as, said, bytes] of kinds) {
    const message = await received(
      device,
      phone,
      bytes,
      { kind, ...said },
      kind === "document" ? "o boleto" : undefined,
    );
    expect(message.file).toMatchObject({
      kind: as,
      mime: said.mimetype.split(";")[0],
      name: kind === "document" ? "a.pdf" : "",
      size: bytes.length,
      seconds: "seconds" in said ? said.seconds : null,
      pages: "pages" in said ? said.pages : null,
      content: null,
    });
    expect(bytes.equals(await fetched(device, wanted(message.file?.source)))).toBe(true);
  }
  expect(device.host.messagesReceived.map(({ text }) => text)).toContain("o boleto");
});

test("a file that WhatsApp has no longer is asked of the sender's phone, which may have it no longer either", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { filePhoneMs: 60_000 });
  const bytes = randomBytes(2_000);
  const { providerId: id, file } = await received(device, phone, bytes, {
    kind: "video",
    mimetype: "video/mp4",
  });
  await whatsapp.removeFile({ id });
  expect(bytes.equals(await fetched(device, wanted(file?.source)))).toBe(true);
  await whatsapp.removeFile({ id, phoneKeeps: false });
  await expect(fetched(device, wanted(file?.source))).rejects.toMatchObject({ cause: "gone" });
});

test("a phone that is off is not waited for without end", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone, { filePhoneMs: 50 });
  const { providerId: id, file } = await received(device, phone, randomBytes(10), {
    kind: "image",
    mimetype: "image/png",
  });
  await whatsapp.removeFile({ id });
  await whatsapp.faults({ silentPhones: 1 });
  await expect(fetched(device, wanted(file?.source))).rejects.toMatchObject({ cause: "unreachable" });
});

test("one that was changed on the way, or is larger than allowed, is not taken", async () => {
  const phone = digits();
  const device = await lab.pairedDevice(phone);
  const mimetype = "application/pdf";
  const bytes = randomBytes(300_000);
  const changed = await received(device, phone, bytes, { kind: "document", mimetype, wrongHash: true });
  await expect(fetched(device, wanted(changed.file?.source))).rejects.toMatchObject({ cause: "changed" });
  const longer = await received(device, phone, bytes, { kind: "document", mimetype, size: 1_000 });
  expect(longer.file?.size).toBe(1_000);
  await expect(fetched(device, wanted(longer.file?.source, 200_000))).rejects.toMatchObject({
    cause: "too_large",
  });
});

async function sealed(content: Buffer, type: MediaType = "image") {
  const mediaKey = randomBytes(32);
  const { cipherKey, iv } = await getMediaKeys(mediaKey, type);
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const file = Buffer.concat([cipher.update(content), cipher.final(), Buffer.alloc(10)]);
  return { file, mediaKey, fileSha256: createHash("sha256").update(content).digest() };
}

function sourceAt(directPath: string, { mediaKey, fileSha256 }: { mediaKey: Buffer; fileSha256: Buffer }) {
  const part = { mediaKey, directPath, fileSha256 };
  const said = { kind: "image", mime: "", name: "", size: null, seconds: null, pages: null } as const;
  return packSource(
    { id: "3A01", remoteJid: `${MARIA}@s.whatsapp.net` },
    { field: "imageMessage", part, said },
  );
}

test("a file is fetched from WhatsApp's own host alone, because the sender chooses the address", async () => {
  const device = await lab.pairedDevice(digits());
  const content = randomBytes(1_000);
  const picture = await sealed(content);
  const asked: string[] = [];
  vi.stubGlobal("fetch", async (address: string | URL) => {
    asked.push(new URL(address).origin);
    return new Response(new Uint8Array(picture.file));
  });
  const good = sourceAt("/v/t62.7118-24/1.enc?ccb=1", picture);
  expect(content.equals(await fetched(device, wanted(good)))).toBe(true);
  expect(asked).toEqual(["https://mmg.whatsapp.net"]);
  const odd = [
    ".evil.example/1",
    "@evil.example/1",
    ":8443/1",
    "//evil.example/1",
    "https://evil.example/1",
    "",
  ];
  expect(odd.map((path) => sourceAt(path, picture))).toEqual(odd.map(() => null));
  const forged = proto.WebMessageInfo.encode({
    key: { id: "3A01" },
    message: { imageMessage: { mediaKey: picture.mediaKey, directPath: "//evil.example/1" } },
  }).finish();
  await expect(fetched(device, wanted(forged))).rejects.toMatchObject({ cause: "gone" });
  expect(asked).toHaveLength(1);
});

test("a host that stops in the middle ends the fetch, and so does a stop of the process", async () => {
  const device = await lab.pairedDevice(digits(), { fileSilenceMs: 100 });
  const picture = await sealed(randomBytes(100_000));
  const source = sourceAt("/v/1.enc", picture);
  const half = () =>
    new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(new Uint8Array(picture.file.subarray(0, 50_000))),
    });
  vi.stubGlobal("fetch", async () => new Response(half()));
  await expect(fetched(device, wanted(source))).rejects.toMatchObject({ cause: "unreachable" });
  const patient = await lab.pairedDevice(digits(), { fileSilenceMs: 60_000 });
  const stop = new AbortController();
  const running = fetched(patient, { ...wanted(source), signal: stop.signal });
  stop.abort();
  await expect(running).rejects.toMatchObject({ cause: "unreachable" });
});
