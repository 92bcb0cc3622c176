import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import type { Campaign } from "../../contract/campaigns.ts";
import type { Chat } from "../../contract/chats.ts";
import { ApiError } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { whenChanged } from "../api/events.ts";
import { notificationsQuery } from "../api/notifications.ts";
import { serverNow } from "../api/server-clock.ts";
import { OPENED_FROM_OTHER_SCREEN } from "../routes/opened-from.ts";
import { type CampaignSource, CampaignWatch } from "./campaigns.ts";
import { type ChatSource, watchChats } from "./chats.ts";
import { campaignWords, chatWords, type Words } from "./notification-words.ts";
import { retry } from "./retry.ts";
import { keepVisible, someTabIsVisible } from "./visible.ts";

const CHOICES_LAST_MS = 15_000;
/** More chats than this at once become one notification. */
const EACH = 3;

/** Only the tab with the lock notifies; when it closes, the next one takes over. */
export function notifyOfLiveUpdates(queries: QueryClient, router: AnyRouter, ended: AbortSignal): void {
  if (ended.aborted) return;
  keepVisible(ended);
  navigator.locks
    .request("recado-notifications", { signal: ended }, () => notifyUntil(queries, router, ended))
    .catch(() => undefined);
}

function notifyUntil(queries: QueryClient, router: AnyRouter, ended: AbortSignal): Promise<void> {
  const choices = () =>
    retry(() => queries.fetchQuery({ ...notificationsQuery, staleTime: CHOICES_LAST_MS, retry: false }));
  const zone = async () => (await router.options.context.session.load()).timeZone as string;
  const campaigns = new CampaignWatch(campaignSource, serverNow(), async (campaign) => {
    if ((await choices()).browserCampaignStatus)
      show(campaignWords(campaign, await zone()), () =>
        router.navigate({
          to: "/campaigns",
          search: { detalhes: campaign.id },
          state: OPENED_FROM_OTHER_SCREEN,
        }),
      );
  });
  const chats = watchChats(chatSource, serverNow(), async (news) => {
    if (await someTabIsVisible()) return;
    if (!(await choices()).browserNewMessage) return;
    for (const { words, chat } of chatNotices(news))
      show(words, () =>
        router.navigate({
          to: "/chat",
          search: chat ? { conexao: chat.connectionId, conversa: chat.id } : {},
        }),
      );
  });
  const stop = whenChanged(({ topic, id }) => {
    // A failed request is retried on the next change.
    if (topic === "campaigns") campaigns.changed(id).catch(() => undefined);
    if (topic === "chats") chats.changed(id).catch(() => undefined);
  });
  return new Promise((resolve) => {
    ended.addEventListener("abort", () => {
      stop();
      resolve();
    });
  });
}

function chatNotices(news: readonly Chat[]): { words: Words; chat?: Chat }[] {
  if (news.length > EACH) return [{ words: chatWords(news) }];
  return news.map((chat) => ({ words: chatWords([chat]), chat }));
}

function show({ title, body, tag }: Words, open: () => void): void {
  // Missing in the library's types. Without it a second message of a chat would replace the text silently.
  const options: NotificationOptions & { renotify: boolean } = {
    body,
    tag,
    renotify: true,
    icon: "/favicon.svg",
  };
  const notification = new Notification(title, options);
  notification.onclick = () => {
    notification.close();
    window.focus();
    open();
  };
}

const unlessGone = (error: unknown) => {
  if (error instanceof ApiError && error.status === 404) return null;
  throw error;
};

const ACTIVE = ["scheduled", "sending", "paused"] as const;

const campaignSource: CampaignSource = {
  get: (id): Promise<Campaign | null> =>
    retry(() => api("GET /api/campaigns/{id}", { params: { id } })).catch(unlessGone),
  async active() {
    const pages = await Promise.all(
      ACTIVE.map((status) => api("GET /api/campaigns", { query: { status, limit: 100 } })),
    );
    return pages.flatMap(({ items }) => items);
  },
};

const chatSource: ChatSource = {
  get: (id): Promise<Chat | null> =>
    retry(() => api("GET /api/chats/{id}", { params: { id } })).catch(unlessGone),
  async newest() {
    const { connections } = await api("GET /api/connections");
    const pages = await Promise.all(
      connections.map(({ id }) => api("GET /api/chats", { query: { connectionId: id } })),
    );
    return pages.flatMap(({ chats }) => chats);
  },
};
