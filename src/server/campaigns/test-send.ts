import type { z } from "zod";
import type { FieldError } from "../../contract/error-messages.ts";
import type { TestSend, TestSendInput } from "../../contract/test-sends.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { DELIVERY, deliveryState } from "../../domain/delivery.ts";
import { AppError } from "../../domain/errors.ts";
import { withLeaveHint } from "../../domain/leave-hint.ts";
import { normalizeLine, renderMessage, TEXT_VERSION } from "../../domain/message-text.ts";
import { readPhone } from "../../domain/phone-foreign.ts";
import { words } from "../base/locale.ts";
import { noteSentElsewhere } from "../chat/service.ts";
import type { Owner } from "../db/owner.ts";
import { campaignsOf, directMessagesOf, type OutboxWaiter } from "../sending/sending.ts";
import { findReferences } from "./save-repo.ts";
import { findTestSend, isUsable, type TestSendRow } from "./test-send-repo.ts";
import { validateMessage } from "./validate.ts";

export type TestSendDeps = {
  outbox: Pick<OutboxWaiter, "wait">;
  /** Then the current state is answered, and later changes come live. */
  answerMs: number;
};

export type TestSendService = {
  send(owner: Owner, input: TestSendInput): Promise<z.input<typeof TestSend>>;
  get(owner: Owner, id: number): Promise<z.input<typeof TestSend>>;
};

export function testSendService(deps: TestSendDeps): TestSendService {
  return {
    get: findShown,

    async send(owner, input) {
      const { attachmentId, moreAttachmentIds, connectionId } = input;
      const known = await findReferences(owner, {
        attachmentId,
        moreAttachmentIds,
        connectionId,
        listId: null,
      });
      if (!known || (attachmentId !== null && known.attachment === null) || known.more.includes(null))
        throw new AppError("not_found");
      const { phone, text } = validate(input, known.attachment);
      if (connectionId !== null && known.connection === null) throw new AppError("not_found");
      const key = input.idempotencyKey === undefined ? null : `test:${input.idempotencyKey}`;
      const earlier = key === null ? undefined : await findTestSend(owner, { key });
      // A retry keeps its connection, although the default may have changed.
      const through =
        earlier?.connection_id ?? (await campaignsOf(owner).servingConnection(connectionId))?.id;
      if (through === undefined) throw new AppError("campaign_no_default_connection");
      if (!earlier && !(await isUsable(owner, through)))
        throw new AppError("device_not_connected", { phone });
      const messages = [
        { text, attachmentId },
        ...moreAttachmentIds.map((id) => ({ text: "", attachmentId: id })),
      ];
      return sendInTurn(deps, owner, { connectionId: through, to: { phone }, key }, messages);
    },
  };
}

async function findShown(owner: Owner, id: number): Promise<z.input<typeof TestSend>> {
  const row = await findTestSend(owner, { id });
  if (!row) throw new AppError("not_found");
  return shown(row);
}

/** Each after the answer to the one before, or side by side they could arrive in another order. */
async function sendInTurn(
  { outbox, answerMs }: TestSendDeps,
  owner: Owner,
  { key, ...to }: { connectionId: number; to: { phone: string }; key: string | null },
  messages: readonly { text: string; attachmentId: number | null }[],
): Promise<z.input<typeof TestSend>> {
  let last: z.input<typeof TestSend> | null = null;
  for (const [nth, message] of messages.entries()) {
    const idempotencyKey = key === null || nth === 0 ? key : `${key}:${nth}`;
    const { id } = await directMessagesOf(owner).enqueue({
      ...to,
      ...message,
      idempotencyKey,
      origin: "test",
    });
    await noteSentElsewhere(owner, id);
    await outbox.wait(owner, id, answerMs);
    last = await findShown(owner, id);
    if (last.error !== null) break;
  }
  if (last === null) throw new AppError("not_found");
  return last;
}

function validate(input: TestSendInput, attachment: AttachmentKind | null): { phone: string; text: string } {
  const errors: Record<string, FieldError> = {};
  const reading = readPhone(input.number);
  if ("error" in reading) errors.number = reading.error;
  const name = normalizeLine(input.name);
  if (!name.isWellFormed() || name.includes("\0")) errors.name = "invalid_text";
  const { text, nameFallback } = validateMessage({ ...input, intent: "create" }, attachment, errors);
  if ("error" in reading || Object.keys(errors).length > 0)
    throw new AppError("invalid_fields", { fields: errors });
  return {
    phone: reading.phone,
    text: renderMessage(
      withLeaveHint(text, input.leaveHint),
      name,
      nameFallback,
      TEXT_VERSION,
      input.values ?? null,
    ),
  };
}

function shown(row: TestSendRow): z.input<typeof TestSend> {
  const { id, phone, status, error, at } = row;
  const state = deliveryState(status);
  return {
    id,
    phone,
    connectionId: row.connection_id,
    at: at.toISOString(),
    status: state === "waiting" ? "pending" : state,
    error:
      status >= DELIVERY.skipped && status <= DELIVERY.error ? reason(error, state === "uncertain") : null,
  };
}

const reason = (error: string | null, doubt: boolean) => ({
  code: error ?? (doubt ? "no_ack" : "refused"),
  text: words().failureText(error, doubt),
});
