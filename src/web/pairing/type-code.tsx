import { clsx } from "clsx";
import { LoaderCircle, RefreshCw } from "lucide-react";
import { useCallback, useEffect, useRef, useState } from "react";
import type { Connection } from "../../contract/connections.ts";
import { errorTextOf } from "../api/api-error.ts";
import { connectText } from "../messages/connect.ts";
import { formatCountdown } from "../messages/format.ts";
import { Button } from "../ui/button.tsx";
import { CopyButton } from "../ui/copy-button.tsx";
import { CountdownRing, useSecondsUntil } from "../ui/countdown.tsx";
import { SmallError } from "../ui/error-notice.tsx";
import { Icon } from "../ui/icon.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { GATEWAY_LIFE_S } from "./gateway-life.ts";
import styles from "./pairing.module.css";
import { Steps } from "./steps.tsx";
import { useAskConnection } from "./use-ask-connection.ts";

const t = connectText.dialog;
/** How long WhatsApp accepts a device's code; only for the ring. */
const LIFE_S = 180;

export function TypeCode({ connection }: { connection: Connection | null }) {
  const { ask, busy, awaited, error } = useAskCode(connection);
  const left = useSecondsUntil(connection?.pairingCodeExpiresAt ?? null);
  const code = connection?.pairingCode ?? null;
  const over = code !== null && connection?.pairingCodeExpiresAt !== null && left === 0;
  const refused = connection?.cause === "pairing_refused";
  return (
    <>
      {(error !== null || refused) && (
        <SmallError title={refused ? t.codeRefused : errorTextOf(error, t.codeRefused)} />
      )}
      <div>
        {code && !over ? (
          <Letters code={code} />
        ) : (
          <NoLetters
            why={whyNone(connection, { busy, awaited, over, failed: error !== null || refused })}
            onAsk={ask}
          />
        )}
        {code && !over && (
          <div className={clsx(layoutStyles.row, styles.codeFoot)}>
            <span className={clsx(textStyles.fact, layoutStyles.row)}>
              <CountdownRing share={left / (connection?.kind === "instance" ? GATEWAY_LIFE_S : LIFE_S)} />
              {t.validFor(formatCountdown(left))}
            </span>
            <CopyButton text={code} />
          </div>
        )}
      </div>
      <Steps steps={t.codeSteps} />
    </>
  );
}

function Letters({ code }: { code: string }) {
  const letters = [...code.replace(/[^\p{L}\p{N}]/gu, "")];
  const half = letters.length / 2;
  return (
    <div
      className={styles.pairCode}
      role="img"
      aria-label={t.codeLabel(`${letters.slice(0, half).join(" ")}, ${letters.slice(half).join(" ")}`)}
    >
      {letters
        .map((letter, place) => ({ letter, place }))
        .map(({ letter, place }) => (
          <Letter key={place} letter={letter} apart={place === half} />
        ))}
    </div>
  );
}

function Letter({ letter, apart }: { letter: string; apart: boolean }) {
  return (
    <>
      {apart && <i />}
      <span>{letter}</span>
    </>
  );
}

const WAITS = { asked: t.codeAsking, typed: connectText.flow.connecting };
const ENDS = { over: t.codeExpired, unread: t.expired, failed: null };
type Why = keyof typeof WAITS | keyof typeof ENDS;

type Known = { busy: boolean; awaited: boolean; over: boolean; failed: boolean };

function whyNone(connection: Connection | null, { busy, awaited, over, failed }: Known): Why {
  if (busy) return "asked";
  if (connection?.state === "disconnected" && connection.cause !== null)
    return connection.cause === "qr_expired" ? "unread" : "failed";
  if (failed) return "failed";
  if (over) return "over";
  if (awaited) return "asked";
  // It was shown: it has expired or the phone has it.
  return connection?.state === "pending" ? "over" : "typed";
}

function NoLetters({ why, onAsk }: { why: Why; onAsk: () => void }) {
  return (
    <div className={styles.pairCode}>
      {why === "asked" || why === "typed" ? (
        <p>
          <Icon of={LoaderCircle} sm className={textStyles.spin} />
          {WAITS[why]}
        </p>
      ) : (
        <p>
          {ENDS[why]}
          <Button small icon={RefreshCw} onClick={onAsk}>
            {t.again}
          </Button>
        </p>
      )}
    </div>
  );
}

function useAskCode(connection: Connection | null) {
  const id = connection?.id;
  const { ask: send, ...state } = useAskConnection("pairing-code", id);
  const asked = useRef(false);
  const [awaited, setAwaited] = useState(true);
  const has = connection?.pairingCode != null;
  useEffect(() => {
    if (has) setAwaited(false);
  }, [has]);
  const ask = useCallback(() => {
    setAwaited(true);
    return send();
  }, [send]);
  useEffect(() => {
    if (id === undefined || asked.current) return;
    // Also if a code exists: it goes once typed, and a second one must not be requested then.
    asked.current = true;
    if (!has) void ask();
  }, [id, has, ask]);
  return { ask, awaited, ...state };
}
