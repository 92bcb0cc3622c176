import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import type { CampaignCalendar, SharedNumber } from "../../../../contract/campaign-calendar.ts";
import { shortDay } from "../../../lib/calendar-day.ts";
import { calendarText } from "../../../messages/calendar.ts";
import { formatNumber } from "../../../messages/format.ts";
import { Badge } from "../../../ui/badge.tsx";
import cardStyles from "../../../ui/card.module.css";
import { Icon } from "../../../ui/icon.tsx";
import { TextLink } from "../../../ui/text-link.tsx";
import styles from "./calendar.module.css";

const t = calendarText.conflicts;

export function Conflicts({ calendar: { conflicts } }: { calendar: CampaignCalendar }) {
  const { shared, often } = conflicts;
  const reached = often !== null && often.people > 0;
  const count = shared.length + (reached ? 1 : 0);
  return (
    <section className={cardStyles.card} aria-labelledby="conflicts">
      <div className={cardStyles.cardHead}>
        <h2 className={cardStyles.cardTitle} id="conflicts">
          {t.title}
        </h2>
        {count > 0 && <Badge tone="warning">{formatNumber(count)}</Badge>}
      </div>
      {count === 0 && <p className={styles.inside}>{t.none}</p>}
      {count > 0 && (
        <ul className={styles.conflicts}>
          {shared.map((each) => (
            <Shared key={`${each.connectionId} ${each.from}`} clash={each} />
          ))}
          {reached && <Often often={often} />}
        </ul>
      )}
      <p className={styles.note}>{often === null ? t.tooMany : t.counted}</p>
    </section>
  );
}

function Conflict({ title, links, children }: { title: string; links: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Icon of={TriangleAlert} sm />
      <div>
        <h3>{title}</h3>
        <p>{children}</p>
        <p className={styles.repairs}>{links}</p>
      </div>
    </li>
  );
}

function Shared({ clash: { name, from, to, campaigns } }: { clash: SharedNumber }) {
  const later = campaigns.at(-1);
  const others = campaigns.map((campaign) => campaign.name);
  return (
    <Conflict
      title={t.when(shortDay(from), shortDay(to), name)}
      links={campaigns.map((each) =>
        each.scheduled ? (
          <TextLink key={each.id} to="/campaigns/new" search={{ rascunho: each.id }}>
            {t.change(each.name)}
          </TextLink>
        ) : (
          <TextLink key={each.id} to="/campaigns" search={{ campanha: each.id }}>
            {t.see(each.name)}
          </TextLink>
        ),
      )}
    >
      {t.shared(others)} {later && ofLater(later)}
    </Conflict>
  );
}

function ofLater({ name, alone, together }: SharedNumber["campaigns"][number]): string {
  if (alone === null || together === null) return t.endless(name);
  return alone === together
    ? t.same(name, shortDay(together))
    : t.later(name, shortDay(alone), shortDay(together));
}

function Often({ often }: { often: NonNullable<CampaignCalendar["conflicts"]["often"]> }) {
  const { people, from, to, weeklyLimit } = often;
  return (
    <Conflict
      title={t.often(people)}
      links={
        <TextLink to="/settings" search={{ aba: "geral" }}>
          {t.limit}
        </TextLink>
      }
    >
      {from && to && t.oftenDays(shortDay(from), shortDay(to))}{" "}
      {weeklyLimit !== null && weeklyLimit < 3 && t.keptOut(weeklyLimit)}
    </Conflict>
  );
}
