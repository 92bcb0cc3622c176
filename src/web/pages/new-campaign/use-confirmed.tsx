import { type ReactNode, useRef, useState } from "react";
import { TYPED_ABOVE } from "../../../domain/campaign.ts";
import { findPlaceholders } from "../../../domain/placeholders.ts";
import { markOf } from "../../../domain/variables.ts";
import { formatNumber } from "../../messages/format.ts";
import { lastLookText as t } from "../../messages/last-look.ts";
import { Checkbox } from "../../ui/checkbox.tsx";
import { TextInput } from "../../ui/inputs.tsx";
import noticeStyles from "../../ui/notice.module.css";
import { type CampaignForm, usedVariables } from "./form.ts";
import styles from "./last-look.module.css";
import { PlaceholderList } from "./placeholder-notice.tsx";

/** `check` focuses what is missing. */
type Confirmed<Part extends string> = { check: () => boolean } & Record<Part, ReactNode>;

export function useConfirmedPlaceholders(values: CampaignForm): Confirmed<"box"> {
  const [ticked, setTicked] = useState(false);
  const [missed, setMissed] = useState(false);
  const box = useRef<HTMLInputElement>(null);
  const { text } = values;
  const fields = new Set(usedVariables(values).map(({ key }) => markOf(key)));
  if (findPlaceholders(text, fields).length === 0) return { check: () => true, box: null };
  return {
    check: () => {
      setMissed(!ticked);
      if (!ticked) box.current?.focus();
      return ticked;
    },
    box: (
      <div className={noticeStyles.notice} data-ui="notice" data-tone="warning">
        <div>
          <PlaceholderList text={text} fields={fields} />
          <Checkbox
            ref={box}
            checked={ticked}
            error={missed && !ticked ? t.confirmLiteral : null}
            onChange={({ target }) => setTicked(target.checked)}
          >
            {t.sendLiteral}
          </Checkbox>
        </div>
      </div>
    ),
  };
}

/** A large number of people is typed, so that a wrong list is noticed. Null: not counted. */
export function useTypedTotal(people: number | null): Confirmed<"field"> {
  const [typed, setTyped] = useState("");
  const [missed, setMissed] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  if (people === null || people <= TYPED_ABOVE) return { check: () => true, field: null };
  const isRight = Number(typed.replace(/[\s.,]/g, "")) === people;
  return {
    check: () => {
      setMissed(!isRight);
      if (!isRight) field.current?.focus();
      return isRight;
    },
    field: (
      <TextInput
        ref={field}
        label={t.typeTotal(formatNumber(people))}
        fieldClass={styles.total}
        inputMode="numeric"
        autoComplete="off"
        value={typed}
        error={missed && !isRight ? t.wrongTotal(formatNumber(people)) : null}
        onChange={({ target }) => setTyped(target.value)}
      />
    ),
  };
}
