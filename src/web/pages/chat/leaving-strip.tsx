import { clsx } from "clsx";
import { LogOut } from "lucide-react";
import type { MouseEvent } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { leavingRequestsText as t } from "../../messages/leaving-requests.ts";
import { useLeavingDecision } from "../../opt-outs/use-leaving-decision.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import { chatName } from "./chat-row.tsx";
import styles from "./leaving-strip.module.css";

export function LeavingStrip({ chat }: { chat: Chat }) {
  const { asksToLeave: asks, phone } = chat;
  if (asks === null || phone === null) return null;
  return <Decision key={asks.at} chat={chat} phone={phone} asks={asks} />;
}

type Props = { chat: Chat; phone: string; asks: NonNullable<Chat["asksToLeave"]> };

function Decision({ chat, phone, asks }: Props) {
  const { busy, leaves, stays } = useLeavingDecision({ phone, at: asks.at, who: chatName(chat) });
  const press = (act: () => Promise<void>) => async (event: MouseEvent) => {
    const heading = event.currentTarget.closest("[data-ui~=talk]")?.querySelector("[data-ui~=peer] h2");
    const goOn = restoreFocus(event);
    await act();
    goOn(heading);
  };
  return (
    <section className={clsx(textStyles.aside, styles.leaving)} aria-label={t.title}>
      <Icon of={LogOut} sm />
      <p>
        <strong>{t.title}</strong> <span className={styles.wrote}>{t.wrote(asks.text)}</span> {t.until}
      </p>
      <div className={clsx(layoutStyles.cluster, styles.decide)}>
        <Button small busy={busy} onClick={press(leaves)}>
          {t.leaves}
        </Button>
        <Button small busy={busy} onClick={press(stays)}>
          {t.stays}
        </Button>
      </div>
    </section>
  );
}
