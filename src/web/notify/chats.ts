import type { Chat } from "../../contract/chats.ts";

export type ChatSource = {
  /** null: deleted. */
  get: (id: number) => Promise<Chat | null>;
  newest: () => Promise<Chat[]>;
};

/** Reports chats with new unread messages, each message once. */
export function watchChats(source: ChatSource, since: number, tell: (chats: Chat[]) => void) {
  const notified = new Map<number, string>();
  // WhatsApp counts whole seconds.
  const from = Math.floor(since / 1000) * 1000;
  const isNews = ({ id, kind, last, unread }: Chat) =>
    kind === "person" &&
    !last.fromMe &&
    unread > 0 &&
    Date.parse(last.at) >= from &&
    notified.get(id) !== said(last);
  return {
    async changed(id: number | null): Promise<void> {
      const found = id === null ? await source.newest() : [await source.get(id)];
      const news = found.filter((chat) => chat !== null).filter(isNews);
      for (const chat of news) notified.set(chat.id, said(chat.last));
      if (news.length > 0) tell(news);
    },
  };
}

const said = ({ at, text, kind }: Chat["last"]) => `${at} ${kind} ${text}`;
