import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import type { ImportDraft } from "../../../contract/import-drafts.ts";
import { fieldsQuery } from "../../api/people.ts";
import { formatBytes } from "../../messages/format.ts";
import { importText as t } from "../../messages/import.ts";
import { ErrorNotice } from "../../ui/error-notice.tsx";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select } from "../../ui/inputs.tsx";
import textStyles from "../../ui/text.module.css";
import styles from "./import.module.css";
import { ImportColumns } from "./import-columns.tsx";
import { Greetings, ImportRows } from "./import-preview.tsx";
import { ImportQuestion } from "./import-question.tsx";
import { ImportSteps } from "./import-steps.tsx";
import { useImportColumns } from "./use-import-columns.ts";

type Props = {
  first: ImportDraft;
  onChosen: (draft: ImportDraft) => void;
  onBack: () => void;
  onClose: () => void;
};

export function ImportColumnsStep({ first, onChosen, onBack, onClose }: Props) {
  const it = useImportColumns(first);
  const { data: fields = [] } = useQuery(fieldsQuery);
  const place = useRef<HTMLFormElement>(null);
  const { draft, open } = it;
  const [wanted, setWanted] = useState(false);
  const next = () => {
    const find = (what: string) => place.current?.querySelector<HTMLElement>(what);
    if (open.length > 0) (find("[data-question] input") ?? find("[data-question]"))?.focus();
    else onChosen(it.isOwn ? { ...draft, everyCell: false } : draft);
  };
  const formProps = {
    ref: place,
    noValidate: true,
    onSubmit: (event: { preventDefault(): void }) => {
      event.preventDefault();
      setWanted(true);
    },
  };
  useEffect(() => {
    if (!wanted || it.busy) return;
    setWanted(false);
    if (it.error === null) next();
  });
  return (
    <FormDialog
      title={t.title}
      context={t.nothingYet}
      size="wide"
      onClose={onClose}
      onBack={onBack}
      form={{ busy: false, unsaved: true, formProps }}
      verb={t.next}
      busyText={t.reading}
      note={open.length > 0 ? t.decisions(open.length) : null}
    >
      <ImportSteps at={1} />
      <Form draft={draft} onChange={it.reread} />
      {it.error !== null && <ErrorNotice title={t.notRead} error={it.error} onRetry={it.retry} />}
      {open.map((question) => (
        <ImportQuestion key={question.code} question={question} it={it} />
      ))}
      <Greetings rows={draft.rows} />
      {draft.everyCell && !it.isOwn ? (
        <p>{t.everyCell}</p>
      ) : (
        <ImportColumns draft={draft} open={open} fields={fields} onChange={it.change} />
      )}
      <ImportRows draft={draft} fields={fields} busy={it.busy} />
    </FormDialog>
  );
}

const HEADER_ROWS = 15;

function Form({
  draft,
  onChange,
}: {
  draft: ImportDraft;
  onChange: ReturnType<typeof useImportColumns>["reread"];
}) {
  const { fileName, bytes, format, encoding, separator, headerRow } = draft;
  const rows = Array.from({ length: Math.max(HEADER_ROWS, headerRow ?? 0) }, (_, at) => at + 1);
  return (
    <section aria-label={t.readAs} className={styles.form}>
      <div className={styles.file}>
        <b className={textStyles.clip}>{fileName ?? t.pastedText}</b>
        <span className={textStyles.fact}>
          {formatBytes(bytes)}, {t.columnCount(draft.columns.length)}
        </span>
      </div>
      {format === "text" && (
        <Select
          label={t.encoding}
          options={Object.entries(t.encodings).map(([value, label]) => ({ value, label }))}
          value={encoding}
          onChange={({ target }) => onChange({ encoding: target.value as ImportDraft["encoding"] })}
        />
      )}
      {format === "text" && (
        <Select
          label={t.separator}
          options={Object.entries(t.separators).map(([value, label]) => ({ value, label }))}
          value={separator}
          onChange={({ target }) => onChange({ separator: target.value as ImportDraft["separator"] })}
        />
      )}
      {format !== "json" && (
        <Select
          label={t.header}
          options={[
            { value: "", label: t.noHeader },
            ...rows.map((row) => ({ value: String(row), label: t.headerRow(row) })),
          ]}
          value={headerRow === null ? "" : String(headerRow)}
          onChange={({ target }) =>
            onChange({ headerRow: target.value === "" ? null : Number(target.value) })
          }
        />
      )}
    </section>
  );
}
