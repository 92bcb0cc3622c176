import { clsx } from "clsx";
import { MessageSquarePlus } from "lucide-react";
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { Chat } from "../../../contract/chats.ts";
import { useMe } from "../../api/me.ts";
import { useToday } from "../../api/use-today.ts";
import { scaled } from "../../lib/text-size.ts";
import { beginChatText } from "../../messages/begin-chat.ts";
import { chatText } from "../../messages/chat.ts";
import { commonText } from "../../messages/common.ts";
import { ClearButton } from "../../ui/clear-button.tsx";
import emptyStateStyles from "../../ui/empty-state.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import pageStyles from "../../ui/page.module.css";
import { SearchBox } from "../../ui/search-box.tsx";
import textStyles from "../../ui/text.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { useRowsInView } from "../../ui/use-rows-in-view.ts";
import styles from "./chat-list.module.css";
import { ChatRow } from "./chat-row.tsx";
import { ChatListSkeleton } from "./chat-skeletons.tsx";
import type { FocusWish } from "./focus-wish.ts";
import type { Further, useChatList } from "./use-chats.ts";

const t = chatText.list;
const ROW = scaled(63);
const NEAR = 25;

type Props = {
  connectionId: number;
  chosen: number | undefined;
  list: ReturnType<typeof useChatList>;
  search: string;
  setSearch: (words: string) => void;
  wish: FocusWish;
  onBegin: () => void;
};

export function ChatList({ connectionId, chosen, list, search, setSearch, wish, onBegin }: Props) {
  const chats = list.data?.chats;
  return (
    <>
      <div className={styles.find}>
        <SearchBox label={t.search} placeholder={t.searchPlaceholder} value={search} onChange={setSearch} />
        <IconButton label={beginChatText.title} icon={MessageSquarePlus} onClick={onBegin} />
      </div>
      {chats && chats.length > 0 ? (
        <Rows
          key={search}
          connectionId={connectionId}
          chosen={chosen}
          chats={chats}
          wish={wish}
          further={list.further}
        />
      ) : chats && !list.isPlaceholderData ? (
        <NoChats search={search} onClear={() => setSearch("")} />
      ) : list.isError ? (
        <div className={layoutStyles.pad4}>
          <QueryError title={t.failed} query={list} />
        </div>
      ) : (
        <ChatListSkeleton />
      )}
    </>
  );
}

function NoChats({ search, onClear }: { search: string; onClear: () => void }) {
  return (
    <div className={emptyStateStyles.blank} data-ui="blank" role="status">
      <h2>{search ? t.nothingFound(search) : t.empty}</h2>
      <p>{search ? t.nothingFoundText : t.emptyText}</p>
      {search && (
        <div className={pageStyles.actions} data-ui="actions">
          <ClearButton small onClear={onClear}>
            {commonText.clearSearch}
          </ClearButton>
        </div>
      )}
    </div>
  );
}

type RowsProps = {
  connectionId: number;
  chosen: number | undefined;
  chats: readonly Chat[];
  further: Further;
  wish: FocusWish;
};

function Rows({ connectionId, chosen, chats, further, wish }: RowsProps) {
  const box = useRef<HTMLElement>(null);
  const { from, to, scrollTo } = useRowsInView(box, chats.length, ROW);
  const { more, busy, failed, read } = further;
  const wanted = more && !busy && !failed && to > 0 && to > chats.length - NEAR;
  useEffect(() => {
    if (wanted) read();
  }, [wanted, read]);
  const today = useToday(useMe().timeZone);
  const keys = useArrowKeys(box, chats, chosen, scrollTo);
  const drawn = chats.slice(from, to);
  // One row is the Tab stop; if it is not drawn, the first drawn one.
  const entry = (drawn.find(({ id }) => id === keys.entry) ?? drawn[0])?.id;
  useEffect(() => {
    const row = wish.current === "list" && box.current?.querySelector<HTMLElement>("a[tabindex='0']");
    if (!row || row.offsetParent === null) return;
    wish.current = null;
    row.focus();
  });
  return (
    <nav
      ref={box}
      className={styles.threads}
      data-ui="threads"
      tabIndex={-1}
      aria-label={t.label}
      onKeyDown={keys.onKeyDown}
      onFocus={keys.onFocus}
    >
      <ul style={{ height: chats.length * ROW }}>
        {drawn.map((chat, at) => (
          <li
            key={chat.id}
            data-index={from + at}
            aria-posinset={from + at + 1}
            aria-setsize={more ? -1 : chats.length}
            style={{ transform: `translateY(${(from + at) * ROW}px)` }}
          >
            <ChatRow
              chat={chat}
              connectionId={connectionId}
              chosen={chat.id === chosen}
              alone={chosen === undefined}
              reachable={chat.id === entry}
              now={today}
              wish={wish}
            />
          </li>
        ))}
      </ul>
      {busy && (
        <p className={clsx(textStyles.quiet, styles.more)} role="status">
          {commonText.loading}
        </p>
      )}
      {failed && (
        <div className={clsx(textStyles.quiet, styles.more)} role="alert">
          {t.moreFailed}{" "}
          <button type="button" className={textLinkStyles.link} data-ui="link" onClick={read}>
            {commonText.retry}
          </button>
        </div>
      )}
    </nav>
  );
}

function useArrowKeys(
  box: RefObject<HTMLElement | null>,
  chats: readonly Chat[],
  chosen: number | undefined,
  scrollTo: (index: number) => void,
) {
  const [focused, setFocused] = useState<number | undefined>(undefined);
  const wanted = useRef<number | null>(null);
  const reach = () => {
    const row = box.current?.querySelector<HTMLElement>(`[data-index="${wanted.current}"] a`);
    if (!row) return;
    wanted.current = null;
    row.focus({ preventScroll: true });
  };
  useEffect(() => {
    if (wanted.current !== null) reach();
  });
  const place = (target: EventTarget) =>
    Number((target as Element).closest<HTMLElement>("[data-index]")?.dataset.index ?? Number.NaN);
  return {
    entry: focused ?? chosen,
    onFocus: ({ target }: { target: EventTarget }) => setFocused(chats[place(target)]?.id),
    onKeyDown: (event: KeyboardEvent) => {
      const from = place(event.target);
      const to = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: chats.length - 1 }[event.key];
      if (to === undefined || Number.isNaN(from) || to < 0 || to >= chats.length) return;
      event.preventDefault();
      wanted.current = to;
      scrollTo(to);
      reach();
    },
  };
}
