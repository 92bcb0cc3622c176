import type { z } from "zod";
import type { SendAnswer, SendRequest } from "../../contract/connections.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { callersKey, directText } from "../../domain/direct-message.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import { noteSentElsewhere, readTypedPhone } from "../chat/service.ts";
import type { Owner } from "../db/owner.ts";
import type { FileService } from "../files/service.ts";
import { ERROR_STATUS } from "../http/error-status.ts";
import {
  directMessagesOf,
  type OutboxGone,
  type OutboxResult,
  type OutboxWaiter,
  type StoredDirectMessage,
} from "../sending/sending.ts";
import type { ConnectionRow } from "./repo.ts";

export type SendDeps = {
  files: Pick<FileService, "uploadFrom" | "kindOf">;
  outbox: Pick<OutboxWaiter, "wait">;
  answerMs: number;
};

type Body = z.output<typeof SendRequest>;
type DirectMessage = { connectionId: number; phone: string; text: string };

export async function sendMessage(
  deps: SendDeps,
  owner: Owner,
  device: ConnectionRow,
  body: Body,
): Promise<Response> {
  const phone = await saysUnsent(recipient(owner, body.number));
  const text = directText("message", body.message, hasFile(body) ? "document" : null);
  const message: DirectMessage = { connectionId: device.id, phone, text };
  const key = body.idempotencyKey === undefined ? null : callersKey(body.idempotencyKey);
  const earlier = key === null ? undefined : await directMessagesOf(owner).find({ key });
  const store = async () => {
    if (!earlier) requireUsable(device, phone);
    const file = await fileOf(deps, owner, body, message, earlier);
    // Its kind decides whether it can carry a text.
    directText("message", body.message, file?.kind ?? null);
    return directMessagesOf(owner).enqueue({
      connectionId: device.id,
      to: { phone },
      text,
      attachmentId: file?.id ?? null,
      origin: "api",
      idempotencyKey: key,
    });
  };
  // An earlier message of this key may have been sent.
  const { id } = await (earlier ? store() : saysUnsent(store()));
  await noteSentElsewhere(owner, id);
  return answerOf(phone, await deps.outbox.wait(owner, id, deps.answerMs));
}

function saysUnsent<T>(stored: Promise<T>): Promise<T> {
  return stored.catch((error: unknown) => {
    if (!(error instanceof AppError) || ERROR_STATUS[error.code] >= 500) throw error;
    throw new AppError(error.code, { ...error.details, unsent: true });
  });
}

async function recipient(owner: Owner, typed: string): Promise<string> {
  const reading = await readTypedPhone(owner, typed);
  if ("error" in reading) throw new AppError("phone_invalid", { reason: reading.error });
  return reading.phone;
}

/** A device that needs a person would only keep the caller waiting. */
function requireUsable(device: ConnectionRow, phone: string): void {
  const waitsForPerson = device.state === "disconnected" || device.state === "pending";
  if (device.desired !== "connected" || waitsForPerson) throw new AppError("device_not_connected", { phone });
}

const hasFile = ({ imagemUrl, attachmentUrl, attachmentId }: Body): boolean =>
  Boolean(imagemUrl) || attachmentUrl !== undefined || attachmentId !== undefined;

type File = { id: number; kind: AttachmentKind };

/** A repeated key stays valid even when the file's address no longer answers. */
async function fileOf(
  { files }: SendDeps,
  owner: Owner,
  body: Body,
  message: DirectMessage,
  earlier: StoredDirectMessage | undefined,
): Promise<File | null> {
  const { imagemUrl, attachmentUrl, attachmentId, attachmentName: name, attachmentAs: as } = body;
  if (attachmentId !== undefined) return { id: attachmentId, kind: await files.kindOf(owner, attachmentId) };
  const address = attachmentUrl ?? imagemUrl;
  if (!address) return null;
  try {
    const file = await files.uploadFrom(owner, address, { name, as });
    if (attachmentUrl === undefined && file.kind !== "image") throw new AppError("image_unsupported");
    return file;
  } catch (error) {
    const before = earlier?.attachment_id ?? null;
    if (earlier && before !== null && sameMessage(earlier, message))
      return { id: before, kind: await files.kindOf(owner, before) };
    throw error;
  }
}

const sameMessage = (earlier: StoredDirectMessage, message: DirectMessage): boolean =>
  earlier.connection_id === message.connectionId &&
  earlier.phone === message.phone &&
  earlier.text === message.text;

function answerOf(phone: string, result: OutboxResult | OutboxGone): Response {
  if (result.state === "gone") {
    if (result.unsent) throw new AppError("device_not_connected", { phone, unsent: true });
    throw new AppError("send_uncertain", { phone, reason: words().failureText("interrupted") });
  }
  const { id, state, error } = result;
  const answer = (success: boolean, status: "sent" | "accepted" | "pending"): z.input<typeof SendAnswer> => ({
    success,
    id: String(id),
    status,
  });
  switch (state) {
    case "sent":
    case "delivered":
    case "read":
      return Response.json(answer(true, "sent"));
    case "accepted":
      return Response.json(answer(false, "accepted"), { status: 202 });
    case "uncertain":
      throw new AppError("send_uncertain", { phone, reason: words().failureText(error, true) });
    case "error":
    case "skipped":
      throw new AppError("send_refused", { phone, reason: words().failureText(error), unsent: true });
    default:
      return Response.json(answer(false, "pending"), { status: 202 });
  }
}
