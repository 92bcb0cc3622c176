import { useQuery } from "@tanstack/react-query";
import { clsx } from "clsx";
import { notificationsQuery } from "../../api/notifications.ts";
import { settingsText } from "../../messages/settings.ts";
import cardStyles from "../../ui/card.module.css";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import { BrowserSection } from "./browser-section.tsx";
import { EmailSection } from "./email-section.tsx";
import { useChoices } from "./use-choices.ts";

const t = settingsText.notifications;

export function NotificationsTab() {
  const query = useQuery(notificationsQuery);
  const choices = useChoices(query.data);
  if (query.isPending)
    return (
      <Skeleton className={layoutStyles.stack4}>
        {[7, 4].map((choices) => (
          <div key={choices} className={clsx(cardStyles.card, cardStyles.section)}>
            <Bone width="30%" />
            <Bone width="60%" />
            {Array.from({ length: choices }, (_, at) => `choice ${at}`).map((choice) => (
              <Bone key={choice} width="100%" height="38px" />
            ))}
          </div>
        ))}
      </Skeleton>
    );
  if (query.isError && !query.data) return <QueryError title={t.failed} query={query} />;
  return (
    <>
      <EmailSection mail={query.data.mail} choices={choices} />
      <BrowserSection choices={choices} />
    </>
  );
}
