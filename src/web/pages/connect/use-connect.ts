import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { usePairingConnection } from "../../api/connections.ts";
import { useMe } from "../../api/me.ts";
import { connectionCause } from "../../connections/connection-cause.ts";
import { connectText } from "../../messages/connect.ts";
import type { Flow } from "../../pairing/flow-status.tsx";
import { flowOf } from "../../pairing/pairing-dialog.tsx";
import { dismissToasts, toastDone, toastFailed, toastFieldError } from "../../ui/toast.tsx";
import { useWindowForm } from "../../ui/use-window-form.ts";

const t = connectText.page;

type Following = { deviceId: string; name: string };

export function useConnect() {
  const me = useMe();
  const queries = useQueryClient();
  const [following, setFollowing] = useState<Following | null>(null);
  const [done, setDone] = useState(false);
  const [dialogOpen, setDialogOpen] = useState(false);
  const connection = usePairingConnection(following?.deviceId ?? null);

  const connected = useCallback(() => {
    setDialogOpen(false);
    setDone((before) => {
      if (!before) toastDone(t.done);
      return true;
    });
  }, []);

  const form = useWindowForm("connect", {
    initial: { number: "", name: "" },
    validate: ({ number }) => ({ number: number.trim() === "" ? t.numberRequired : null }),
    submit: async ({ number, name }) => {
      dismissToasts();
      setDone(false);
      setFollowing(null);
      offered.current = false;
      const connectionName = name.trim() || t.nameDefault(number.trim());
      const answer = await start({ userId: me.id, deviceId: number, connectionName });
      await queries.invalidateQueries({ queryKey: ["connections"] });
      setFollowing({ deviceId: answer.deviceId, name: connectionName });
      if (answer.status === "connected") connected();
    },
  });

  // Opens once, when there is a code; a closed dialog stays closed.
  const scannable = Boolean(connection?.qr);
  const offered = useRef(false);
  useEffect(() => {
    if (!scannable || offered.current) return;
    offered.current = true;
    setDialogOpen(true);
  }, [scannable]);
  const isConnected = connection?.state === "connected";
  useEffect(() => {
    if (isConnected) connected();
  }, [isConnected, connected]);

  const known = useRef(false);
  useEffect(() => {
    if (known.current && !connection) {
      setFollowing(null);
      setDone(false);
    }
    known.current = connection !== null;
  }, [connection]);

  const connectedNow = done && (connection === null || isConnected);
  const flow: Flow = connectedNow
    ? "connected"
    : form.busy
      ? "connecting"
      : following
        ? flowOf(connection)
        : "disconnected";
  const cause = connection && (connectionCause(connection, me.timeZone) ?? connection.cause);
  return {
    form,
    onSubmit: (event: FormEvent) => {
      if (form.values.number.trim() === "") toastFieldError(t.numberRequired);
      form.formProps.onSubmit(event);
    },
    flow,
    following,
    connection,
    dialogOpen,
    connected,
    trouble: following && flow === "disconnected" ? cause : null,
    /** Connected, but another phone than the named one scanned the code. */
    warning: flow === "connected" ? cause : null,
    /** Reconnecting by itself: no code will come. `why` may be unknown. */
    returning: done && connection?.state === "connecting" ? { why: cause } : null,
    openDialog: () => setDialogOpen(true),
    closeDialog: () => setDialogOpen(false),
  };
}

/** An answer may also carry an error: stored, but not connected. */
async function start(body: { userId: string; deviceId: string; connectionName: string }) {
  try {
    const answer = await api("POST /api/whatsapp/connect", { body });
    if (answer.error && answer.status === "disconnected")
      throw new ApiError({ code: "connect_failed", text: answer.error, status: 200 });
    return answer;
  } catch (error) {
    toastFailed(t.failedToast);
    throw error instanceof ApiError ? atField(error) : error;
  }
}

const FIELDS: Readonly<Record<string, string>> = { deviceId: "number", connectionName: "name" };

function atField(error: ApiError): ApiError {
  const ofNumber = error.code.startsWith("phone") || error.code === "device_number_required";
  const fields = ofNumber
    ? { number: error.text }
    : Object.fromEntries(Object.entries(error.fields).map(([name, words]) => [FIELDS[name] ?? name, words]));
  return new ApiError({ ...error, text: error.text, fields });
}
