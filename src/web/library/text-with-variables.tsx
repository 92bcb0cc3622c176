import { clsx } from "clsx";
import { Plus } from "lucide-react";
import type { ComponentProps, ReactNode, RefObject } from "react";
import { markOf } from "../../domain/variables.ts";
import { formatNumber } from "../messages/format.ts";
import { libraryText } from "../messages/library.ts";
import { Button, buttonClass } from "../ui/button.tsx";
import { Icon } from "../ui/icon.tsx";
import { TextArea } from "../ui/inputs.tsx";
import layoutStyles from "../ui/layout.module.css";
import { Menu } from "../ui/menu.tsx";
import textStyles from "../ui/text.module.css";
import styles from "./text-with-variables.module.css";
import type { Known } from "./use-known.ts";

const t = libraryText.write;
const MARKS = ["{nome}", "{primeiro_nome}"] as const;

type Props = {
  field: ComponentProps<typeof TextArea>;
  area: RefObject<HTMLTextAreaElement | null>;
  insert: (part: string) => void;
  known: readonly Known[];
  length: number;
  most: number;
  children?: ReactNode;
};

export function TextWithVariables({ field, area, insert, known, length, most, children }: Props) {
  return (
    <div className={layoutStyles.stack2}>
      <TextArea ref={area} {...field} />
      <div className={styles.underText}>
        <div className={clsx(layoutStyles.cluster, styles.insert)}>
          {MARKS.map((mark) => (
            <Button key={mark} small icon={Plus} onClick={() => insert(mark)}>
              {t.insert(mark)}
            </Button>
          ))}
          <Menu
            label={t.insertField}
            returnTo={area}
            trigger={
              <button type="button" className={buttonClass(true)} data-ui="btn" data-look="secondary">
                <Icon of={Plus} sm />
                {t.insertField}
              </button>
            }
            entries={known.map(({ key, label }) => ({
              label: `${label} ${markOf(key)}`,
              icon: Plus,
              onSelect: () => insert(markOf(key)),
            }))}
          />
          {children}
        </div>
        <span className={clsx(textStyles.fact, styles.counter, length > most && styles.over)}>
          {t.characters(formatNumber(length), formatNumber(most))}
        </span>
      </div>
    </div>
  );
}
