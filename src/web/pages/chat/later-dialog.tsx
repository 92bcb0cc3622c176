import { useQueryClient } from "@tanstack/react-query";
import { scheduledInstant } from "../../../domain/schedule.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { serverNow } from "../../api/server-clock.ts";
import { useIdempotentSubmit } from "../../api/use-idempotent-submit.ts";
import { readDay, readTime } from "../../lib/typed-day.ts";
import { chatText } from "../../messages/chat.ts";
import { formatDateTime, zoneName } from "../../messages/format.ts";
import { newCampaignText } from "../../messages/new-campaign.ts";
import type { Draft } from "../../session/unsent.ts";
import { SmallError } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import { toastDone } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";
import { putMessage } from "./use-chats.ts";

const t = chatText.later;

type Props = { draft: Draft; chatId: number; onDone: () => void; onClose: () => void };

export function LaterDialog({ draft, chatId, onDone, onClose }: Props) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  const { timeZone } = useMe();
  const meant = (date: string, time: string) =>
    scheduledInstant(`${readDay(date) ?? ""}T${readTime(time) ?? ""}`, timeZone, new Date(serverNow()));
  const form = useWindowForm("send later", {
    initial: { date: "", time: "" },
    validate: ({ date, time }) => {
      const when = meant(date, time);
      return {
        date: readDay(date) === null || !when.ok ? t.whenWrong : null,
        time: readTime(time) === null ? t.timeWrong : null,
      };
    },
    submit: async ({ date, time }) => {
      const when = meant(date, time);
      if (!when.ok) return;
      const { text, file, quote } = draft;
      const body = {
        text,
        attachmentId: file?.id ?? null,
        sendAt: when.at.toISOString(),
        ...(quote ? { quotedKey: quote.key } : {}),
      };
      const stored = await once(body, (idempotencyKey) =>
        api("POST /api/chats/{id}/messages", { params: { id: chatId }, body: { ...body, idempotencyKey } }),
      );
      putMessage(queries, chatId, stored);
      onDone();
      onClose();
      toastDone(t.done(formatDateTime(stored.at, timeZone)));
    },
  });
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      form={form}
      verb={t.verb}
      busyText={t.busy}
      onClose={onClose}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <TextInput
        label={newCampaignText.date}
        placeholder={newCampaignText.datePlaceholder}
        autoComplete="off"
        {...form.text("date")}
      />
      <TextInput
        label={newCampaignText.time}
        placeholder={newCampaignText.timePlaceholder}
        hint={zoneName(timeZone)}
        autoComplete="off"
        {...form.text("time")}
      />
    </FormDialog>
  );
}
