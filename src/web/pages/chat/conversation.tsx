import { clsx } from "clsx";
import { useCallback, useRef, useState } from "react";
import type { Chat } from "../../../contract/chats.ts";
import type { Connection } from "../../../contract/connections.ts";
import { HINDRANCES } from "../../../domain/campaign.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState, stateNote } from "../../connections/connection-words.ts";
import { chatText as t } from "../../messages/chat.ts";
import layoutStyles from "../../ui/layout.module.css";
import { Notice } from "../../ui/notice.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { AssistantStrip } from "./assistant-strip.tsx";
import chatStyles from "./chat.module.css";
import { chatName } from "./chat-row.tsx";
import composerStyles from "./composer.module.css";
import { Composer } from "./composer.tsx";
import type { FocusWish } from "./focus-wish.ts";
import { LeavingStrip } from "./leaving-strip.tsx";
import { MessageLog } from "./message-log.tsx";
import { PeerHeader } from "./peer-header.tsx";
import { useMessages } from "./use-chats.ts";
import { useReading } from "./use-reading.ts";
import { useSending } from "./use-sending.ts";

type Props = {
  chat: Chat;
  known: boolean;
  gone: boolean;
  connection: Connection;
  wish: FocusWish;
};

export function Conversation({ chat, known, gone, connection, wish }: Props) {
  const messages = useMessages(chat.id);
  const sending = useSending(chat.id);
  const field = useRef<HTMLTextAreaElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  useReading(chat, atEnd ? messages.data?.upTo : undefined);
  // A chat opened by hand focuses its field; not on touch, where the keyboard would open.
  const [asked] = useState(() => wish.current === "talk");
  const welcome = useCallback(() => {
    wish.current = null;
  }, [wish]);
  return (
    <section
      className={clsx(layoutStyles.column, chatStyles.talk)}
      data-ui="talk"
      aria-label={t.conversation(chatName(chat))}
    >
      <PeerHeader chat={chat} wish={wish} asked={asked} />
      <LeavingStrip chat={chat} />
      <AssistantStrip chat={chat} />
      <MessageLog
        key={chat.id}
        chat={chat}
        known={known}
        messages={messages}
        sending={sending}
        atEnd={atEnd}
        setAtEnd={setAtEnd}
        field={field}
      />
      {gone ? (
        <Gone />
      ) : (
        (connection.state !== "connected" || isHeld(connection)) && <Away connection={connection} />
      )}
      <Composer
        chatId={chat.id}
        phone={chat.phone}
        who={chatName(chat)}
        field={field}
        onSend={sending.send}
        asked={asked}
        onWelcome={welcome}
      />
    </section>
  );
}

/** Removed or merged while open: the unsent text stays to be copied. */
function Gone() {
  return (
    <div className={composerStyles.talkNotice}>
      <Notice tone="warning">
        <strong>{t.gone}.</strong> {t.goneText}
      </Notice>
    </div>
  );
}

/** Reasons that block campaigns, not direct messages. */
const CAMPAIGNS_ALONE: ReadonlySet<string> = new Set(["catching_up", "backlog_unread"]);

const isHeld = ({ cause }: Connection) =>
  HINDRANCES.some((hindrance) => hindrance === cause && !CAMPAIGNS_ALONE.has(hindrance));

const goesOn = ({ cause }: Connection) => cause === "timelocked" || cause === "new_chats_refused";

function Away({ connection }: { connection: Connection }) {
  const { timeZone } = useMe();
  const state = shownState(connection).label;
  return (
    <div className={composerStyles.talkNotice}>
      <Notice tone="warning">
        <strong>{t.notConnected(connectionName(connection), state)}</strong>{" "}
        {connection.cause && `${stateNote({ ...connection, campaigns: NONE }, timeZone)} `}
        {!goesOn(connection) && `${t.notConnectedNext} `}
        <TextLink to="/whatsapp/connections">{t.seeConnections}</TextLink>
      </Notice>
    </div>
  );
}

const NONE = { sending: 0, paused: 0, scheduled: 0, names: [] };
