import { useInfiniteQuery } from "@tanstack/react-query";
import { Megaphone, MessageCircle } from "lucide-react";
import type { PersonEvent } from "../../../contract/people.ts";
import { useMe } from "../../api/me.ts";
import { historyQuery } from "../../api/people.ts";
import { formatNear } from "../../messages/format.ts";
import { personText as t } from "../../messages/people.ts";
import cardStyles from "../../ui/card.module.css";
import { DeliveryBadge } from "../../ui/delivery-badge.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { MoreButton } from "../../ui/more-button.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import textStyles from "../../ui/text.module.css";
import { TextLink } from "../../ui/text-link.tsx";
import styles from "./person-page.module.css";

export function PersonHistory({ id }: { id: number }) {
  const query = useInfiniteQuery(historyQuery(id));
  const events = query.data?.pages.flatMap(({ items }) => items) ?? [];
  const campaigns = query.data?.pages[0]?.campaigns;
  return (
    <section className={cardStyles.card} aria-label={t.history}>
      <header className={cardStyles.cardHead}>
        <div>
          <h2 className={cardStyles.cardTitle}>{t.history}</h2>
          <p className={textStyles.fact}>
            {campaigns === undefined ? <>&nbsp;</> : t.historyCount(campaigns)}
          </p>
        </div>
      </header>
      <div className={styles.inside}>
        {query.error && !query.data ? (
          <QueryError title={t.historyFailed} query={query} />
        ) : query.isPending ? (
          <Skeleton className={layoutStyles.stack3}>
            <Bone width="70%" />
            <Bone width="55%" />
          </Skeleton>
        ) : events.length === 0 ? (
          <p className={textStyles.muted}>{t.noHistory}</p>
        ) : (
          <ol className={styles.events}>
            {events.map((event) => (
              <Event key={keyOf(event)} event={event} />
            ))}
          </ol>
        )}
        <MoreButton
          query={query}
          small
          failed={t.historyFailed}
          label={t.historyMore}
          className={layoutStyles.top3}
        />
      </div>
    </section>
  );
}

const keyOf = (event: PersonEvent) =>
  event.kind === "campaign" ? `campaign ${event.campaignId}` : `reply ${event.at} ${event.text}`;

function Event({ event }: { event: PersonEvent }) {
  const { timeZone } = useMe();
  return (
    <li>
      <span className={styles.mark}>
        <Icon of={event.kind === "campaign" ? Megaphone : MessageCircle} sm />
      </span>
      <div>
        <div className={styles.eventHead}>
          {event.kind === "campaign" ? (
            <>
              <TextLink to="/campaigns" search={{ detalhes: event.campaignId }} preload={false}>
                {event.campaignName}
              </TextLink>
              <DeliveryBadge status={event.status} reason={event.reason} />
              {event.messages && event.messages.sent > 0 && event.messages.sent < event.messages.all && (
                <span className={textStyles.fact}>
                  {t.messagesSent(event.messages.sent, event.messages.all)}
                </span>
              )}
            </>
          ) : (
            <TextLink
              to="/chat"
              search={{ conexao: event.connectionId, conversa: event.chatId }}
              preload={false}
            >
              {t.reply}
            </TextLink>
          )}
          <time dateTime={event.at}>{formatNear(event.at, timeZone)}</time>
        </div>
        {event.kind === "reply" && <blockquote>{event.text ?? t.noText}</blockquote>}
      </div>
    </li>
  );
}
