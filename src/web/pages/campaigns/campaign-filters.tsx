import { clsx } from "clsx";
import { type ReactNode, useState } from "react";
import { DISPLAY_STATUSES, type DisplayStatus } from "../../../domain/campaign.ts";
import { useMe } from "../../api/me.ts";
import { useToday } from "../../api/use-today.ts";
import { dayIn, daysBefore } from "../../lib/calendar-day.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { type CampaignsAddress, dayOf } from "../../routes/campaigns.ts";
import fieldStyles from "../../ui/field.module.css";
import { Select, TextInput } from "../../ui/inputs.tsx";
import pageStyles from "../../ui/page.module.css";
import { SearchBox } from "../../ui/search-box.tsx";
import { useDebouncedInput } from "../../ui/use-debounced-input.ts";
import campaignsStyles from "./campaigns.module.css";
import foundFiguresStyles from "./found-figures.module.css";
import type { useCampaigns } from "./use-campaigns.ts";

const FILTER: readonly DisplayStatus[] = [
  "draft",
  "scheduled",
  "sending",
  "completed",
  ...DISPLAY_STATUSES.filter((each) => !["draft", "scheduled", "sending", "completed"].includes(each)),
];

const ARCHIVED = "archived";

type List = ReturnType<typeof useCampaigns>;

export function CampaignFilters({ list, children }: { list: List; children: ReactNode }) {
  const { address, ask } = list;
  return (
    <div
      className={clsx(pageStyles.toolbar, campaignsStyles.campsFilters, foundFiguresStyles.campsFilters)}
      data-ui="toolbar"
    >
      <SearchBox
        label={t.search}
        placeholder={t.searchPlaceholder}
        value={address.busca ?? ""}
        onChange={(words) => ask({ busca: words || undefined })}
      />
      <div className={fieldStyles.wrap} data-ui="wrap">
        <Select
          label={t.filter}
          hiddenLabel
          value={address.arquivadas ? ARCHIVED : (address.filtro ?? "")}
          onChange={({ target: { value } }) =>
            ask({
              filtro: FILTER.find((each) => each === value),
              arquivadas: value === ARCHIVED || undefined,
            })
          }
          options={[
            { value: "", label: t.all },
            ...FILTER.map((each) => ({ value: each, label: t.status[each] })),
            { value: ARCHIVED, label: t.archived },
          ]}
        />
      </div>
      <Period list={list} />
      {children}
    </div>
  );
}

const SPANS = ["1", "7", "30", "90"] as const;

function spanOf({ de, ate }: Pick<CampaignsAddress, "de" | "ate">, today: string): string {
  if (!de && !ate) return "";
  const span = ate === today && SPANS.find((each) => de === daysBefore(today, Number(each) - 1));
  return span || "own";
}

function Period({ list: { address, ask } }: { list: List }) {
  const { timeZone } = useMe();
  const today = dayIn(timeZone, useToday(timeZone));
  const [choosing, setChoosing] = useState(false);
  const { de, ate } = address;
  const named = spanOf({ ...(de ? { de } : {}), ...(ate ? { ate } : {}) }, today);
  const shown = choosing ? "own" : named;
  const choose = (value: string) => {
    setChoosing(value === "own");
    if (value === "own") return;
    const span = Number(value);
    ask(span ? { de: daysBefore(today, span - 1), ate: today } : { de: undefined, ate: undefined });
  };
  return (
    <>
      <div className={fieldStyles.wrap} data-ui="wrap">
        <Select
          label={t.period}
          hiddenLabel
          value={shown}
          onChange={({ target }) => choose(target.value)}
          options={[
            { value: "", label: t.anyDay },
            ...SPANS.map((span) => ({ value: span, label: t.spans[span] })),
            { value: "own", label: t.ownDays },
          ]}
        />
      </div>
      {shown === "own" && (
        <div className={foundFiguresStyles.campsDays}>
          <DayInput label={t.from} value={de} most={ate} onChange={(day) => ask({ de: day })} />
          <DayInput label={t.to} value={ate} least={de} onChange={(day) => ask({ ate: day })} />
        </div>
      )}
    </>
  );
}

type DayProps = {
  label: string;
  value: string | undefined;
  least?: string | undefined;
  most?: string | undefined;
  onChange: (day: string | undefined) => void;
};

function DayInput({ label, value = "", least, most, onChange }: DayProps) {
  const { text, setText, say } = useDebouncedInput(value, (day) => onChange(dayOf(day)));
  const otherEnd = (day: string) => [least && day < least && least, most && day > most && most].find(Boolean);
  return (
    <TextInput
      type="date"
      label={label}
      value={text}
      min={least}
      max={most}
      onChange={({ target }) => {
        setText(target.value);
        if (target.value === "" || (dayOf(target.value) && !otherEnd(target.value))) say(target.value);
      }}
      onBlur={() => {
        const other = dayOf(text) && otherEnd(text);
        if (!other) return;
        setText(other);
        onChange(text);
      }}
    />
  );
}
