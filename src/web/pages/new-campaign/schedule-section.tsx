import { Clock } from "lucide-react";
import type { PlanForecast } from "../../../contract/audiences.ts";
import { dayIn, longDay } from "../../lib/calendar-day.ts";
import { dayBarsText } from "../../messages/day-bars.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { SectionCard } from "../../ui/card.tsx";
import { DayBars } from "../../ui/day-bars.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import noticeStyles from "../../ui/notice.module.css";
import { Notice } from "../../ui/notice.tsx";
import { RadioCards } from "../../ui/radio-cards.tsx";
import type { CampaignForm } from "./form.ts";
import type { CountedAudience } from "./use-audience-count.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { useEstimate } from "./use-estimate.ts";
import { WhenFields } from "./when-fields.tsx";

const RECOMMENDED_S = 60;

type Props = { form: CampaignFormState; audience: CountedAudience };

export function ScheduleSection({ form, audience }: Props) {
  const { when, intervalS } = form.values;
  const estimate = useEstimate(form, audience);
  return (
    <SectionCard title={t.schedule}>
      <RadioCards
        legend={t.when}
        hiddenLegend
        value={when}
        onChange={(next) => form.set("when", next)}
        choices={[
          { value: "now", name: t.now, explained: t.nowText },
          { value: "at", name: t.at, explained: t.atText },
        ]}
      />
      {when === "at" && <WhenFields form={form} />}
      <div className={fieldStyles.row2} data-ui="row2">
        <TextInput
          label={t.interval}
          {...form.text("intervalS")}
          data-ui="num"
          inputMode="numeric"
          autoComplete="off"
          suffix={t.seconds}
          hint={isShort(intervalS) ? t.intervalRecommended : t.intervalHint}
        />
        <TextInput
          label={t.extra}
          optional
          {...form.text("extraS")}
          data-ui="num"
          inputMode="numeric"
          autoComplete="off"
          suffix={t.seconds}
          hint={t.extraHint}
        />
      </div>
      <PaceWarning intervalS={intervalS} />
      {estimate && (
        <div className={noticeStyles.notice} data-ui="notice num" data-tone="info">
          <Icon of={Clock} />
          <p>
            <strong>{estimate.fact}</strong> {estimate.course} {estimate.shorter}
          </p>
        </div>
      )}
      {estimate?.forecast && <PlannedDays forecast={estimate.forecast} zone={form.zone} />}
    </SectionCard>
  );
}

/** A single day needs no picture. */
function PlannedDays({ forecast: { days }, zone }: { forecast: PlanForecast; zone: string }) {
  if (days.length < 2) return null;
  return (
    <DayBars
      label={dayBarsText.perDay}
      today={dayIn(zone, new Date())}
      keep="first"
      keys={{ filled: t.plan.planned, limit: t.plan.limit }}
      bars={days.map(({ day, warm, cold, budget }) => ({
        day,
        filled: warm + cold,
        limit: budget,
        said: dayBarsText.messages(longDay(day), warm, cold),
      }))}
    />
  );
}

const isShort = (typed: string) => /^\s*\d+\s*$/.test(typed) && Number(typed) < RECOMMENDED_S;

function PaceWarning({ intervalS }: Pick<CampaignForm, "intervalS">) {
  if (!isShort(intervalS)) return null;
  return (
    <Notice tone="warning">
      <span role="status">{Number(intervalS) === 0 ? t.intervalZero : t.intervalShort}</span>
    </Notice>
  );
}
