import { createCipheriv, createHash, hkdfSync, randomBytes } from "node:crypto";
import { type BinaryNode, proto } from "baileys";
import type { z } from "zod";
import { type Device, deliverToDevice } from "./accounts.ts";
import type { Calls } from "./control-requests.ts";
import type { PhoneFile } from "./media.ts";
import { refusal } from "./refusal.ts";
import { childOf, stanza, unixSeconds } from "./stanza.ts";
import type { World } from "./world.ts";

type Wanted = NonNullable<z.output<Calls["write"]>["file"]>;

const FIELDS = {
  image: "imageMessage",
  video: "videoMessage",
  audio: "audioMessage",
  document: "documentMessage",
  sticker: "stickerMessage",
} as const;

export async function fileMessage(
  world: World,
  { kind, base64, mimetype, fileName, seconds, ptt, pages, size, wrongHash }: Wanted,
  text: string | undefined,
): Promise<{ message: proto.IMessage; file: PhoneFile }> {
  const bytes = Buffer.from(base64, "base64");
  const { directPath, mediaKey, fileEncSha256 } = await world.media.keep(bytes, kind);
  const told = {
    url: `https://${world.media.host}${directPath}`,
    directPath,
    mediaKey,
    mimetype,
    fileEncSha256,
    fileLength: size ?? bytes.length,
    fileSha256: wrongHash ? randomBytes(32) : createHash("sha256").update(bytes).digest(),
    ...(kind === "audio" ? { ptt } : {}),
    ...(seconds === undefined ? {} : { seconds }),
    ...(fileName === undefined ? {} : { fileName }),
    ...(pages === undefined ? {} : { pageCount: pages }),
    ...(text === undefined || kind === "audio" || kind === "sticker" ? {} : { caption: text }),
  };
  const message = proto.Message.fromObject({ [FIELDS[kind]]: told });
  const captioned = kind === "document" && text !== undefined;
  return {
    message: captioned ? { documentWithCaptionMessage: { message } } : message,
    file: { bytes, mediaKey, type: kind, directPath, kept: true },
  };
}

export function removeFile(world: World, id: string, phoneKeeps: boolean): void {
  const file = world.phoneFiles.get(id);
  if (!file) throw refusal("message_not_found");
  world.media.remove(file.directPath);
  file.kept = phoneKeeps;
}

export async function uploadAgain(world: World, device: Device, request: BinaryNode): Promise<void> {
  const { id = "" } = request.attrs;
  const asked = childOf(request, "rmr");
  const file = world.phoneFiles.get(id);
  if (!asked || !file || world.faults.take("silentPhones")) return;
  const { SUCCESS, NOT_FOUND } = proto.MediaRetryNotification.ResultType;
  if (file.kept) file.directPath = (await world.media.keep(file.bytes, file.type, file.mediaKey)).directPath;
  const answer = { stanzaId: id, result: file.kept ? SUCCESS : NOT_FOUND };
  const sealed = seal(file, id, file.kept ? { ...answer, directPath: file.directPath } : answer);
  const attrs = { from: asked.attrs.jid, id, type: "mediaretry", t: unixSeconds(world.schedule.now()) };
  deliverToDevice(device, stanza("notification", attrs, [stanza("rmr", asked.attrs), sealed]));
}

function seal({ mediaKey }: PhoneFile, id: string, answer: proto.IMediaRetryNotification): BinaryNode {
  const key = Buffer.from(hkdfSync("sha256", mediaKey, "", "WhatsApp Media Retry Notification", 32));
  const iv = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(id));
  const plain = proto.MediaRetryNotification.encode(answer).finish();
  const text = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  return stanza("encrypt", {}, [stanza("enc_p", {}, text), stanza("enc_iv", {}, iv)]);
}
