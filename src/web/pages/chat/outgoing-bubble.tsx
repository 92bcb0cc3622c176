import { useMe } from "../../api/me.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { chatText as t } from "../../messages/chat.ts";
import { formatTime } from "../../messages/format.ts";
import type { Outgoing } from "../../session/unsent.ts";
import { WhatsappText } from "../../ui/whatsapp-text.tsx";
import { type Enlarge, MessagePicture } from "./message-picture.tsx";
import { Tick } from "./tick.tsx";
import type { useSending } from "./use-sending.ts";

type Props = { outgoing: Outgoing; sending: ReturnType<typeof useSending>; enlarge: Enlarge };

export function OutgoingBubble({ outgoing, sending, enlarge }: Props) {
  const { timeZone } = useMe();
  const { key, text, image, at, fault, unknown } = outgoing;
  return (
    <article className="bubble mine" data-key={key} aria-busy={fault === null}>
      <h3 className="sr-only">{t.messages.you}</h3>
      {image && <MessagePicture id={image.id} caption={text} enlarge={enlarge} />}
      {text !== "" && (
        <div className="said">
          <WhatsappText text={text} />
        </div>
      )}
      <div className="stamp">
        <time dateTime={at}>{formatTime(at, timeZone)}</time>
        <Tick status={fault === null ? "pending" : "error"} reason={null} />
      </div>
      {fault !== null && (
        <div className="trouble failed" role="alert">
          <p>
            {fault} {unknown && t.notStoredSafe}
          </p>
          <button type="button" className="link" onClick={() => sending.again(outgoing)}>
            {t.retry}
          </button>
          <button
            type="button"
            className="link"
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
