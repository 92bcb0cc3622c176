import { Link } from "@tanstack/react-router";
import { ChevronLeft, ChevronRight } from "lucide-react";
import type { Dashboard } from "../../../contract/dashboard.ts";
import { dashboardText as t } from "../../messages/dashboard.ts";
import { IconButton } from "../../ui/icon-button.tsx";
import styles from "./day-bar.module.css";
import panelsStyles from "./panels.module.css";
import { onDays } from "./targets.ts";

type Props = {
  day: Dashboard["days"][number];
  name: string;
  place: number;
  last: number;
  setPlace: (place: number) => void;
  campaign: number | undefined;
};

/** At either end the button stays, or its focus would be lost. */
export function DayBar({ day, name, place, last, setPlace, campaign }: Props) {
  return (
    <div className={styles.dayBar} data-ui="day-bar">
      <IconButton
        small
        label={t.dayBefore}
        icon={ChevronLeft}
        aria-disabled={place === 0}
        onClick={() => setPlace(Math.max(0, place - 1))}
      />
      <p>
        <b>{name}</b>{" "}
        <Link className={panelsStyles.countLink} to="/campaigns" search={onDays(day.day, day.day, campaign)}>
          <span>{t.dayAttempts(day.sent)}</span> · <span>{t.daySent(day.delivered)}</span> ·{" "}
          <span>{t.dayDelivered(day.confirmed)}</span>
        </Link>
      </p>
      <IconButton
        small
        label={t.dayAfter}
        icon={ChevronRight}
        aria-disabled={place === last}
        onClick={() => setPlace(Math.min(last, place + 1))}
      />
    </div>
  );
}
