import { clsx } from "clsx";
import cardStyles from "../../ui/card.module.css";
import countsStyles from "../../ui/counts.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import styles from "./campaigns.module.css";

export function CampaignsSkeleton() {
  return (
    <Skeleton className={clsx(cardStyles.tiles, styles.camps)}>
      {[1, 2, 3, 4, 5, 6].map((each) => (
        <div key={each} className={clsx(cardStyles.card, cardStyles.tile, styles.camp)}>
          <Bone width="55%" height="15px" />
          <Bone width="92%" style={{ marginTop: 16 }} />
          <Bone width="64%" style={{ marginTop: 9 }} />
          <Bone width="48%" style={{ marginTop: 19 }} />
          <div className={clsx(countsStyles.counts, styles.campCounts)}>
            {[1, 2, 3, 4].map((figure) => (
              <div key={figure}>
                <Bone width="55%" height="10px" />
                <Bone width="40%" height="16px" style={{ marginTop: 10, marginBottom: 4 }} />
              </div>
            ))}
          </div>
          <div className={clsx(cardStyles.tileFoot, styles.campFoot)}>
            <Bone width="104px" height="32px" />
            <Bone width="88px" height="32px" />
          </div>
        </div>
      ))}
    </Skeleton>
  );
}
