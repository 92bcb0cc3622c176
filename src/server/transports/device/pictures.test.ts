import { createCipheriv, createHash, randomBytes } from "node:crypto";
import { getMediaKeys } from "baileys";
import { afterEach, expect, test, vi } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import type { IncomingMessage } from "../transport.ts";
import { fetchPictures } from "./pictures.ts";

const MESSAGE = { providerId: "3A01", kind: "image", text: "olha", image: null } as IncomingMessage;

afterEach(() => void vi.unstubAllGlobals());

type Named = { mediaKey: Buffer; directPath: string; fileSha256: Buffer };

async function fetched(file: Buffer, named: Named) {
  const asked: string[] = [];
  const stored: IncomingMessage[] = [];
  const first = Promise.withResolvers<void>();
  vi.stubGlobal("fetch", async (address: string | URL) => {
    asked.push(new URL(address).origin);
    return new Response(new Uint8Array(file));
  });
  const log = testLog.child({}, { level: "info" });
  log.info = () => first.resolve();
  const host = {
    messages: async (batch: readonly IncomingMessage[]) => {
      stored.push(...batch);
      first.resolve();
    },
  };
  const pictures = fetchPictures({ host, log, retryMs: 1 });
  pictures.fetch(MESSAGE, named);
  await first.promise;
  await pictures.close(60_000);
  return { asked: [...new Set(asked)], images: stored.map(({ image }) => image) };
}

async function sealed(content: Buffer): Promise<{ file: Buffer; named: Named }> {
  const mediaKey = randomBytes(32);
  const { cipherKey, iv } = await getMediaKeys(mediaKey, "image");
  const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
  const file = Buffer.concat([cipher.update(content), cipher.final(), Buffer.alloc(10)]);
  const fileSha256 = createHash("sha256").update(content).digest();
  return { file, named: { mediaKey, directPath: "/v/t62.7118-24/1.enc?ccb=1", fileSha256 } };
}

test("a picture is fetched from WhatsApp's own host, and is the one that was sent", async () => {
  const content = randomBytes(100_000);
  const { file, named } = await sealed(content);
  const { asked, images } = await fetched(file, named);
  expect(asked).toEqual(["https://mmg.whatsapp.net"]);
  expect(images.map((image) => content.equals(image ?? Buffer.alloc(0)))).toEqual([true]);
});

test.each([
  ".evil.example/1.enc",
  "@evil.example/1.enc",
  ":8443/1.enc",
  "//evil.example/1.enc",
  "https://evil.example/1",
  "",
])("a picture whose message names its file as %j is not downloaded", async (directPath) => {
  const { file, named } = await sealed(randomBytes(100));
  expect(await fetched(file, { ...named, directPath })).toEqual({ asked: [], images: [] });
});

test("a picture that was changed on the way, or is larger than any, is not shown", async () => {
  const { named } = await sealed(randomBytes(1_000));
  const another = await sealed(randomBytes(1_000));
  expect((await fetched(another.file, { ...another.named, fileSha256: named.fileSha256 })).images).toEqual(
    [],
  );
  const giant = await sealed(Buffer.alloc(8 * 1024 * 1024 + 1));
  expect((await fetched(giant.file, giant.named)).images).toHaveLength(0);
});
