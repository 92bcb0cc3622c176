import { Link } from "@tanstack/react-router";
import { clsx } from "clsx";
import {
  Ban,
  Banknote,
  Bot,
  CalendarDays,
  CircleCheck,
  CodeXml,
  EllipsisVertical,
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
  Vote,
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
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Menu } from "../../ui/menu.tsx";
import textStyles from "../../ui/text.module.css";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import type { Acts } from "./acts.ts";
import { Cards, LinkPreview, Place, Poll, type SaveCard, wordsBeside } from "./cards.tsx";
import factStyles from "./facts.module.css";
import { type Ask, Doubt, Failure } from "./failure.tsx";
import styles from "./message-log.module.css";
import { type Enlarge, MessageFile } from "./message-picture.tsx";
import { type GoTo, Quoted } from "./quoted.tsx";
import { Reactions } from "./reactions.tsx";
import { AbsentFile } from "./received-file.tsx";
import { Scheduled } from "./scheduled.tsx";
import { Tick } from "./tick.tsx";
import type { Drawing } from "./use-log-scroll.ts";

type Props = Drawing & {
  message: ChatMessage;
  newSpeaker: boolean;
  chatId: number;
  connectionId: number;
  group: boolean;
  who: string;
  enlarge: Enlarge;
  ask: Ask;
  onSave: SaveCard;
  acts: Acts;
  goTo: GoTo | null;
  found: boolean;
  tabStop: boolean;
};

export function Bubble(props: Props) {
  const {
    message,
    newSpeaker,
    chatId,
    connectionId,
    group,
    who,
    enlarge,
    ask,
    onSave,
    acts,
    goTo,
    found,
    tabStop,
    ...drawing
  } = props;
  const { timeZone } = useMe();
  const { fromMe, participant, quoted, at, status, error } = message;
  const entries = acts.entries(message);
  const speaker = participant ? formatPhone(participant) : who;
  return (
    <article
      className={clsx(
        bubbleStyles.bubble,
        fromMe && bubbleStyles.mine,
        found && factStyles.found,
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
      {message.deletedBy && <Deleted by={message.deletedBy} fromMe={fromMe} />}
      {quoted && <Quoted quoted={quoted} who={who} goTo={goTo} />}
      <div className={message.deletedBy ? factStyles.deleted : undefined}>
        <Content
          key={message.attachment?.id}
          message={message}
          chatId={chatId}
          connectionId={connectionId}
          enlarge={enlarge}
          onSave={onSave}
        />
      </div>
      <div className={bubbleStyles.stamp} data-ui="stamp">
        {message.edited && <span>{t.edited}</span>}
        <time dateTime={at}>{formatTime(at, timeZone)}</time>
        {fromMe && status && <Tick status={status} group={group} reason={error?.code ?? null} />}
        {entries.length > 0 && (
          <span className={factStyles.menu}>
            <Menu
              label={t.acts.menu}
              entries={entries}
              trigger={
                <IconButton
                  plain
                  small
                  label={t.acts.menu}
                  icon={EllipsisVertical}
                  data-acts=""
                  tabIndex={tabStop ? 0 : -1}
                />
              }
            />
          </span>
        )}
      </div>
      <Reactions reactions={message.reactions} group={group} who={who} />
      {message.deleting && <Deleting act={message.deleting} />}
      {message.scheduled && <Scheduled message={message} chatId={chatId} />}
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

function Deleted({ by, fromMe }: { by: NonNullable<ChatMessage["deletedBy"]>; fromMe: boolean }) {
  return (
    <p className={styles.kind}>
      <Icon of={Ban} />
      {by === "admin" ? t.deletedByAdmin : fromMe ? t.deletedByUs : t.deletedByThem}
    </p>
  );
}

function Deleting({ act }: { act: NonNullable<ChatMessage["deleting"]> }) {
  if (act.status !== "error" && act.status !== "uncertain")
    return <p className={factStyles.act}>{t.acts.deleting}</p>;
  const said = act.status === "error" ? t.acts.notDeleted : t.acts.perhapsDeleted;
  return (
    <div className={styles.trouble}>
      <p>{[said, act.error?.text].filter(Boolean).join(" ")}</p>
    </div>
  );
}

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
  vote: Vote,
  event: CalendarDays,
  product: Tag,
  order: ShoppingCart,
  payment: Banknote,
  invite: UserPlus,
  other: MessageCircle,
};

type ContentProps = Pick<Props, "message" | "chatId" | "connectionId" | "enlarge" | "onSave">;

function Content({ message, chatId, connectionId, enlarge, onSave }: ContentProps) {
  const { attachment, receivedFile, place, poll, chosen, link } = message;
  const [isLost, setLost] = useState(false);
  const said = repeatsName(message) ? "" : wordsBeside(message);
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
          {kind !== "vote" || text !== "" ? t.kinds[kind] : chosen ? t.poll.takenBack : t.hiddenVote}
        </p>
      )}
      <Cards message={message} connectionId={connectionId} onSave={onSave} />
      {said !== "" && (
        <div className={bubbleStyles.said} data-ui="said">
          <WhatsappText text={said} />
        </div>
      )}
      {poll && <Poll poll={poll} />}
      {link && <LinkPreview link={link} />}
      {place && <Place place={place} />}
    </>
  );
}
