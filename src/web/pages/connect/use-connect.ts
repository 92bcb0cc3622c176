import { useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
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
  const connection = usePairingConnection(following?.deviceId ?? null);
  const dialog = useCodeDialog(Boolean(connection?.qr));

  const connected = useCallback(() => {
    dialog.close();
    setDone((before) => {
      if (!before) toastDone(t.done);
      return true;
    });
  }, [dialog.close]);

  const form = useConnectForm(me.id, {
    begin: () => {
      setDone(false);
      setFollowing(null);
      dialog.offerAgain();
    },
    started: async (answer, name) => {
      await queries.invalidateQueries({ queryKey: ["connections"] });
      setFollowing({ deviceId: answer.deviceId, name });
      if (answer.status === "connected") connected();
    },
  });

  const isConnected = connection?.state === "connected";
  useWhileTrue(isConnected, connected);
  useGone(connection !== null, () => {
    setFollowing(null);
    setDone(false);
  });

  const isDone = done && (connection === null || isConnected);
  const followed = following ? flowOf(connection) : "disconnected";
  const flow: Flow = isDone ? "connected" : form.busy ? "connecting" : followed;
  const cause = connection && (connectionCause(connection, me.timeZone) ?? connection.cause);
  return {
    form,
    onSubmit: withToast(form),
    flow,
    following,
    connection,
    dialogOpen: dialog.isOpen,
    connected,
    trouble: following && flow === "disconnected" ? cause : null,
    /** Connected, but another phone than the named one scanned the code. */
    warning: flow === "connected" ? cause : null,
    /** Reconnecting by itself: no code will come. `why` may be unknown. */
    returning: done && connection?.state === "connecting" ? { why: cause } : null,
    openDialog: dialog.open,
    closeDialog: dialog.close,
  };
}

const withToast = (form: ReturnType<typeof useConnectForm>) => (event: FormEvent) => {
  if (form.values.number.trim() === "") toastFieldError(t.numberRequired);
  form.formProps.onSubmit(event);
};

type Steps = { begin: () => void; started: (answer: Started, name: string) => Promise<void> };

function useConnectForm(userId: string, { begin, started }: Steps) {
  return useWindowForm("connect", {
    initial: { number: "", name: "" },
    validate: ({ number }) => ({ number: number.trim() === "" ? t.numberRequired : null }),
    submit: async ({ number, name }) => {
      dismissToasts();
      begin();
      const connectionName = name.trim() || t.nameDefault(number.trim());
      await started(await start({ userId, deviceId: number, connectionName }), connectionName);
    },
  });
}

/** Opens once, when there is a code; closed, it stays closed. */
function useCodeDialog(hasCode: boolean) {
  const [isOpen, setOpen] = useState(false);
  const offered = useRef(false);
  useEffect(() => {
    if (!hasCode || offered.current) return;
    offered.current = true;
    setOpen(true);
  }, [hasCode]);
  const open = useCallback(() => setOpen(true), []);
  const close = useCallback(() => setOpen(false), []);
  const offerAgain = () => {
    offered.current = false;
  };
  return { isOpen, open, close, offerAgain };
}

function useWhileTrue(isTrue: boolean, act: () => void) {
  useEffect(() => {
    if (isTrue) act();
  }, [isTrue, act]);
}

function useGone(isThere: boolean, act: () => void) {
  const known = useRef(false);
  const onGone = useEffectEvent(act);
  useEffect(() => {
    if (known.current && !isThere) onGone();
    known.current = isThere;
  }, [isThere]);
}

type Started = Awaited<ReturnType<typeof start>>;

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
