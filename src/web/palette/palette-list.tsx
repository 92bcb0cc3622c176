import { clsx } from "clsx";
import { Check } from "lucide-react";
import { paletteText as t } from "../messages/palette.ts";
import { Icon } from "../ui/icon.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import styles from "./palette.module.css";
import { GROUPS, type PaletteOption } from "./palette-options.ts";

type Props = {
  id: string;
  options: readonly PaletteOption[];
  active: PaletteOption | null;
  optionId: (option: PaletteOption) => string;
  busy: boolean;
  onPoint: (option: PaletteOption) => void;
  onRun: (option: PaletteOption) => void;
};

export function PaletteList({ id, options, active, optionId, busy, onPoint, onRun }: Props) {
  return (
    <div role="listbox" id={id} aria-label={t.options} aria-busy={busy} className={layoutStyles.stack2}>
      {GROUPS.map((group) => {
        const lines = options.filter((option) => option.group === group);
        if (lines.length === 0) return null;
        return (
          <fieldset key={group} aria-labelledby={`${id}-${group}`}>
            <p id={`${id}-${group}`} className={clsx(textStyles.kicker, styles.paletteGroup)}>
              {t.groups[group]}
            </p>
            {lines.map((option) => (
              <button
                key={option.id}
                type="button"
                role="option"
                id={optionId(option)}
                tabIndex={-1}
                aria-selected={option.id === active?.id}
                className={clsx(layoutStyles.row3, styles.paletteOption)}
                onPointerMove={() => onPoint(option)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => onRun(option)}
              >
                <Icon of={option.icon} sm />
                <span className={textStyles.clip} data-ui="clip" lang={option.lang}>
                  {option.label}
                </span>
                {option.detail && (
                  <span className={styles.detail} data-ui="num">
                    {option.detail}
                  </span>
                )}
                {option.chosen && <Icon of={Check} sm className={layoutStyles.push} />}
              </button>
            ))}
          </fieldset>
        );
      })}
    </div>
  );
}
