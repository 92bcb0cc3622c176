import { clsx } from "clsx";
import { CalendarDays } from "lucide-react";
import { type ComponentProps, useRef, useState } from "react";
import { readDay, readTime, writtenDay } from "../../lib/typed-day.ts";
import { zoneName } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import buttonStyles from "../../ui/button.module.css";
import fieldStyles from "../../ui/field.module.css";
import { Icon } from "../../ui/icon.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import styles from "./new-campaign.module.css";
import type { CampaignFormState } from "./use-campaign-form.ts";
import { wallNow } from "./wall-time.ts";

/** Written as in the page's language; native fields follow the browser's. */
export function WhenFields({ form }: { form: CampaignFormState }) {
  const { zone } = form;
  const name = zoneName(zone);
  const elsewhere = zoneName(Intl.DateTimeFormat().resolvedOptions().timeZone) !== name;
  return (
    <div className={clsx(fieldStyles.row2, fieldStyles.keep)} data-ui="row2">
      <WrittenInput
        {...form.text("date")}
        label={t.date}
        placeholder={t.datePlaceholder}
        read={readDay}
        write={writtenDay}
        onValue={(day) => form.set("date", day)}
        within={<Calendar form={form} />}
      />
      <WrittenInput
        {...form.text("time")}
        label={t.time}
        placeholder={t.timePlaceholder}
        read={readTime}
        onValue={(time) => form.set("time", time)}
        hint={elsewhere ? t.otherZone(name) : name}
      />
    </div>
  );
}

type Props = Omit<ComponentProps<typeof TextInput>, "value" | "onChange"> & {
  value: string;
  /** Normalized, or null if invalid. */
  read: (typed: string) => string | null;
  write?: (value: string) => string;
  /** Invalid text is passed on as typed, to be reported and not lost. */
  onValue: (value: string) => void;
};

function WrittenInput({ value, read, write = (kept) => kept, onValue, onBlur, ...rest }: Props) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <TextInput
      {...rest}
      data-ui="num"
      autoComplete="off"
      maxLength={20}
      value={typed ?? write(value)}
      onChange={({ target }) => {
        setTyped(target.value);
        onValue(read(target.value) ?? target.value.trim());
      }}
      onBlur={(event) => {
        setTyped(null);
        onBlur?.(event);
      }}
    />
  );
}

function Calendar({ form }: { form: CampaignFormState }) {
  const picker = useRef<HTMLInputElement>(null);
  const { date } = form.values;
  return (
    <>
      <input
        ref={picker}
        type="date"
        className={styles.picker}
        tabIndex={-1}
        aria-hidden="true"
        value={readDay(date) === date ? date : ""}
        min={wallNow(form.zone, new Date()).date}
        max="9999-12-31"
        onChange={({ target }) => form.set("date", target.value)}
      />
      <button
        type="button"
        className={clsx(buttonStyles.btn, buttonStyles.onlyIcon, fieldStyles.within)}
        data-ui="btn"
        data-look="ghost"
        aria-label={t.calendar}
        onClick={() => picker.current?.showPicker()}
      >
        <Icon of={CalendarDays} />
      </button>
    </>
  );
}
