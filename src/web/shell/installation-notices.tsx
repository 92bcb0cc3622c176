import type { ReactNode } from "react";
import { useMe } from "../api/me.ts";
import { diskText } from "../messages/disk.ts";
import { formatDateTime } from "../messages/format.ts";
import { idleText } from "../messages/idle.ts";
import { restoredText as t } from "../messages/restored.ts";
import layoutStyles from "../ui/layout.module.css";
import { Notice } from "../ui/notice.tsx";
import styles from "./shell.module.css";
import type { Installation } from "./use-installation.ts";

export function InstallationNotices({ restored, diskLow, idle }: Installation) {
  const { timeZone } = useMe();
  return (
    <>
      {restored && (
        <Said {...t} fact={t.fact(formatDateTime(restored.madeAt, timeZone))}>
          <p className={layoutStyles.top1}>
            {t.command} <code className={styles.command}>npm run restore -- --release</code>
          </p>
        </Said>
      )}
      {idle && <Said {...idleText} />}
      {diskLow && <Said {...diskText} />}
    </>
  );
}

type Words = { label: string; fact: string; after: string; next: string };

function Said({ label, fact, after, next, children }: Words & { children?: ReactNode }) {
  return (
    <section className={styles.installationNotice} aria-label={label}>
      <Notice tone="warning">
        <p>
          <strong>{fact}</strong>
        </p>
        <p className={layoutStyles.top1}>{after}</p>
        <p className={layoutStyles.top1}>{next}</p>
        {children}
      </Notice>
    </section>
  );
}
