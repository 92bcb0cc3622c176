import { getRouteApi, useNavigate } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import type { Connection } from "../../../contract/connections.ts";
import { ApiError } from "../../api/api-error.ts";
import { useConnections } from "../../api/connections.ts";
import { type ChatAddress, chatAddress } from "../../routes/chat.ts";
import { useReplaceSearch } from "../../routes/use-replace-search.ts";
import { useNarrow } from "../../ui/use-narrow.ts";
import { isUpToDate, useChat, type useChatList } from "./use-chats.ts";

const SCREEN = "/shell/chat";
const route = getRouteApi(SCREEN);
const NO_CONNECTIONS: readonly Connection[] = [];

export function useChosen() {
  const address = route.useSearch();
  const navigate = useNavigate();
  const go = useCallback(
    (search: ChatAddress, replace: boolean) =>
      void navigate({ to: "/chat", search, replace, resetScroll: false }),
    [navigate],
  );
  const amend = useReplaceSearch(SCREEN, chatAddress);
  const query = useConnections();
  const connections = query.data ?? NO_CONNECTIONS;
  const chatQuery = useChat(address.conversa);
  const chat = chatQuery.data;
  const gone = chatQuery.error instanceof ApiError && chatQuery.error.status === 404;
  // A chat knows its connection; while it loads, the address may not.
  const wanted = chat?.connectionId ?? address.conexao;
  const waiting = wanted === undefined && address.conversa !== undefined && !chatQuery.isError;
  const connection = waiting ? undefined : (connections.find(({ id }) => id === wanted) ?? connections[0]);
  const shownId = connection?.id;
  const { conexao } = address;
  useEffect(() => {
    if (shownId === undefined || shownId === conexao) return;
    amend((before) => (before.conexao === conexao ? { ...before, conexao: shownId } : before));
  }, [shownId, conexao, amend]);
  const known = chatQuery.isPlaceholderData || isUpToDate(chatQuery);
  return { address, go, amend, query, connections, connection, chat, chatQuery, known, gone };
}

export function useFirstChat(
  { address, amend, connection }: ReturnType<typeof useChosen>,
  list: ReturnType<typeof useChatList>,
  search: string,
): void {
  const isWide = !useNarrow();
  const first = list.isPlaceholderData ? undefined : list.data?.chats[0];
  const connectionId = connection?.id;
  const id = first?.connectionId === connectionId ? first?.id : undefined;
  const choose = isWide && search === "" && isNothingChosen(address);
  useEffect(() => {
    if (!choose || id === undefined || connectionId === undefined) return;
    const isHere = ({ conexao = connectionId }: ChatAddress) => conexao === connectionId;
    amend((before) =>
      isNothingChosen(before) && isHere(before) ? { conexao: connectionId, conversa: id } : before,
    );
  }, [choose, id, connectionId, amend]);
}

const isNothingChosen = ({ conversa, para }: ChatAddress) => conversa === undefined && para === undefined;
