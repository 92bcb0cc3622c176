import { clsx } from "clsx";
import { ArrowDown, LoaderCircle } from "lucide-react";
import {
  lazy,
  memo,
  type RefObject,
  Suspense,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";
import type { Chat } from "../../../contract/chats.ts";
import type { MessageList } from "../../api/chat-merge.ts";
import { useMe } from "../../api/me.ts";
import { useToday } from "../../api/use-today.ts";
import { chatText } from "../../messages/chat.ts";
import { commonText } from "../../messages/common.ts";
import bubbleStyles from "../../ui/bubble.module.css";
import buttonStyles from "../../ui/button.module.css";
import emptyStateStyles from "../../ui/empty-state.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { type Acts, isAtWhatsapp, toOtherActs, useActs } from "./acts.ts";
import { Bubble } from "./bubble.tsx";
import type { SaveCard } from "./cards.tsx";
import { chatName } from "./chat-row.tsx";
import { MessagesSkeleton } from "./chat-skeletons.tsx";
import { dayName } from "./chat-times.ts";
import { DeleteDialog } from "./delete-dialog.tsx";
import { type Ask, AskResend } from "./failure.tsx";
import { firstUnreadKey, freshAfter, type LogItem, logItems } from "./log-items.ts";
import styles from "./message-log.module.css";
import { type Enlarge, WholePicture } from "./message-picture.tsx";
import { OutgoingBubble } from "./outgoing-bubble.tsx";
import type { GoTo } from "./quoted.tsx";
import { type Further, isUpToDate, type useMessages } from "./use-chats.ts";
import { type Drawing, useLogScroll } from "./use-log-scroll.ts";
import type { useSending } from "./use-sending.ts";

const SaveCardDialog = lazy(async () => ({
  default: (await import("./save-card-dialog.tsx")).SaveCardDialog,
}));

const ForwardDialog = lazy(async () => ({ default: (await import("./forward-dialog.tsx")).ForwardDialog }));

const t = chatText.messages;

type Props = {
  chat: Chat;
  known: boolean;
  messages: ReturnType<typeof useMessages>;
  sending: ReturnType<typeof useSending>;
  atEnd: boolean;
  setAtEnd: (atEnd: boolean) => void;
  field: RefObject<HTMLElement | null>;
};

export function MessageLog({ messages, known, ...rest }: Props) {
  if (messages.data)
    return (
      <Log list={messages.data} further={messages.further} known={known && isUpToDate(messages)} {...rest} />
    );
  if (messages.isError)
    return (
      <div className={styles.nothing}>
        <div className={layoutStyles.pad6}>
          <QueryError title={t.failed} query={messages} />
        </div>
      </div>
    );
  return (
    <div className={styles.nothing}>
      <MessagesSkeleton />
    </div>
  );
}

type LogProps = Omit<Props, "messages"> & { list: MessageList; further: Further };

const scrolling = { tabIndex: 0 };

function Log({ chat, known, list, field, further, sending, atEnd, setAtEnd }: LogProps) {
  const { timeZone: zone } = useMe();
  const box = useRef<HTMLDivElement>(null);
  const { messages } = list;
  const { outgoing } = sending;
  const { unread, firstUnread } = useUnreadLine(chat.unread, messages, known);
  const lastKey = messages.at(-1)?.key;
  const [seen, setSeen] = useState(lastKey);
  useEffect(() => {
    if (atEnd) setSeen(lastKey);
  }, [atEnd, lastKey]);
  const [picture, enlarge] = useState<Parameters<Enlarge>[0] | null>(null);
  const [card, save] = useState<Parameters<SaveCard>[0] | null>(null);
  const [deleting, askDelete] = useState<string | null>(null);
  const [forwarded, forward] = useState<string | null>(null);
  const acts = useActs(chat.id, field, askDelete, forward);
  const [asked, ask] = useState<string | null>(null);
  const toForward = messages.find(({ key }) => key === forwarded);
  const doubtful = messages.find(({ key, status }) => key === asked && status === "uncertain");
  const space = useRef<HTMLDivElement>(null);
  const { firstDay, items } = useMemo(() => {
    const [day, ...rest] = logItems({ messages, outgoing, firstUnread, unread, zone });
    return { firstDay: day, items: rest };
  }, [messages, outgoing, firstUnread, unread, zone]);
  const { look, toEnd, toItem, drawn, above, below, measure } = useLogScroll(box, space, {
    items,
    outgoing: outgoing.length,
    older: () => further.more && !further.busy && !further.failed && further.read(),
    setAtEnd,
  });
  const places = useMemo(() => new Map(items.map(({ key }, index) => [key, index])), [items]);
  const { found, goTo } = useGoTo(places, toItem);
  const stop = drawn.findLast(({ index }) => hasActs(items[index]))?.key;
  return (
    <div className={styles.logPlace}>
      <div
        ref={box}
        role="log"
        aria-label={t.label}
        aria-busy={further.busy}
        // Messages drawn by scrolling must not be announced.
        aria-live={atEnd ? "polite" : "off"}
        className={styles.log}
        onScroll={look}
        onKeyDownCapture={toOtherActs}
        {...scrolling}
      >
        <div className={styles.logColumn}>
          <Beginning further={further} />
          {firstDay === undefined ? (
            <Empty />
          ) : (
            <>
              {firstDay.what === "day" && <Day at={firstDay.at} />}
              <div ref={space} className={styles.logSpace} style={{ height: above }} />
              {drawn.map(({ index, key }) => {
                const item = items[index];
                return (
                  item && (
                    <Item
                      key={key}
                      data-index={index}
                      ref={measure}
                      item={item}
                      chat={chat}
                      sending={sending}
                      enlarge={enlarge}
                      ask={ask}
                      save={save}
                      acts={acts}
                      tabStop={key === stop}
                      goTo={goTo}
                      found={found}
                      isLoaded={(quoted) => places.has(quoted)}
                    />
                  )
                );
              })}
              <div className={styles.logSpace} style={{ height: below }} />
            </>
          )}
        </div>
      </div>
      {!atEnd && <ToEnd fresh={freshAfter(messages, seen)} onPress={toEnd} />}
      {picture && <WholePicture picture={picture} onClose={() => enlarge(null)} />}
      {deleting !== null && (
        <DeleteDialog messageKey={deleting} chatId={chat.id} onClose={() => askDelete(null)} />
      )}
      {toForward && (
        <Suspense fallback={null}>
          <ForwardDialog message={toForward} chat={chat} onClose={() => forward(null)} />
        </Suspense>
      )}
      {card && (
        <Suspense fallback={null}>
          <SaveCardDialog card={card} onClose={() => save(null)} />
        </Suspense>
      )}
      {doubtful && (
        <AskResend message={doubtful} chatId={chat.id} who={chatName(chat)} onClose={() => ask(null)} />
      )}
    </div>
  );
}

/**
 * Fixes the unread line at opening, not from cached data of an earlier visit: newer messages are missing
 * there.
 */
function useUnreadLine(unread: number, messages: MessageList["messages"], known: boolean) {
  const [line, setLine] = useState<{ unread: number; firstUnread: string | undefined } | null>(null);
  if (line === null && known) setLine({ unread, firstUnread: firstUnreadKey(messages, unread) });
  return line ?? { unread: 0, firstUnread: undefined };
}

function useGoTo(places: ReadonlyMap<string, number>, toItem: (index: number) => void) {
  const [found, setFound] = useState<string | null>(null);
  const now = useRef(places);
  now.current = places;
  const goTo = useCallback(
    (key: string) => {
      const index = now.current.get(key);
      if (index === undefined) return;
      setFound(key);
      toItem(index);
    },
    [toItem],
  );
  return { found, goTo };
}

const hasActs = (item: LogItem | undefined) => item?.what === "message" && isAtWhatsapp(item.message);

type ItemProps = Drawing & {
  item: LogItem;
  chat: Chat;
  sending: Props["sending"];
  enlarge: Enlarge;
  ask: Ask;
  save: SaveCard;
  acts: Acts;
  tabStop: boolean;
  goTo: GoTo;
  found: string | null;
  isLoaded: (key: string) => boolean;
};

function Item({
  item,
  chat,
  sending,
  enlarge,
  ask,
  save,
  acts,
  tabStop,
  goTo,
  found,
  isLoaded,
  ...drawing
}: ItemProps) {
  if (item.what === "day") return <Day at={item.at} {...drawing} />;
  if (item.what === "unread")
    return (
      <p className={styles.unreadLine} data-ui="unread-line" {...drawing}>
        {t.unreadHere(item.count)}
      </p>
    );
  if (item.what === "outgoing")
    return (
      <OutgoingBubble
        outgoing={item.outgoing}
        sending={sending}
        who={chatName(chat)}
        enlarge={enlarge}
        {...drawing}
      />
    );
  const { message, newSpeaker } = item;
  const of = {
    chatId: chat.id,
    connectionId: chat.connectionId,
    group: chat.kind === "group",
    who: chatName(chat),
  };
  const quoted = message.quoted?.key ?? null;
  return (
    <Drawn
      message={message}
      newSpeaker={newSpeaker}
      enlarge={enlarge}
      ask={ask}
      onSave={save}
      acts={acts}
      tabStop={tabStop}
      goTo={quoted !== null && isLoaded(quoted) ? goTo : null}
      found={found === message.key}
      {...of}
      {...drawing}
    />
  );
}

const Drawn = memo(Bubble);

function Day({ at, ...drawing }: { at: string } & Partial<Drawing>) {
  const { timeZone } = useMe();
  return (
    <p className={styles.dayLine} {...drawing}>
      <span className={bubbleStyles.chatDay} data-ui="chat-day">
        {dayName(at, timeZone, useToday(timeZone))}
      </span>
    </p>
  );
}

function Empty() {
  return (
    <div className={emptyStateStyles.blank} data-ui="blank">
      <h3>{t.empty}</h3>
      <p>{t.emptyText}</p>
    </div>
  );
}

function Beginning({ further }: { further: Further }) {
  if (further.failed)
    return (
      <div className={styles.beginning} role="alert">
        {t.olderFailed}{" "}
        <button type="button" className={textLinkStyles.link} data-ui="link" onClick={further.read}>
          {commonText.retry}
        </button>
      </div>
    );
  return (
    <p className={styles.beginning}>
      {further.busy && (
        <>
          <Icon of={LoaderCircle} sm className={textStyles.spin} />
          {t.older}
        </>
      )}
    </p>
  );
}

function ToEnd({ fresh, onPress }: { fresh: number; onPress: () => void }) {
  return (
    <div className={styles.toEnd} role="status">
      <button
        type="button"
        className={clsx(buttonStyles.btn, buttonStyles.small, !(fresh > 0) && buttonStyles.onlyIcon)}
        data-ui="btn"
        data-look={fresh > 0 ? "primary" : "secondary"}
        aria-label={fresh > 0 ? undefined : t.toEnd}
        onClick={onPress}
      >
        <Icon of={ArrowDown} sm />
        {fresh > 0 && <span data-ui="num">{t.fresh(fresh)}</span>}
      </button>
    </div>
  );
}
