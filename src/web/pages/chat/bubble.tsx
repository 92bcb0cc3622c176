import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import {
  Banknote,
  Bot,
  CalendarDays,
  CircleCheck,
  CodeXml,
  FileText,
  FlaskConical,
  Image,
  ListChecks,
  MapPin,
  Megaphone,
  MessageCircle,
  Mic,
  Server,
  ShoppingCart,
  Smartphone,
  Smile,
  Sticker,
  Tag,
  User,
  UserPlus,
  Video,
} from "lucide-react";
import { useState } from "react";
import type { ChatMessage } from "../../../contract/chats.ts";
import { attachmentName } from "../../../domain/attachment-name.ts";
import type { MessageKind, MessageSource } from "../../../domain/chat.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { useMe } from "../../api/me.ts";
import { chatText as t } from "../../messages/chat.ts";
import { formatTime } from "../../messages/format.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../../routes/opened-from.ts";
import bubbleStyles from "../../ui/bubble.module.css";
import { Icon, type LucideIcon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import { type Ask, Doubt, Failure } from "./failure.tsx";
import styles from "./message-log.module.css";
import { type Enlarge, MessageFile } from "./message-picture.tsx";
import { AbsentFile } from "./received-file.tsx";
import { Tick } from "./tick.tsx";
import type { Drawing } from "./use-log-scroll.ts";

type Props = Drawing & {
  message: ChatMessage;
  newSpeaker: boolean;
  chatId: number;
  group: boolean;
  who: string;
  enlarge: Enlarge;
  ask: Ask;
};

export function Bubble({ message, newSpeaker, chatId, group, who, enlarge, ask, ...drawing }: Props) {
  const { timeZone } = useMe();
  const { fromMe, participant, at, status, error } = message;
  const speaker = participant ? formatPhone(participant) : who;
  return (
    <article
      className={clsx(
        bubbleStyles.bubble,
        fromMe && bubbleStyles.mine,
        message.attachment?.kind === "sticker" && styles.bare,
      )}
      data-ui="bubble"
      data-key={message.key}
      {...drawing}
    >
      <h3
        className={
          participant && newSpeaker && !fromMe ? clsx(styles.speaker, textStyles.clip) : layoutStyles.srOnly
        }
        data-ui={participant && newSpeaker && !fromMe ? "clip" : undefined}
      >
        {fromMe ? t.messages.you : speaker}
      </h3>
      <Source message={message} />
      <Content key={message.attachment?.id} message={message} chatId={chatId} enlarge={enlarge} />
      <div className={bubbleStyles.stamp} data-ui="stamp">
        <time dateTime={at}>{formatTime(at, timeZone)}</time>
        {fromMe && status && <Tick status={status} group={group} reason={error?.code ?? null} />}
      </div>
      {status === "error" && <Failure message={message} chatId={chatId} />}
      {status === "uncertain" && <Doubt message={message} ask={ask} />}
    </article>
  );
}

const SOURCES: Partial<Record<MessageSource, LucideIcon>> = {
  phone: Smartphone,
  gateway: Server,
  agent: Bot,
  campaign: Megaphone,
  api: CodeXml,
  opt_out: CircleCheck,
  test: FlaskConical,
};

function Source({ message: { source, campaign } }: { message: ChatMessage }) {
  const icon = SOURCES[source];
  if (!icon) return null;
  return (
    <p className={styles.source}>
      <Icon of={icon} />
      {campaign ? (
        <Link
          to="/campaigns"
          search={{ detalhes: campaign.id }}
          state={OPENED_FROM_OTHER_SCREEN}
          className={textStyles.clip}
          data-ui="clip"
        >
          {t.campaign(campaign.name)}
        </Link>
      ) : (
        t.sources[source as keyof typeof t.sources]
      )}
    </p>
  );
}

/** A document without a caption says its name. */
const repeatsName = ({ kind, text, receivedFile }: ChatMessage) =>
  kind === "document" && text !== "" && attachmentName(text) === receivedFile?.name;

const KINDS: Record<Exclude<MessageKind, "text">, LucideIcon> = {
  image: Image,
  audio: Mic,
  video: Video,
  document: FileText,
  sticker: Sticker,
  location: MapPin,
  contact: User,
  reaction: Smile,
  poll: ListChecks,
  event: CalendarDays,
  product: Tag,
  order: ShoppingCart,
  payment: Banknote,
  invite: UserPlus,
  other: MessageCircle,
};

function Content({ message, chatId, enlarge }: Pick<Props, "message" | "chatId" | "enlarge">) {
  const { attachment, receivedFile } = message;
  const [isLost, setLost] = useState(false);
  const text = repeatsName(message) ? "" : message.text;
  const file = isLost ? null : attachment;
  // An empty bubble would look broken.
  const kind = message.kind === "text" && text === "" ? "other" : message.kind;
  return (
    <>
      {file && (
        <MessageFile
          file={file}
          pages={receivedFile?.pages ?? null}
          caption={text}
          enlarge={enlarge}
          {...(receivedFile && { onLost: () => setLost(true) })}
        />
      )}
      {!file && receivedFile && <AbsentFile file={receivedFile} chatId={chatId} />}
      {!file && !receivedFile && kind !== "text" && (
        <p className={styles.kind}>
          <Icon of={KINDS[kind]} />
          {t.kinds[kind]}
        </p>
      )}
      {text !== "" && (
        <div className={bubbleStyles.said} data-ui="said">
          <WhatsappText text={text} />
        </div>
      )}
    </>
  );
}
