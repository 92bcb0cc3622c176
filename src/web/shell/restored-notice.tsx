import { useMe } from "../api/me.ts";
import { Notice } from "../components/notice.tsx";
import { formatDateTime } from "../format.ts";
import { restoredText as t } from "../messages/restored.ts";

/** Stands above every screen of a restored copy until its operator has released it. */
export function RestoredNotice({ madeAt }: { madeAt: string }) {
  const { timeZone } = useMe();
  return (
    <section className="restored" aria-label={t.label}>
      <Notice tone="warning">
        <p>
          <strong>{t.fact(formatDateTime(madeAt, timeZone))}</strong>
        </p>
        <p className="mt-1">{t.after}</p>
        <p className="mt-1">{t.next}</p>
        <p className="mt-1">
          {t.command} <code className="font-mono whitespace-nowrap">npm run restore -- --release</code>
        </p>
      </Notice>
    </section>
  );
}
