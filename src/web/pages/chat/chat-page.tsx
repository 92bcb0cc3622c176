import { clsx } from "clsx";
import { MessageCircle } from "lucide-react";
import { lazy, type ReactNode, Suspense, useCallback, useRef, useState } from "react";
import { chatText as t } from "../../messages/chat.ts";
import { chatAddress } from "../../routes/chat.ts";
import { EmptyState } from "../../ui/empty-state.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { LinkButton } from "../../ui/link-button.tsx";
import pageStyles from "../../ui/page.module.css";
import { usePageTitle } from "../../ui/page.tsx";
import chatStyles from "./chat.module.css";
import chatListStyles from "./chat-list.module.css";
import { ChatList } from "./chat-list.tsx";
import { ChatListSkeleton } from "./chat-skeletons.tsx";
import { ConnectionPicker } from "./connection-picker.tsx";
import { Conversation } from "./conversation.tsx";
import type { FocusWish } from "./focus-wish.ts";
import { NothingChosen } from "./nothing-chosen.tsx";
import { useChatList } from "./use-chats.ts";
import { useChosen, useFirstChat } from "./use-chosen.ts";

const NewChatDialog = lazy(async () => ({ default: (await import("./new-chat-dialog.tsx")).NewChatDialog }));

export function ChatPage() {
  const chosen = useChosen();
  const { query, connections, connection, address, go } = chosen;
  const connectionId = connection?.id;
  const [typed, setTyped] = useState({ at: connectionId, words: "" });
  const search = typed.at === connectionId ? typed.words : "";
  const setSearch = useCallback((words: string) => setTyped({ at: connectionId, words }), [connectionId]);
  const list = useChatList(connectionId, search);
  useFirstChat(chosen, list, search);
  const unread = list.data?.unread ?? 0;
  usePageTitle(unread > 0 ? t.titleUnread(unread) : t.title);
  const wish: FocusWish = useRef(null);
  const choose = useCallback((id: number) => go({ conexao: id }, false), [go]);
  const begin = useBegin(chosen, wish);
  if (query.error && !query.data)
    return (
      <Apart>
        <QueryError title={t.connectionsFailed} query={query} />
      </Apart>
    );
  if (query.data && connections.length === 0)
    return (
      <Apart>
        <EmptyState icon={MessageCircle} title={t.noConnection} text={t.noConnectionText}>
          <LinkButton to="/baileys" look="primary">
            {t.connect}
          </LinkButton>
        </EmptyState>
      </Apart>
    );
  return (
    <main
      id="content"
      tabIndex={-1}
      className={clsx(chatStyles.chat, address.conversa && chatStyles.talking)}
    >
      <h1 className={layoutStyles.srOnly}>{t.title}</h1>
      <aside
        className={clsx(layoutStyles.column, chatStyles.people, chatListStyles.people)}
        aria-label={t.list.contacts}
      >
        <ConnectionPicker connections={connections} chosen={connection} onChoose={choose} />
        {connection ? (
          <ChatList
            key={connection.id}
            connectionId={connection.id}
            chosen={address.conversa}
            list={list}
            search={search}
            setSearch={setSearch}
            wish={wish}
            onBegin={begin.ask}
          />
        ) : (
          <ChatListSkeleton />
        )}
      </aside>
      {connection && chosen.chat ? (
        <Conversation
          key={chosen.chat.id}
          chat={chosen.chat}
          known={chosen.known}
          gone={chosen.gone}
          connection={connection}
          wish={wish}
        />
      ) : (
        <NothingChosen chosen={chosen} />
      )}
      {connection && begin.phone !== null && (
        <Suspense fallback={null}>
          <NewChatDialog
            connections={connections}
            phone={begin.phone}
            chosen={connection.id}
            onOpened={begin.opened}
            onClose={begin.close}
          />
        </Suspense>
      )}
    </main>
  );
}

function useBegin({ address, go, connection }: ReturnType<typeof useChosen>, wish: FocusWish) {
  const [asked, setAsked] = useState(false);
  const { conexao, conversa, para } = address;
  const end = (to: { id: number; connectionId: number } | null) => {
    setAsked(false);
    if (to === null && para === undefined) return;
    const here = chatAddress({ conexao: connection?.id ?? conexao, conversa });
    go(to === null ? here : { conexao: to.connectionId, conversa: to.id }, to === null);
  };
  return {
    phone: para === undefined ? (asked ? "" : null) : String(para),
    ask: () => setAsked(true),
    close: () => end(null),
    opened(chat: { id: number; connectionId: number }) {
      wish.current = "talk";
      end(chat);
    },
  };
}

function Apart({ children }: { children: ReactNode }) {
  return (
    <main id="content" tabIndex={-1} className={pageStyles.page} data-ui="page">
      <h1 className={layoutStyles.srOnly}>{t.title}</h1>
      {children}
    </main>
  );
}
