import { clsx } from "clsx";
import { useMe } from "../../api/me.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { chatText as t } from "../../messages/chat.ts";
import { formatTime } from "../../messages/format.ts";
import type { Outgoing } from "../../session/unsent.ts";
import bubbleStyles from "../../ui/bubble.module.css";
import layoutStyles from "../../ui/layout.module.css";
import textLinkStyles from "../../ui/text-link.module.css";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import styles from "./message-log.module.css";
import { type Enlarge, MessageFile } from "./message-picture.tsx";
import { Quoted } from "./quoted.tsx";
import { Tick } from "./tick.tsx";
import type { Drawing } from "./use-log-scroll.ts";
import type { useSending } from "./use-sending.ts";

type Props = Drawing & {
  outgoing: Outgoing;
  sending: ReturnType<typeof useSending>;
  who: string;
  enlarge: Enlarge;
};

export function OutgoingBubble({ outgoing, sending, who, enlarge, ...drawing }: Props) {
  const { timeZone } = useMe();
  const { key, text, quote, file, at, error, unknown } = outgoing;
  return (
    <article
      className={clsx(bubbleStyles.bubble, bubbleStyles.mine)}
      data-ui="bubble"
      data-key={key}
      {...drawing}
      aria-busy={error === null}
    >
      <h3 className={layoutStyles.srOnly}>{t.messages.you}</h3>
      {quote && <Quoted quoted={quote} who={who} goTo={null} />}
      {file && <MessageFile file={file} caption={text} enlarge={enlarge} />}
      {text !== "" && (
        <div className={bubbleStyles.said} data-ui="said">
          <WhatsappText text={text} />
        </div>
      )}
      <div className={bubbleStyles.stamp} data-ui="stamp">
        <time dateTime={at}>{formatTime(at, timeZone)}</time>
        <Tick status={error === null ? "pending" : "error"} reason={null} />
      </div>
      {error !== null && (
        <div className={clsx(styles.trouble, styles.failed)} role="alert">
          <p>
            {error} {unknown && t.notStoredSafe}
          </p>
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={() => sending.again(outgoing)}
          >
            {t.retry}
          </button>
          <button
            type="button"
            className={textLinkStyles.link}
            data-ui="link"
            onClick={(event) => {
              restoreFocus(event)();
              sending.discard(key);
            }}
          >
            {t.discard}
          </button>
        </div>
      )}
    </article>
  );
}
