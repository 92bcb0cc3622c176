import { clsx } from "clsx";
import { ChevronDown } from "lucide-react";
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from "react";
import { settingsText } from "../../messages/settings.ts";
import fieldStyles from "../../ui/field.module.css";
import { Field } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./zone-select.module.css";
import { findZones, type ZoneOption, zoneLabel } from "./zones.ts";

const t = settingsText.zone;

type Props = { value: string; error: string | null; onChange: (zone: string) => void };

export function ZoneSelect({ value, error, onChange }: Props) {
  const list = useId();
  const { typed, setTyped, open, setOpen, active, setActive, found } = useSearch(value);
  const { options, more } = found;
  const close = () => {
    setOpen(false);
    setTyped("");
  };
  const pick = (option: ZoneOption | undefined) => {
    if (option) onChange(option.zone);
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event;
    if (key === "ArrowDown" && !open) setOpen(true);
    else if (!open) return;
    else if (key === "Escape") close();
    else if (key === "Enter") pick(options[active]);
    else if (key === "ArrowDown") setActive(Math.min(options.length - 1, active + 1));
    else if (key === "ArrowUp") setActive(Math.max(0, active - 1));
    else return;
    event.preventDefault();
  };
  return (
    <Field label={t.label} hint={t.hint} error={error}>
      {(control) => (
        <span className={fieldStyles.wrap} data-ui="wrap">
          <input
            {...control}
            type="text"
            role="combobox"
            className={fieldStyles.input}
            autoComplete="off"
            spellCheck={false}
            aria-expanded={open}
            aria-controls={list}
            aria-autocomplete="list"
            aria-activedescendant={open && options[active] ? `${list}-${active}` : undefined}
            value={open ? typed : zoneLabel(value)}
            placeholder={zoneLabel(value)}
            onChange={(event) => {
              setTyped(event.target.value);
              setOpen(true);
            }}
            onClick={() => setOpen(true)}
            onBlur={close}
            onKeyDown={onKeyDown}
          />
          <Icon of={ChevronDown} sm className={fieldStyles.end} />
          {open && (
            <Options list={list} options={options} more={more} active={active} value={value} onPick={pick} />
          )}
        </span>
      )}
    </Field>
  );
}

function useSearch(value: string) {
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState("");
  const [active, setActive] = useState(0);
  const found = useMemo(() => (open ? findZones(typed) : { options: [], more: false }), [open, typed]);
  useEffect(() => {
    const present = found.options.findIndex(({ zone }) => zone === value);
    setActive(typed === "" ? Math.max(0, present) : 0);
  }, [found, typed, value]);
  return { open, setOpen, typed, setTyped, active, setActive, found };
}

type ListProps = {
  list: string;
  options: readonly ZoneOption[];
  more: boolean;
  active: number;
  value: string;
  onPick: (option: ZoneOption) => void;
};

function Options({ list, options, more, active, value, onPick }: ListProps) {
  const box = useRef<HTMLDivElement>(null);
  const id = options[active]?.zone;
  useEffect(() => {
    if (id) box.current?.querySelector("[data-active=true]")?.scrollIntoView({ block: "nearest" });
  }, [id]);
  return (
    <div className={styles.zoneList}>
      <div ref={box} role="listbox" id={list} aria-label={t.label} className={styles.zoneOptions}>
        {options.map((option, place) => (
          <div key={option.zone} className={layoutStyles.contents} role="presentation">
            {option.brazil !== options[place - 1]?.brazil && (
              <p className={clsx(textStyles.kicker, styles.zoneGroup)} role="presentation">
                {option.brazil ? t.brazil : t.others}
              </p>
            )}
            <button
              type="button"
              role="option"
              id={`${list}-${place}`}
              tabIndex={-1}
              className={styles.zoneOption}
              aria-selected={option.zone === value}
              data-active={place === active}
              // Keeps the focus in the field, or the list closes before the click.
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => onPick(option)}
            >
              <b>{option.name}</b>
              <span>{option.detail}</span>
            </button>
          </div>
        ))}
      </div>
      <p className={clsx(textStyles.quiet, styles.zoneNote)} role="status">
        {options.length === 0 ? (
          t.none
        ) : more ? (
          t.more
        ) : (
          <span className={layoutStyles.srOnly}>{t.found(options.length)}</span>
        )}
      </p>
    </div>
  );
}
