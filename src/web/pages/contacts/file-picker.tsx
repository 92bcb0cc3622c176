import { clsx } from "clsx";
import { FileSpreadsheet, Upload } from "lucide-react";
import { type DragEvent, type MouseEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { formatBytes } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./contacts.module.css";

type Props = { file: File | null; error: string | null; onPick: (file: File) => void };

export function FilePicker({ file, error, onPick }: Props) {
  const id = useId();
  const input = useRef<HTMLInputElement>(null);
  const [over, setOver] = useState(false);
  const place = useRef<HTMLDivElement>(null);
  const goOn = useRef<ReturnType<typeof restoreFocus>>(null);
  const choose = (event: MouseEvent) => {
    goOn.current = restoreFocus(event);
    input.current?.click();
  };
  useLayoutEffect(() => {
    if (file) goOn.current?.(place.current?.querySelector("button"));
    goOn.current = null;
  }, [file]);
  const drop = (event: DragEvent) => {
    event.preventDefault();
    setOver(false);
    const dropped = event.dataTransfer.files[0];
    if (dropped) onPick(dropped);
  };
  return (
    <div ref={place} className={fieldStyles.field}>
      <input
        ref={input}
        id={id}
        type="file"
        accept=".csv,.txt,.xlsx,.vcf,text/csv,text/plain,text/vcard"
        className={layoutStyles.srOnly}
        tabIndex={-1}
        aria-label={t.file}
        onChange={(event) => {
          const picked = event.target.files?.[0];
          // Lets the corrected file be chosen again.
          if (picked) onPick(picked);
          event.target.value = "";
        }}
      />
      {file ? (
        <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.file)}>
          <Icon of={FileSpreadsheet} />
          <div>
            <b id={`${id}-file`} className={textStyles.clip} data-ui="clip">
              {file.name}
            </b>
            <span className={textStyles.fact}>{formatBytes(file.size)}</span>
          </div>
          <Button small aria-describedby={`${id}-file`} onClick={choose}>
            {t.change}
          </Button>
        </div>
      ) : (
        <section
          aria-label={t.file}
          className={clsx(layoutStyles.stack2, styles.drop, over && styles.over)}
          data-invalid={error ? "" : undefined}
          onDragOver={(event) => {
            event.preventDefault();
            setOver(true);
          }}
          onDragLeave={() => setOver(false)}
          onDrop={drop}
        >
          <Button
            icon={Upload}
            onClick={choose}
            aria-invalid={error ? true : undefined}
            aria-describedby={`${id}-hint`}
          >
            {t.pick}
          </Button>
          <p>{t.drop}</p>
        </section>
      )}
      <Hint id={`${id}-hint`} error={error} />
    </div>
  );
}
