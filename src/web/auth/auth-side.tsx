import { accountsText } from "../messages/accounts.ts";
import { Badge } from "../ui/badge.tsx";
import { ProgressBar } from "../ui/progress-bar.tsx";

const t = accountsText.side;

export function AuthSide() {
  return (
    <aside className="auth-side">
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
    <div className="card sample" aria-hidden="true">
      <div className="sample-line">
        <b>{t.campaign}</b>
        <Badge tone="live">{t.status}</Badge>
      </div>
      <div className="sample-progress">
        <div className="sample-line">
          <span>
            <b>{t.done}</b> {t.of}
          </span>
          <b>{t.percent}</b>
        </div>
        <ProgressBar label={t.campaign} parts={[{ share: 0.49 }]} />
        <div className="sample-line muted">
          <span>{t.pace}</span>
          <span>{t.end}</span>
        </div>
      </div>
      <dl>
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
