import { clsx } from "clsx";
import { MessageCircle, SearchX } from "lucide-react";
import { chatText as t } from "../../messages/chat.ts";
import emptyStateStyles from "../../ui/empty-state.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import chatStyles from "./chat.module.css";
import { MessagesSkeleton } from "./chat-skeletons.tsx";
import messageLogStyles from "./message-log.module.css";
import type { useChosen } from "./use-chosen.ts";

export function NothingChosen({ chosen }: { chosen: ReturnType<typeof useChosen> }) {
  const { address, chatQuery, gone } = chosen;
  return (
    <section
      className={clsx(layoutStyles.column, chatStyles.talk)}
      data-ui="talk"
      aria-label={t.messages.label}
    >
      <div className={messageLogStyles.nothing}>
        {address.conversa === undefined ? (
          <div className={emptyStateStyles.blank} data-ui="blank">
            <span className={emptyStateStyles.ico}>
              <Icon of={MessageCircle} />
            </span>
            <h2>{t.none}</h2>
            <p>{t.noneText}</p>
          </div>
        ) : gone ? (
          <div className={emptyStateStyles.blank} data-ui="blank">
            <span className={emptyStateStyles.ico}>
              <Icon of={SearchX} />
            </span>
            <h2>{t.gone}</h2>
            <p>{t.goneText}</p>
          </div>
        ) : chatQuery.isError ? (
          <div className={layoutStyles.pad6}>
            <QueryError title={t.failed} query={chatQuery} />
          </div>
        ) : (
          <MessagesSkeleton />
        )}
      </div>
    </section>
  );
}
