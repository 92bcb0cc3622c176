import { clsx } from "clsx";
import { useEffect, useRef } from "react";
import type { Connection } from "../../../contract/connections.ts";
import type { Instance } from "../../../contract/gateways.ts";
import { formatPhone } from "../../../domain/phone-written.ts";
import { causeText } from "../../api/api-error.ts";
import { usePairing } from "../../api/connections.ts";
import { useMe } from "../../api/me.ts";
import { commonText } from "../../messages/common.ts";
import { instancesText } from "../../messages/instances.ts";
import { FlowStatus } from "../../pairing/flow-status.tsx";
import { flowOf } from "../../pairing/pairing-dialog.tsx";
import { ScanCode } from "../../pairing/scan-code.tsx";
import { useAskConnection } from "../../pairing/use-ask-connection.ts";
import { Button } from "../../ui/button.tsx";
import { CopyButton } from "../../ui/copy-button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { toastDone, toastFailed } from "../../ui/toast.tsx";
import { shownName, troubleOf } from "./instance-words.ts";
import styles from "./instances.module.css";

const t = instancesText.qr;

export function QrDialog({ instance, onClose }: { instance: Instance; onClose: () => void }) {
  const connection = usePairing(({ id }) => id === instance.connectionId);
  const asking = useAskForCode(connection);
  const connected = connection?.state === "connected";
  const name = shownName(instance);
  useEffect(() => {
    if (!connected) return;
    toastDone(t.done);
    onClose();
  }, [connected, onClose]);
  const known = useRef(false);
  useEffect(() => {
    if (known.current && !connection) {
      toastFailed(instancesText.gone(name));
      onClose();
    }
    known.current = connection !== null;
  }, [connection, name, onClose]);
  const number = instance.number ? `, ${formatPhone(instance.number)}` : "";
  return (
    <Dialog
      title={t.title}
      context={<span data-ui="num">{`${name}${number}`}</span>}
      size="mid"
      onClose={onClose}
    >
      <Failed connection={connection} instance={instance} asking={asking} />
      <ScanCode connection={connection} again={asking} />
      {connection?.pairingCode && <PairingCode code={connection.pairingCode} />}
      <FlowStatus flow={flowOf(connection)} />
    </Dialog>
  );
}

type FailedProps = {
  connection: Connection | null;
  instance: Instance;
  asking: ReturnType<typeof useAskForCode>;
};

const MENDED = new Set(["qr_expired", "logged_out", "ended_there", "disconnected_by_user", "network"]);

function Failed({ connection, instance, asking }: FailedProps) {
  const { timeZone } = useMe();
  const cause = connection?.qr || connection?.state === "connected" ? null : (connection?.cause ?? null);
  const trouble =
    connection && cause !== null && !MENDED.has(cause)
      ? troubleOf({ ...instance, cause, status: "close" }, connection.since, timeZone)
      : null;
  if (asking.error === null && trouble === null) return null;
  const ended = connection?.state === "disconnected" && connection.cause !== null;
  return (
    <SmallError title={t.failed} text={asking.error === null ? trouble : causeText(asking.error)}>
      {!ended && (
        <div className={layoutStyles.top2}>
          <Button small busy={asking.busy} onClick={asking.ask}>
            {commonText.retry}
          </Button>
        </div>
      )}
    </SmallError>
  );
}

function PairingCode({ code }: { code: string }) {
  const letters = code.replace(/[^\p{L}\p{N}]/gu, "");
  const half = Math.ceil(letters.length / 2);
  return (
    <div className={clsx(layoutStyles.ends, layoutStyles.well, styles.pairingLine)}>
      <div>
        <p>
          {t.code} <strong>{`${letters.slice(0, half)}-${letters.slice(half)}`}</strong>
        </p>
        <p className={fieldStyles.hint} data-ui="hint">
          {t.codeHint}
        </p>
      </div>
      <CopyButton text={letters} />
    </div>
  );
}

/** An idle instance gives no code until it connects: on opening and on request. */
function useAskForCode(connection: Connection | null) {
  const id = connection?.id;
  const { ask, ...state } = useAskConnection("reconnect", id);
  const asked = useRef(false);
  const rests = connection?.state === "disconnected";
  useEffect(() => {
    if (asked.current || id === undefined) return;
    asked.current = true;
    if (rests) void ask();
  }, [id, rests, ask]);
  return { ask, ...state };
}
