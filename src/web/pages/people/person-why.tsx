import { useQuery } from "@tanstack/react-query";
import { FileText } from "lucide-react";
import { address } from "../../api/call.ts";
import { whyQuery } from "../../api/people.ts";
import { personText as t } from "../../messages/people.ts";
import cardStyles from "../../ui/card.module.css";
import { CopyButton } from "../../ui/copy-button.tsx";
import { QueryError } from "../../ui/error-notice.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { DownloadButton } from "../../ui/link-button.tsx";
import { ScrollRegion } from "../../ui/scroll-region.tsx";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import styles from "./person-page.module.css";

export function PersonWhy({ id }: { id: number }) {
  const query = useQuery(whyQuery(id));
  return (
    <section className={cardStyles.card} aria-label={t.why}>
      <header className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle}>{t.why}</h2>
      </header>
      <div className={styles.inside}>
        {query.data ? (
          <div className={layoutStyles.stack3}>
            <ScrollRegion label={t.whyText} className={styles.why}>
              {query.data.text}
            </ScrollRegion>
            <div className={layoutStyles.cluster}>
              <CopyButton text={query.data.text} />
              <DownloadButton
                small
                icon={FileText}
                download
                href={address("/api/people/{id}/why.html", { params: { id } })}
              >
                {t.whyFile}
              </DownloadButton>
            </div>
          </div>
        ) : query.error ? (
          <QueryError title={t.whyFailed} query={query} />
        ) : (
          <Skeleton className={layoutStyles.stack3}>
            <Bone width="90%" />
            <Bone width="70%" />
          </Skeleton>
        )}
      </div>
    </section>
  );
}
