import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import sharp from "sharp";
import { expect, onTestFinished, test, vi } from "vitest";
import { deviceLab } from "../../../../tests/support/device-lab.ts";
import { outgoingFile } from "../../../../tests/support/outgoing-file.ts";

const lab = await deviceLab();
const { whatsapp } = lab;

let next = 5511900000700;
const digits = () => String(next++);

async function smallImage() {
  const bytes = await sharp({ create: { width: 8, height: 8, channels: 3, background: "#fff" } })
    .jpeg()
    .toBuffer();
  return outgoingFile(bytes);
}

test.each([null, 429, 503])(
  "an unanswered or refused question for the media host (%s) spoils no later upload",
  async (code) => {
    const device = await lab.pairedDevice(digits(), code === null ? { queryTimeoutMs: 2_000 } : {});
    const image = await smallImage();
    await whatsapp.faults({ failQueries: { namespace: "w:m", code, count: 1 } });
    await expect(device.transport.upload?.(image)).rejects.toMatchObject({ name: "StopError" });
    expect(await device.transport.upload?.(image)).toMatchObject({ imageMessage: expect.any(String) });
  },
);

test.each([
  ["half an answer", { cutUploads: 1 }],
  ["an answer without an end", { dripUploads: 1 }],
])(
  "%s of the media host ends the upload in time and leaves nothing behind; the next one works",
  async (_, fault) => {
    const device = await lab.pairedDevice(digits(), { uploadTimeoutMs: 4_000 });
    const { media } = lab.simulator.world;
    const image = await smallImage();
    const folder = await mkdtemp(join(tmpdir(), "recado-uploads-"));
    onTestFinished(() => rm(folder, { recursive: true }));
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    await whatsapp.faults(fault);
    await expect(device.transport.upload?.(image)).rejects.toMatchObject({ cause: "upload_failed" });
    await expect.poll(() => readdir(folder)).toEqual([]);
    await expect.poll(() => media.drippingCount()).toBe(0);
    expect(await device.transport.upload?.(image)).toMatchObject({ imageMessage: expect.any(String) });
  },
);

test("that images do not reach WhatsApp is said of the number from the second in a row on, until one does", async () => {
  const device = await lab.pairedDevice(digits());
  const causes = () => device.host.reports.map(({ cause }) => cause);
  const image = await smallImage();
  const fails = () =>
    expect(device.transport.upload?.(image)).rejects.toMatchObject({ cause: "upload_failed" });
  await whatsapp.faults({ failUploads: 1 });
  await fails();
  await device.transport.upload?.(image);
  await whatsapp.faults({ failUploads: 2 });
  await fails();
  expect(causes()).not.toContain("upload_failed");
  await fails();
  expect(await device.reported(({ cause }) => cause === "upload_failed")).toMatchObject({
    state: "connected",
  });
  await device.transport.upload?.(image);
  await expect.poll(() => causes().at(-1)).toBeNull();
});

test("a failed upload is the channel's error and leaves no recipient with half a message", async () => {
  const device = await lab.pairedDevice(digits());
  await whatsapp.faults({ failUploads: 1 });
  const image = await smallImage();
  await expect(device.transport.upload?.(image)).rejects.toMatchObject({ cause: "upload_failed" });
  expect(await device.transport.upload?.(image)).toMatchObject({ imageMessage: expect.any(String) });
});
