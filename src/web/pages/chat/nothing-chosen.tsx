import { MessageCircle, SearchX } from "lucide-react";
import { chatText as t } from "../../messages/chat.ts";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import { MessagesSkeleton } from "./chat-skeletons.tsx";
import type { useChosen } from "./use-chosen.ts";

export function NothingChosen({ chosen }: { chosen: ReturnType<typeof useChosen> }) {
  const { address, chatQuery, gone } = chosen;
  return (
    <section className="talk" aria-label={t.messages.label}>
      <div className="nothing">
        {address.conversa === undefined ? (
          <div className="blank">
            <span className="ico">
              <Icon of={MessageCircle} />
            </span>
            <h2>{t.none}</h2>
            <p>{t.noneText}</p>
          </div>
        ) : gone ? (
          <div className="blank">
            <span className="ico">
              <Icon of={SearchX} />
            </span>
            <h2>{t.gone}</h2>
            <p>{t.goneText}</p>
          </div>
        ) : chatQuery.isError ? (
          <div className="p-6">
            <QueryError title={t.failed} query={chatQuery} />
          </div>
        ) : (
          <MessagesSkeleton />
        )}
      </div>
    </section>
  );
}
