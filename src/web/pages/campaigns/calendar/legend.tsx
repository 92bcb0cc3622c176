import type { CalendarCampaign, CampaignCalendar } from "../../../../contract/campaign-calendar.ts";
import { calendarText } from "../../../messages/calendar.ts";
import { TextLink } from "../../../ui/text-link.tsx";
import styles from "./calendar.module.css";
import { markedNumbers } from "./day-load.ts";

const t = calendarText.legend;

export function Legend({ calendar }: { calendar: CampaignCalendar }) {
  const { campaigns, conflicts, cut } = calendar;
  const endless = campaigns.flatMap(({ id, name, why }) => (why === null ? [] : { id, name, why }));
  const has = (...statuses: CalendarCampaign["status"][]) =>
    campaigns.some(({ status }) => statuses.includes(status));
  const names = markedNumbers(calendar).map(({ name }) => name);
  return (
    <div className={styles.foot}>
      <p className={styles.legend}>
        {has("completed", "partially_completed", "failed", "cancelled") && <span>{t.over}</span>}
        {has("sending") && <span className={styles.keySending}>{t.sending}</span>}
        {has("scheduled") && <span className={styles.keyScheduled}>{t.scheduled}</span>}
        {has("paused") && <span className={styles.keyPaused}>{t.paused}</span>}
        {conflicts.shared.length > 0 && <span className={styles.keyClash}>{t.clash}</span>}
      </p>
      {names.length > 0 && <p>{t.marks(names)}</p>}
      {endless.length > 0 && (
        <div>
          <h3 id="endless">{calendarText.endless}</h3>
          <ul className={styles.endless} aria-labelledby="endless">
            {endless.map(({ id, name, why }) => (
              <li key={id}>
                <TextLink to="/campaigns" search={{ campanha: id }}>
                  {name}
                </TextLink>
                : {calendarText.why[why]}.
              </li>
            ))}
          </ul>
        </div>
      )}
      {cut && <p>{calendarText.cut}</p>}
    </div>
  );
}
