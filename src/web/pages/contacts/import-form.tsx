import type { ReactNode } from "react";
import { flushSync } from "react-dom";
import type { ImportEncoding } from "../../../contract/contacts.ts";
import { ApiError } from "../../api/api-error.ts";
import { commonText } from "../../messages/common.ts";
import { importText as t } from "../../messages/import.ts";
import { Button } from "../../ui/button.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import fieldStyles from "../../ui/field.module.css";
import { FormDialog } from "../../ui/form-dialog.tsx";
import { Select, TextArea, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { UnknownProgress } from "../../ui/progress-bar.tsx";
import { SegmentedTabs } from "../../ui/segmented-tabs.tsx";
import { FileLink } from "../../ui/text-link.tsx";
import styles from "./contacts.module.css";
import { FilePicker } from "./file-picker.tsx";
import { type Source, useImportForm, type Values } from "./use-import-form.ts";

type ImportError = { code: string; error: string };
type Props = {
  failed: ImportError | null;
  sent: Values;
  onStarted: (id: number, sent: Values) => void;
  onClose: () => void;
};

export function ImportForm({ failed, sent, onStarted, onClose }: Props) {
  const form = useImportForm(sent, onStarted);
  const error =
    form.submitError instanceof ApiError
      ? { code: form.submitError.code, error: form.submitError.text }
      : failed;
  return (
    <FormDialog
      title={t.title}
      context={t.context}
      size="mid"
      onClose={onClose}
      form={form}
      verb={t.button}
      busyText={t.busy}
    >
      {error && !form.busy && (
        <SmallError title={error.code === "import_broken_names" ? t.check : t.failed} text={error.error}>
          {error.code === "import_broken_names" && (
            <Button
              type="submit"
              small
              className={layoutStyles.top2}
              onClick={() => flushSync(() => form.set("acceptBroken", true))}
            >
              {t.anyway}
            </Button>
          )}
        </SmallError>
      )}
      <TextInput label={t.name} autoComplete="off" {...form.text("name")} />
      <SegmentedTabs<Source>
        label={t.source}
        value={form.values.source}
        onChange={(source) => form.set("source", source)}
        tabs={[
          { value: "file", label: t.file, content: <FromFile form={form} error={error} /> },
          { value: "json", label: t.json, content: <FromJson form={form} /> },
        ]}
      />
      {form.busy && (
        <Waiting>
          <UnknownProgress label={t.sending} />
        </Waiting>
      )}
    </FormDialog>
  );
}

type Form = ReturnType<typeof useImportForm>;

function FromFile({ form, error }: { form: Form; error: ImportError | null }) {
  const { file, encoding } = form.values;
  return (
    <>
      <FilePicker
        file={file}
        error={form.error("file")}
        onPick={(picked) => {
          form.set("file", picked);
          form.set("acceptBroken", false);
          form.touch(["file"]);
          // The file name becomes the list name unless one was typed.
          if (form.values.name.trim() === "") form.set("name", picked.name.replace(/\.\w+$/, ""));
        }}
      />
      {(error?.code === "import_unreadable_encoding" ||
        error?.code === "import_broken_names" ||
        encoding !== "") && (
        <Select
          label={t.encoding}
          options={[
            { value: "", label: commonText.none },
            ...Object.entries(t.encodings).map(([value, label]) => ({ value, label })),
          ]}
          value={encoding}
          onChange={(event) => {
            form.set("encoding", event.target.value as ImportEncoding | "");
            form.set("acceptBroken", false);
          }}
        />
      )}
      <p className={fieldStyles.hint} data-ui="hint">
        <FileLink href="/Modelo.csv" download>
          {t.template}
        </FileLink>
      </p>
    </>
  );
}

function FromJson({ form }: { form: Form }) {
  return (
    <TextArea
      label={t.jsonLabel}
      hint={t.jsonHint}
      placeholder={t.jsonExample}
      spellCheck={false}
      className={styles.paste}
      {...form.text("json")}
      onChange={({ target }) => {
        form.set("json", target.value);
        form.set("acceptBroken", false);
      }}
    />
  );
}

function Waiting({ children }: { children: ReactNode }) {
  return (
    <div className={layoutStyles.stack2} role="status">
      <b className={layoutStyles.medium}>{t.sending}</b>
      {children}
      <p className={fieldStyles.hint} data-ui="hint">
        {t.sendingHint}
      </p>
    </div>
  );
}
