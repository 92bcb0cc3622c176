import { Notice } from "../components/notice.tsx";
import { diskText as t } from "../messages/disk.ts";

/** Stands above every screen while the disk is nearly full. */
export function DiskNotice() {
  return (
    <section className="restored" aria-label={t.label}>
      <Notice tone="warning">
        <p>
          <strong>{t.fact}</strong>
        </p>
        <p className="mt-1">{t.after}</p>
        <p className="mt-1">{t.next}</p>
      </Notice>
    </section>
  );
}
