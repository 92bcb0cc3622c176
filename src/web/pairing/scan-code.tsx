import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { LoaderCircle, Maximize2, Minimize2, RefreshCw } from "lucide-react";
import { useEffect, useState } from "react";
import type { Connection } from "../../contract/connections.ts";
import { errorTextOf } from "../api/api-error.ts";
import { connectText } from "../messages/connect.ts";
import { formatCountdown } from "../messages/format.ts";
import { Button } from "../ui/button.tsx";
import { CountdownRing, useSecondsUntil } from "../ui/countdown.tsx";
import { SmallError } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import { IconButton } from "../ui/icon-button.tsx";
import layoutStyles from "../ui/layout.module.css";
import { QrCode } from "../ui/qr-code.tsx";
import textStyles from "../ui/text.module.css";
import { GATEWAY_LIFE_S } from "./gateway-life.ts";
import styles from "./pairing.module.css";
import { Steps } from "./steps.tsx";
import { useAskConnection } from "./use-ask-connection.ts";

const t = connectText.dialog;
/** The first code of a round lives 60 s, later ones 20 s. */
const FIRST_S = 60;
const LATER_S = 20;
const LARGE = 340;

type Props = {
  connection: Connection | null;
  again?: { ask: () => void; busy: boolean };
};

export function ScanCode({ connection, again }: Props) {
  const [large, setLarge] = useState(false);
  const qr = connection?.qr ?? null;
  return (
    <div className={clsx(styles.scan, large && styles.enlarged)}>
      <div className={styles.place}>
        {qr ? (
          <QrCode value={qr} label={t.qrLabel} {...(large ? { size: LARGE } : {})} />
        ) : (
          <NoCode connection={connection} again={again} />
        )}
        {qr && (
          <div className={clsx(layoutStyles.row, styles.scanFoot)}>
            <TimeLeft until={connection?.qrExpiresAt ?? null} ofGateway={connection?.kind === "instance"} />
            <IconButton
              small
              label={large ? t.reduce : t.enlarge}
              icon={large ? Minimize2 : Maximize2}
              onClick={() => setLarge(!large)}
            />
          </div>
        )}
      </div>
      <Steps steps={t.qrSteps} />
    </div>
  );
}

function TimeLeft({ until, ofGateway }: { until: string | null; ofGateway: boolean }) {
  const left = useSecondsUntil(until);
  const queries = useQueryClient();
  // The next code is pushed; polling once it is due covers a lost push.
  useEffect(() => {
    if (until && left === 0) void queries.invalidateQueries({ queryKey: ["connections"] });
  }, [until, left, queries]);
  const life = ofGateway ? GATEWAY_LIFE_S : left > LATER_S ? FIRST_S : LATER_S;
  return (
    <span className={clsx(textStyles.fact, layoutStyles.row)}>
      <CountdownRing share={left / life} />
      {t.newIn(formatCountdown(left))}
    </span>
  );
}

/** WhatsApp makes the codes: they take a moment, and stop after a few without a scan. */
function NoCode({ connection, again }: Pick<Props, "connection"> & { again: Props["again"] }) {
  const ended = connection?.state === "disconnected" && connection.cause !== null;
  if (!connection || !ended)
    return (
      <div className={clsx(layoutStyles.stack3, textStyles.aside, styles.noCode)}>
        <Icon of={LoaderCircle} className={textStyles.spin} />
        {connection?.state === "connecting" ? connectText.flow.connecting : t.preparing}
      </div>
    );
  return (
    <div className={clsx(layoutStyles.stack3, textStyles.aside, styles.noCode)}>
      {connection.cause === "qr_expired" && t.expired}
      {again ? (
        <Button small icon={RefreshCw} busy={again.busy} onClick={again.ask}>
          {t.again}
        </Button>
      ) : (
        <NewCode id={connection.id} />
      )}
    </div>
  );
}

function NewCode({ id }: { id: number }) {
  const { ask, busy, error } = useAskConnection("qr", id);
  return (
    <>
      {error !== null && <SmallError title={errorTextOf(error, t.againFailed)} />}
      <Button small icon={RefreshCw} busy={busy} onClick={ask}>
        {t.again}
      </Button>
    </>
  );
}
