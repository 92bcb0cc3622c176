import { createHash } from "node:crypto";
import { type Answer, created, invalid, refuse } from "./answers.ts";
import { type Accepted, type Gateway, isSince } from "./gateway.ts";
import { rowId, sentId, uuid } from "./identifiers.ts";
import { receiveText } from "./inbound.ts";
import type { Instance } from "./instance.ts";
import { createJid, digitsOf, GROUP } from "./jid.ts";
import { isReconnecting, reconnected } from "./linking.ts";
import { isPicture, type Media, type MediaKind, sentContext, sentMediaMessage } from "./message-shapes.ts";
import type { MessageData } from "./message-store.ts";
import { type Person, wholeNumber } from "./people.ts";
import { scheduleReceipts } from "./receipts.ts";
import type { Request } from "./request.ts";

type Content = { text: string | null; media: Media | null; mediaUrl: string | null; kind: Accepted["kind"] };

type SendBody = {
  number: string;
  text?: string;
  delay?: number;
  messageId?: string;
  quoted?: { key?: { id?: string }; message?: { conversation?: string } };
  mediatype?: MediaKind;
  mimetype?: string;
  media?: string;
  caption?: string;
  fileName?: string;
};

export async function sendText(gateway: Gateway, request: Request): Promise<Answer> {
  const body = request.body as SendBody;
  checkSend(body, "text");
  const text = body.text ?? "";
  // The other channel takes an empty text (recordings 04, 09b).
  if (text.trim() === "" && request.instance.integration !== "EVOLUTION")
    throw refuse(400, ["Text is required"]);
  return send(gateway, request, { text, media: null, mediaUrl: null, kind: "text" });
}

const KINDS: MediaKind[] = ["image", "document", "video", "audio"];
const NOT_OWNED = "Owned media must be a url or base64";

/** One pattern for the whole text would overflow the stack on a large file. */
function isBase64Text(text: string): boolean {
  const unpadded = text.replace(/={1,2}$/, "");
  return text !== "" && text.length % 4 === 0 && !/[^A-Za-z0-9+/]/.test(unpadded);
}

export async function sendMedia(gateway: Gateway, request: Request): Promise<Answer> {
  const body = request.body as SendBody;
  checkSend(body, "mediatype");
  const { mediatype: kind = "document", media = "", caption, fileName } = body;
  if (!KINDS.includes(kind)) throw invalid(`mediatype is not one of enum values: ${KINDS.join()}`);
  const isUrl = /^https?:\/\//.test(media);
  const isBase64 = isBase64Text(media);
  if (isBase64 && kind === "document" && !fileName)
    throw refuse(400, ["For base64 the file name must be informed."]);
  // Nor a data: URI (recording 04).
  if (!isUrl && !isBase64) throw refuse(400, [NOT_OWNED]);

  let bytes: Buffer = isUrl ? Buffer.alloc(0) : Buffer.from(media, "base64");
  if (request.instance.integration !== "EVOLUTION") {
    if (isUrl) bytes = await fetchMedia(media);
    if (kind === "image" && !isPicture(bytes))
      throw refuse(500, ["Error: Input buffer contains unsupported image format"]);
  }
  const mimetype = body.mimetype ?? USUAL_TYPES[kind];
  const file = { kind, bytes, mimetype, caption, fileName };
  return send(gateway, request, { text: caption ?? null, media: file, mediaUrl: isUrl ? media : null, kind });
}

/** Of 2.x; `encoding: false` passes the bytes on as they are, else the gateway converts them. */
export async function sendWhatsAppAudio(gateway: Gateway, request: Request): Promise<Answer> {
  const body = request.body as SendBody & { audio?: string };
  checkSend(body, "audio");
  const { audio = "" } = body;
  const isUrl = /^https?:\/\//.test(audio);
  if (!isUrl && !isBase64Text(audio)) throw refuse(400, [NOT_OWNED]);
  const bytes = isUrl ? await fetchMedia(audio) : Buffer.from(audio, "base64");
  const file = { kind: "audio" as const, bytes, mimetype: "audio/ogg; codecs=opus", voice: true };
  return send(gateway, request, { text: null, media: file, mediaUrl: isUrl ? audio : null, kind: "audio" });
}

const USUAL_TYPES: Record<MediaKind, string> = {
  image: "image/png",
  document: "application/pdf",
  video: "video/mp4",
  audio: "audio/mp4",
};

async function fetchMedia(url: string): Promise<Buffer> {
  try {
    return Buffer.from(await (await fetch(url)).arrayBuffer());
  } catch (error) {
    const { cause, message } = error as Error & { cause?: Error };
    throw refuse(500, [`Error: ${cause?.message ?? message}`]);
  }
}

/** Recording 04. */
function checkSend(body: SendBody & { audio?: string }, needed: "text" | "mediatype" | "audio"): void {
  const missing = (["number", needed] as const).filter((field) => body[field] === undefined);
  if (missing.length > 0) throw invalid(...missing.map((field) => `instance requires property "${field}"`));
  if (typeof body.number !== "string") throw invalid("Invalid format");
  if (body.delay !== undefined && !Number.isInteger(body.delay))
    throw invalid("Enter a value in milliseconds");
}

async function send(gateway: Gateway, request: Request, content: Content): Promise<Answer> {
  const { instance } = request;
  const body = request.body as SendBody;
  const askedAt = gateway.clock.now();
  if (instance.integration === "EVOLUTION") {
    await gateway.clock.sleep(body.delay ?? 0);
    const data = channelData(gateway, instance, body, content);
    return finish(gateway, request, { ...content, askedAt }, data, null);
  }
  await needOpen(gateway, instance);
  const { jid, person } = recipient(gateway, body.number);
  if (body.delay && body.delay > 0) await showTyping(gateway, instance, jid, body.delay);
  const data = sentData(gateway, instance, jid, body, content);
  return finish(gateway, request, { ...content, askedAt }, data, person);
}

/** Three errors (recordings 02, 09a, 09b); a reconnect is waited for. */
export async function needOpen(gateway: Gateway, instance: Instance): Promise<void> {
  if (isReconnecting(instance)) await reconnected(gateway, instance);
  if (instance.state === "open") return;
  if (instance.closedAs === "never connected") throw refuse(500, "Connection Closed");
  if (instance.closedAs === "waiting for scan" && instance.ownerJid === null)
    throw refuse(400, ["TypeError: Cannot read properties of undefined (reading 'id')"]);
  throw refuse(400, ["Error: Connection Closed"]);
}

/** Recording 09b. */
function recipient(gateway: Gateway, number: string): { jid: string; person: Person | null } {
  const jid = createJid(number);
  if (jid.endsWith(GROUP) || jid.endsWith("@broadcast")) return { jid, person: null };
  const person = gateway.people.find(jid);
  if (!person) throw refuse(400, [{ jid, exists: false, number }]);
  return { jid: person.jid, person };
}

async function showTyping(gateway: Gateway, instance: Instance, jid: string, ms: number): Promise<void> {
  const show = (presence: string) =>
    gateway.presences.push({ instance: instance.name, jid, presence, at: gateway.clock.now() });
  show("composing");
  await gateway.clock.sleep(ms);
  show("paused");
}

function sentData(
  gateway: Gateway,
  instance: Instance,
  jid: string,
  body: SendBody,
  content: Content,
): MessageData {
  const seconds = Math.floor(gateway.clock.now() / 1000);
  const id = isSince(gateway.version, 2, 4) && body.messageId ? body.messageId : sentId();
  const quoted = body.quoted?.key?.id && {
    stanzaId: body.quoted.key.id,
    participant: jid,
    quotedMessage: body.quoted.message ?? { conversation: "" },
  };
  return {
    key: { remoteJid: jid, fromMe: true, id },
    pushName: "Você",
    status: "PENDING",
    message: content.media ? sentMediaMessage(content.media, seconds) : { conversation: content.text },
    contextInfo: sentContext(seconds, quoted || undefined),
    messageType: content.media ? `${content.kind}Message` : "conversation",
    messageTimestamp: seconds,
    instanceId: instance.id,
    source: "web",
  };
}

/** Recordings 04, 07b. */
function channelData(gateway: Gateway, instance: Instance, body: SendBody, content: Content): MessageData {
  const quotedId = body.quoted?.key?.id;
  const text = { conversation: content.text, ...(quotedId !== undefined && { quoted: { id: quotedId } }) };
  return {
    key: { fromMe: true, id: uuid(), remoteJid: body.number },
    message: content.media ? { mediaUrl: content.mediaUrl } : text,
    messageType: content.media ? `${content.kind}Message` : "conversation",
    messageTimestamp: Math.floor(gateway.clock.now() / 1000),
    source: "unknown",
    instanceId: instance.id,
  };
}

async function finish(
  gateway: Gateway,
  { instance, fault }: Request,
  content: Content & { askedAt: number },
  data: MessageData,
  person: Person | null,
): Promise<Answer> {
  const { id, remoteJid } = data.key;
  const repeated = instance.messages.has(id);
  const message = { rowId: rowId(), data, statuses: [] };
  const digits = digitsOf(remoteJid).replace(/\D/g, "");
  gateway.accepted.push({
    instance: instance.name,
    jid: remoteJid,
    phone: person?.phone ?? (digits === "" || remoteJid.endsWith(GROUP) ? null : wholeNumber(digits)),
    kind: content.kind,
    text: content.text,
    mediaSha256: content.media ? createHash("sha256").update(content.media.bytes).digest("hex") : null,
    fileName: content.media?.fileName ?? null,
    voice: content.media?.voice ?? false,
    id,
    askedAt: content.askedAt,
    at: gateway.clock.now(),
    fault,
    repeated,
  });
  if (!repeated) instance.messages.add(message);
  const posted = gateway.webhooks.emit(instance, "send.message", data);
  if (gateway.webhookBeforeReply) await posted;
  if (person && !repeated) {
    scheduleReceipts(gateway, instance, message, person);
    const { repliesWith } = person;
    if (repliesWith !== null && !person.refused)
      gateway.clock.soon(person.repliesMs, () => void receiveText(gateway, instance, person, repliesWith));
  }
  return created(data);
}
