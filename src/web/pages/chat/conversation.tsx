import { useCallback, useState } from "react";
import type { Chat } from "../../../contract/chats.ts";
import type { Connection } from "../../../contract/connections.ts";
import { HINDRANCES } from "../../../domain/campaign.ts";
import { useMe } from "../../api/me.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { shownState, stateNote } from "../../connections/connection-words.ts";
import { chatText as t } from "../../messages/chat.ts";
import { Notice } from "../../ui/notice.tsx";
import { TextLink } from "../../ui/text-link.tsx";
import { AssistantStrip } from "./assistant-strip.tsx";
import { chatName } from "./chat-row.tsx";
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
  /** Whether that is how it is by now. */
  known: boolean;
  gone: boolean;
  connection: Connection;
  wish: FocusWish;
};

/** One conversation: with whom, what was said, and what one answers. */
export function Conversation({ chat, known, gone, connection, wish }: Props) {
  const messages = useMessages(chat.id);
  const sending = useSending(chat.id);
  const [atEnd, setAtEnd] = useState(true);
  useReading(chat, atEnd ? messages.data?.upTo : undefined);
  // A conversation that was opened by hand is what one wants to write in; on a touch screen that would bring up the keyboard.
  const [asked] = useState(() => wish.current === "talk");
  const welcome = useCallback(() => {
    wish.current = null;
  }, [wish]);
  return (
    <section className="talk" aria-label={t.conversation(chatName(chat))}>
      <PeerHeader chat={chat} wish={wish} asked={asked} />
      <LeavingStrip chat={chat} />
      <AssistantStrip chat={chat} />
      <MessageLog key={chat.id} {...{ chat, known, messages, sending, atEnd, setAtEnd }} />
      {gone ? (
        <Gone />
      ) : (
        (connection.state !== "connected" || isHeld(connection)) && <Away connection={connection} />
      )}
      <Composer chatId={chat.id} onSend={sending.send} asked={asked} onWelcome={welcome} />
    </section>
  );
}

/** Removed, or taken up by another one, while somebody was writing in it: what they wrote stays to be taken along. */
function Gone() {
  return (
    <div className="talk-notice">
      <Notice tone="warning">
        <strong>{t.gone}.</strong> {t.goneText}
      </Notice>
    </div>
  );
}

/** What single messages do not wait for. */
const CAMPAIGNS_ALONE: ReadonlySet<string> = new Set(["catching_up", "backlog_unread"]);

/** Whether it sends nothing although it is connected. While it takes in what it missed, campaigns alone wait. */
const isHeld = ({ cause }: Connection) =>
  HINDRANCES.some((hindrance) => hindrance === cause && !CAMPAIGNS_ALONE.has(hindrance));

/** New conversations alone wait: its cause says so, and that a message in this one waits may not be true. */
const goesOn = ({ cause }: Connection) => cause === "timelocked" || cause === "new_chats_refused";

/** What happens to messages while the connection sends none: beside the field in which one is about to write them. */
function Away({ connection }: { connection: Connection }) {
  const { timeZone } = useMe();
  const state = shownState(connection).label;
  return (
    <div className="talk-notice">
      <Notice tone="warning">
        <strong>{t.notConnected(connectionName(connection), state)}</strong>{" "}
        {connection.cause && `${stateNote({ ...connection, campaigns: NONE }, timeZone)} `}
        {!goesOn(connection) && `${t.notConnectedNext} `}
        <TextLink to="/whatsapp/connections">{t.seeConnections}</TextLink>
      </Notice>
    </div>
  );
}

/** Campaigns that wait are told where connections are managed. */
const NONE = { sending: 0, paused: 0, scheduled: 0, names: [] };
