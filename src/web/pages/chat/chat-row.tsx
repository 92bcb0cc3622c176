import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import { Users } from "lucide-react";
import { memo } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { useMe } from "../../api/me.ts";
import { chatText } from "../../messages/chat.ts";
import { formatNumber, initial } from "../../messages/format.ts";
import { leavingRequestsText } from "../../messages/leaving-requests.ts";
import avatarStyles from "../../ui/avatar.module.css";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import personStyles from "../../ui/person.module.css";
import textStyles from "../../ui/text.module.css";
import chatListStyles from "./chat-list.module.css";
import { listTime } from "./chat-times.ts";
import type { FocusWish } from "./focus-wish.ts";
import leavingStripStyles from "./leaving-strip.module.css";
import { preview } from "./preview.ts";

const t = chatText.list;

type Props = {
  chat: Chat;
  connectionId: number;
  chosen: boolean;
  alone: boolean;
  reachable: boolean;
  now: Date;
  wish: FocusWish;
};

export const ChatRow = memo(({ chat, connectionId, chosen, alone, reachable, now, wish }: Props) => {
  const { timeZone } = useMe();
  const { unread, last } = chat;
  return (
    <Link
      to="/chat"
      search={{ conexao: connectionId, conversa: chat.id }}
      state={{ overList: alone }}
      resetScroll={false}
      preload={false}
      onClick={() => {
        if (!chosen) wish.current = "talk";
      }}
      className={clsx(chatListStyles.thread, unread > 0 && chatListStyles.fresh)}
      aria-current={chosen ? "page" : undefined}
      tabIndex={reachable ? 0 : -1}
    >
      <ChatAvatar chat={chat} grey={!chosen} />
      <div className={personStyles.person} data-ui="person">
        <b className={clsx(textStyles.clip, isNameless(chat) && chatListStyles.group)} data-ui="clip">
          {chatName(chat)}
        </b>
        <p className={textStyles.clip} data-ui="clip">
          {chat.asksToLeave && <span className={leavingStripStyles.asks}>{leavingRequestsText.title}</span>}
          {preview(last)}
        </p>
      </div>
      <div className={chatListStyles.tail}>
        <time dateTime={last.at}>{listTime(last.at, timeZone, now)}</time>
        {unread > 0 && (
          <span className={chatListStyles.unread}>
            <span aria-hidden="true">{unread > 99 ? "99+" : formatNumber(unread)}</span>
            <span className={layoutStyles.srOnly}>{t.unread(unread)}</span>
          </span>
        )}
      </div>
    </Link>
  );
});

export const isNameless = ({ kind, name, remoteId }: Chat) => kind === "group" && name === remoteId;

export const chatName = ({ name, kind }: Chat) => (kind === "group" ? name : formatPhone(name));

export function ChatAvatar({ chat, grey }: { chat: Chat; grey?: boolean }) {
  const letter = /\p{L}/u.test(chat.name.slice(0, 1));
  return (
    <span
      className={clsx(avatarStyles.avatar, grey && avatarStyles.grey)}
      data-ui="avatar"
      aria-hidden="true"
    >
      {chat.kind === "group" ? <Icon of={Users} sm /> : initial(letter ? chat.name : "#")}
    </span>
  );
}
