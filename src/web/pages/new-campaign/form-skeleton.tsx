import { clsx } from "clsx";
import cardStyles from "../../ui/card.module.css";
import layoutStyles from "../../ui/layout.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import styles from "./new-campaign.module.css";

export function FormSkeleton() {
  return (
    <Skeleton className={styles.compose}>
      <div className={layoutStyles.stack4}>
        {[112, 320, 240].map((height) => (
          <div key={height} className={clsx(cardStyles.card, cardStyles.section)}>
            <Bone width="30%" height="14px" />
            <Bone height={`${height - 60}px`} />
          </div>
        ))}
      </div>
      <div className={clsx(cardStyles.card, layoutStyles.column, styles.preview)}>
        <div className={cardStyles.cardHead} data-ui="card-head">
          <Bone width="45%" />
        </div>
        <div className={clsx(layoutStyles.column, styles.wall)} />
      </div>
    </Skeleton>
  );
}
