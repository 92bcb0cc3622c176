import { Link, useLocation, useRouter } from "@tanstack/react-router";
import { clsx } from "clsx";
import { ArrowLeft, BellOff } from "lucide-react";
import { useEffect, useRef } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { chatText as t } from "../../messages/chat.ts";
import { Badge } from "../../ui/badge.tsx";
import buttonStyles from "../../ui/button.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import personStyles from "../../ui/person.module.css";
import { CutLine } from "../../ui/tooltip.tsx";
import { keepCopy } from "../../ui/use-close-on-back.ts";
import chatStyles from "./chat.module.css";
import chatListStyles from "./chat-list.module.css";
import { ChatAvatar, chatName, isNameless } from "./chat-row.tsx";
import type { FocusWish } from "./focus-wish.ts";

type Props = { chat: Chat; wish: FocusWish; asked: boolean };

export function PeerHeader({ chat, wish, asked }: Props) {
  const overList = useLocation({ select: ({ state }) => state.overList });
  const { history } = useRouter();
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    if (asked && !matchMedia("(pointer: fine)").matches) heading.current?.focus({ preventScroll: true });
  }, [asked]);
  return (
    <header className={clsx(layoutStyles.row3, chatStyles.peer)} data-ui="peer">
      <Link
        to="/chat"
        search={{ conexao: chat.connectionId }}
        state={keepCopy}
        replace
        resetScroll={false}
        preload={false}
        className={clsx(buttonStyles.btn, buttonStyles.onlyIcon, chatStyles.back)}
        data-ui="btn"
        data-look="ghost"
        aria-label={t.back}
        onClick={(event) => {
          wish.current = "list";
          // Goes back instead of adding a list entry, or Back would seem to do nothing.
          if (!overList || event.ctrlKey || event.metaKey) return;
          event.preventDefault();
          history.back();
        }}
      >
        <Icon of={ArrowLeft} />
      </Link>
      <ChatAvatar chat={chat} />
      <div className={personStyles.person} data-ui="person">
        <h2 ref={heading} tabIndex={-1} className={isNameless(chat) ? chatListStyles.group : undefined}>
          <CutLine text={chatName(chat)} />
        </h2>
        {under(chat) && (
          <span>
            <CutLine text={under(chat)} />
          </span>
        )}
      </div>
      {chat.optedOut && (
        <Badge tone="warning" icon={BellOff}>
          {t.optedOut}
        </Badge>
      )}
    </header>
  );
}

function under({ kind, phone, name, pushName }: Chat): string {
  if (kind === "group") return t.group;
  const called = pushName && pushName !== name ? `~${pushName}` : null;
  const number = phone === null ? t.noPhone : formatPhone(phone);
  return [phone !== null && phone === name ? null : number, called].filter(Boolean).join(" · ");
}
