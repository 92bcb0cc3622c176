import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { Bot } from "lucide-react";
import { lazy, Suspense, useId, useRef, useState } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { chatText } from "../../messages/chat.ts";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { toastFailed } from "../../ui/toast.tsx";
import styles from "./chat.module.css";
import { chatName } from "./chat-row.tsx";
import { untilTime } from "./chat-times.ts";
import { putChat } from "./use-chats.ts";

const t = chatText.assistant;

const AnswersDialog = lazy(async () => ({ default: (await import("./answers-dialog.tsx")).AnswersDialog }));

export function AssistantStrip({ chat }: { chat: Chat }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const toggle = useRef<HTMLButtonElement>(null);
  const set = useSwitch(chat.id);
  const { state, name } = chat.assistant;
  if (state === "none" || chat.kind === "group") return null;
  const on = state !== "off";
  return (
    <div className={clsx(textStyles.aside, styles.assistant)} data-state={state}>
      <Icon of={Bot} sm />
      <p className={layoutStyles.grow} id={id}>
        <b>{name ?? t.label}</b> <AssistantState chat={chat} />
      </p>
      <div className={styles.ways}>
        {state === "paused" && (
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={() => {
              // The button disappears: move the focus to the switch.
              toggle.current?.focus();
              void set(true);
            }}
          >
            {t.resume}
          </button>
        )}
        <button type="button" className={textLinkStyles.link} data-ui="link" onClick={() => setOpen(true)}>
          {t.answers}
        </button>
      </div>
      {state !== "inactive" && (
        <button
          ref={toggle}
          type="button"
          role="switch"
          className={styles.switch}
          aria-checked={on}
          aria-label={t.toggle(name ?? t.label)}
          aria-describedby={id}
          onClick={() => void set(!on)}
        />
      )}
      {open && (
        <Suspense fallback={null}>
          <AnswersDialog chatId={chat.id} name={chatName(chat)} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </div>
  );
}

function AssistantState({ chat }: { chat: Chat }) {
  const { timeZone } = useMe();
  const { state, pausedUntil } = chat.assistant;
  if (state === "paused") return pausedUntil ? t.paused(untilTime(pausedUntil, timeZone)) : t.pausedShort;
  if (state === "off") return t.off;
  return state === "inactive" ? t.inactive : t.on;
}

/** Not `disabled` while pending, which would drop the focus; a second press does nothing. */
function useSwitch(id: number) {
  const queries = useQueryClient();
  const busy = useRef(false);
  return async (assistant: boolean) => {
    if (busy.current) return;
    busy.current = true;
    try {
      putChat(queries, await api("PATCH /api/chats/{id}", { params: { id }, body: { assistant } }));
    } catch (error) {
      toastFailed(errorTextOf(error, t.failed));
    } finally {
      busy.current = false;
    }
  };
}
