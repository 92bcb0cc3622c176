import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Bot, CalendarClock, Plug, QrCode, Star, Trash2, Unplug } from "lucide-react";
import type { Connection } from "../../../contract/connections.ts";
import { ApiError, errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { connectionsQuery, putConnection } from "../../api/connections.ts";
import { connectionName } from "../../connections/connection-name.ts";
import { connectionsText } from "../../messages/connections.ts";
import { numberPlanText } from "../../messages/number-plan.ts";
import type { MenuEntry } from "../../ui/menu.tsx";
import { toastDone, toastFailed, toastUndo } from "../../ui/toast.tsx";

const t = connectionsText.list;

export type Asked = { what: "pair" | "assistant" | "disconnect" | "remove"; connection: Connection };

export function useConnectionMenu(connection: Connection, onAsk: (asked: Asked) => void): MenuEntry[] {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const { id } = connection;
  const refresh = () => queries.invalidateQueries({ queryKey: ["connections"] });

  /** Not found: another window removed the connection, and the list is outdated. */
  const failed = (error: unknown, words: string) => {
    const gone = error instanceof ApiError && error.status === 404;
    toastFailed(gone ? t.gone(connectionName(connection)) : errorTextOf(error, words));
    if (gone) void refresh();
  };
  const reconnect = async () => {
    try {
      putConnection(queries, await api("POST /api/connections/{id}/reconnect", { params: { id } }));
      onAsk({ what: "pair", connection });
    } catch (error) {
      failed(error, t.reconnectFailed);
    }
  };
  const makeDefault = async () => {
    try {
      const before = queries.getQueryData(connectionsQuery.queryKey)?.find((each) => each.isDefault);
      await api("POST /api/connections/{id}/default", { params: { id } });
      await refresh();
      const said = t.madeDefault(connectionName(connection));
      if (before)
        toastUndo(said, async () => {
          const back = { params: { id: before.id }, query: { insteadOf: id } };
          await api("POST /api/connections/{id}/default", back);
          await refresh();
          return t.madeDefault(connectionName(before));
        });
      else toastDone(said);
    } catch (error) {
      failed(error, t.makeDefaultFailed);
    }
  };

  return entriesOf(connection, onAsk, {
    reconnect,
    makeDefault,
    openPlan: () =>
      void navigate({ to: "/whatsapp/connections/$connectionId", params: { connectionId: String(id) } }),
  });
}

type Acts = Record<"reconnect" | "makeDefault" | "openPlan", () => unknown>;

function entriesOf(
  connection: Connection,
  onAsk: (asked: Asked) => void,
  { reconnect, makeDefault, openPlan }: Acts,
): MenuEntry[] {
  const { state, desired } = connection;
  const entries: MenuEntry[] = [];
  if (state === "pending")
    entries.push({ label: t.showQr, icon: QrCode, onSelect: () => onAsk({ what: "pair", connection }) });
  if (state === "disconnected" || desired === "disconnected")
    entries.push({ label: t.reconnect, icon: Plug, onSelect: reconnect });
  if (!connection.isDefault) entries.push({ label: t.makeDefault, icon: Star, onSelect: makeDefault });
  entries.push({ label: numberPlanText.open, icon: CalendarClock, onSelect: openPlan });
  entries.push({ label: t.assistant, icon: Bot, onSelect: () => onAsk({ what: "assistant", connection }) });
  if (desired === "connected")
    entries.push({
      label: t.disconnect,
      icon: Unplug,
      onSelect: () => onAsk({ what: "disconnect", connection }),
    });
  entries.push({
    label: t.remove,
    icon: Trash2,
    danger: true,
    apart: true,
    onSelect: () => onAsk({ what: "remove", connection }),
  });
  return entries;
}
