import { useId } from "react";
import type { PlanForecast } from "../../../contract/audiences.ts";
import { BREAKER_LIMITS, CANARY_ABOVE, CANARY_PEOPLE, CANARY_WAIT_MS } from "../../../domain/breaker.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { Notice } from "../../ui/notice.tsx";

const MINUTES = CANARY_WAIT_MS / 60_000;

/** What WhatsApp may do. `forecast` null: the number has no plan, so new conversations are not known. */
export function Risk({ forecast }: { forecast: PlanForecast | null }) {
  const heading = useId();
  const cold = forecast?.people.cold ?? null;
  return (
    <section aria-labelledby={heading}>
      <h3 id={heading}>{t.risk}</h3>
      <Notice tone="info">
        {cold === null ? t.riskUnplanned : cold === 0 ? t.riskNone : t.riskCold(cold)}
        {cold !== null && cold > CANARY_ABOVE && (
          <> {t.riskCanary(CANARY_PEOPLE, 100 - BREAKER_LIMITS.undelivered, MINUTES)}</>
        )}
      </Notice>
    </section>
  );
}
