import { clsx } from "clsx";
import cardStyles from "../../ui/card.module.css";
import { Bone, Skeleton } from "../../ui/skeleton.tsx";
import statStyles from "../../ui/stat.module.css";
import styles from "./dashboard.module.css";

export function DashboardSkeleton() {
  return (
    <Skeleton>
      <div className={styles.stats}>
        {[1, 2, 3, 4].map((each) => (
          <div key={each} className={clsx(cardStyles.card, statStyles.stat)}>
            <Bone width="55%" style={{ marginTop: 3 }} />
            <Bone width="45%" height="26px" style={{ marginTop: 14 }} />
            <Bone width="60%" style={{ marginTop: 14 }} />
          </div>
        ))}
      </div>
      <div className={styles.dash}>
        <div className={clsx(cardStyles.card, cardStyles.pad)} style={{ height: 378 }}>
          <Bone width="30%" />
          <Bone height="260px" style={{ marginTop: 36 }} />
        </div>
        <div className={clsx(cardStyles.card, cardStyles.pad)}>
          <Bone width="55%" />
          {[1, 2, 3, 4, 5, 6].map((each) => (
            <Bone key={each} height="6px" style={{ marginTop: 40 }} />
          ))}
        </div>
      </div>
      <div className={styles.dash}>
        <div className={clsx(cardStyles.card, cardStyles.pad)} style={{ height: 340 }}>
          <Bone width="30%" />
          {[1, 2, 3, 4, 5].map((each) => (
            <Bone key={each} style={{ marginTop: 38 }} />
          ))}
        </div>
        <div className={clsx(cardStyles.card, cardStyles.pad)}>
          <Bone width="45%" />
          <Bone width="176px" height="176px" style={{ margin: "28px auto", borderRadius: "50%" }} />
        </div>
      </div>
    </Skeleton>
  );
}
