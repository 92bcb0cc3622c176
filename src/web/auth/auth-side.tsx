import { clsx } from "clsx";
import { accountsText } from "../messages/accounts.ts";
import { Badge } from "../ui/badge.tsx";
import cardStyles from "../ui/card.module.css";
import countsStyles from "../ui/counts.module.css";
import layoutStyles from "../ui/layout.module.css";
import { ProgressBar } from "../ui/progress-bar.tsx";
import styles from "./auth.module.css";

const t = accountsText.side;

export function AuthSide() {
  return (
    <aside className={styles.authSide} data-ui="auth-side">
      <div>
        <div>
          <h2>{t.title}</h2>
          <p>{t.text}</p>
        </div>
        <Sample />
      </div>
    </aside>
  );
}

function Sample() {
  return (
    <div className={clsx(cardStyles.card, styles.sample)} aria-hidden="true">
      <div className={clsx(layoutStyles.ends, styles.sampleLine)}>
        <strong>{t.campaign}</strong>
        <Badge tone="live">{t.status}</Badge>
      </div>
      <div className={styles.sampleProgress}>
        <div className={clsx(layoutStyles.ends, styles.sampleLine)}>
          <span>
            <strong>{t.done}</strong> {t.of}
          </span>
          <strong>{t.percent}</strong>
        </div>
        <ProgressBar label={t.campaign} parts={[{ share: 0.49 }]} />
        <div className={clsx(layoutStyles.ends, styles.sampleLine, styles.muted)}>
          <span>{t.pace}</span>
          <span>{t.end}</span>
        </div>
      </div>
      <dl className={countsStyles.counts}>
        {t.counts.map(([name, figure]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{figure}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
