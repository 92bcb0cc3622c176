import { callersKey, directText } from "../../domain/direct-message.ts";
import { AppError } from "../../domain/errors.ts";
import { captionOf, isForwardable } from "../../domain/forwarding.ts";
import type { Owner } from "../db/owner.ts";
import { findByKeys, type MessageRow } from "./messages-repo.ts";
import { namesOf } from "./names-of.ts";
import { textOf } from "./presenter.ts";
import type { ChatRow } from "./repo.ts";
import { post, type SendDeps } from "./send.ts";

type Forwarded = { from: ChatRow; key: string; to: ChatRow; idempotencyKey: string | undefined };

/** As a new message of ours, with the stored file. Nothing is fetched again by itself. */
export async function forwardMessage(
  { files }: Pick<SendDeps, "files">,
  owner: Owner,
  { from, key, to, idempotencyKey }: Forwarded,
): Promise<MessageRow> {
  const [row] = await findByKeys(owner, namesOf(from), [key]);
  if (!row) throw new AppError("not_found");
  const { attachment, received_file: received } = row;
  const said = { kind: row.kind ?? "text", text: textOf(row) };
  const file = attachment?.kind ?? received?.kind ?? null;
  if (!isForwardable({ ...said, file })) throw new AppError("message_not_forwardable");
  if (file !== null && (attachment === null || (await files.isLost(owner, attachment.id))))
    throw new AppError(received ? "received_file_absent" : "attachment_lost");
  const content = {
    text: directText("text", captionOf({ ...said, name: received?.name ?? null }), file),
    attachmentId: attachment?.id ?? null,
    idempotencyKey: idempotencyKey === undefined ? null : callersKey(idempotencyKey),
  };
  return post(owner, to, content, file);
}
