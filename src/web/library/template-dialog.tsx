import { useQueryClient } from "@tanstack/react-query";
import { clsx } from "clsx";
import { useRef, useState } from "react";
import type { MessageTemplate } from "../../contract/library.ts";
import { TEMPLATE_NAME_MAX } from "../../domain/message-template.ts";
import { codePoints, isBlank, normalizeText, renderMessage, TEXT_MAX } from "../../domain/message-text.ts";
import { errorTextOf } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { useIdempotentSubmit } from "../api/use-idempotent-submit.ts";
import { formatNumber } from "../messages/format.ts";
import { libraryText } from "../messages/library.ts";
import bubbleStyles from "../ui/bubble.module.css";
import { SmallError } from "../ui/error-notice.tsx";
import fieldStyles from "../ui/field.module.css";
import { FormDialog } from "../ui/form-dialog.tsx";
import { TextInput } from "../ui/inputs.tsx";
import layoutStyles from "../ui/layout.module.css";
import textStyles from "../ui/text.module.css";
import { toastDone } from "../ui/toast.tsx";
import { useWindowForm } from "../ui/use-window-form.ts";
import { WhatsappText } from "../ui/whatsapp-text.tsx";
import styles from "./library.module.css";
import { TextWithVariables } from "./text-with-variables.tsx";
import { useInsertion } from "./use-insertion.ts";
import { useKnown } from "./use-known.ts";

const t = libraryText.form;

type Values = { name: string; text: string };
type Props = {
  template: MessageTemplate | null;
  initial?: Values;
  onClose: () => void;
};

const EMPTY: Values = { name: "", text: "" };

export function TemplateDialog({ template, initial, onClose }: Props) {
  const [start] = useState(() => (template ? { name: template.name, text: template.text } : initial));
  const form = useTemplateForm(template, start ?? EMPTY, onClose);
  const area = useRef<HTMLTextAreaElement>(null);
  const { text } = form.values;
  const insert = useInsertion(area, text, (changed) => form.set("text", changed));
  return (
    <FormDialog
      title={template ? t.edit : t.add}
      context={t.context}
      size="wide"
      form={form}
      verb={t.save}
      busyText={t.saving}
      onClose={onClose}
    >
      {form.submitError !== null && <SmallError title={t.failed} text={errorTextOf(form.submitError, "")} />}
      <div className={styles.both}>
        <div className={layoutStyles.stack4}>
          <TextInput
            label={t.name}
            placeholder={t.namePlaceholder}
            autoComplete="off"
            {...form.text("name")}
          />
          <TextWithVariables
            area={area}
            insert={insert}
            known={useKnown()}
            length={codePoints(normalizeText(text))}
            most={TEXT_MAX}
            field={{
              label: t.text,
              ...form.text("text"),
              rows: 7,
              placeholder: t.textPlaceholder,
              hint: t.textHint,
            }}
          />
        </div>
        <Preview text={text} />
      </div>
    </FormDialog>
  );
}

const scrolling = { tabIndex: 0 };

function Preview({ text }: { text: string }) {
  const said = renderMessage(normalizeText(text), t.person, "");
  return (
    <div>
      <p className={clsx(fieldStyles.fieldLabel, styles.label)}>{t.preview}</p>
      <section
        className={clsx(layoutStyles.ringInside, layoutStyles.column, styles.wall)}
        {...scrolling}
        aria-label={t.preview}
      >
        {isBlank(said) ? (
          <p className={clsx(textStyles.quiet, styles.nothing)}>{t.previewEmpty}</p>
        ) : (
          <div className={clsx(bubbleStyles.bubble, bubbleStyles.mine)} data-ui="bubble">
            <div className={bubbleStyles.said} data-ui="said">
              <WhatsappText text={said} />
            </div>
          </div>
        )}
      </section>
    </div>
  );
}

function useTemplateForm(template: MessageTemplate | null, initial: Values, onSaved: () => void) {
  const queries = useQueryClient();
  const once = useIdempotentSubmit();
  return useWindowForm(`template ${template?.id ?? "new"}`, {
    initial,
    validate: ({ name, text }) => ({
      name: lineError(name, TEMPLATE_NAME_MAX),
      text: lineError(normalizeText(text), TEXT_MAX),
    }),
    submit: async (body) => {
      const saved = template
        ? await api("PUT /api/message-templates/{id}", { params: { id: template.id }, body })
        : await once(body, (idempotencyKey) =>
            api("POST /api/message-templates", { body: { ...body, idempotencyKey } }),
          );
      await queries.invalidateQueries({ queryKey: ["templates"] });
      toastDone(t.saved(saved.name));
      onSaved();
    },
  });
}

function lineError(text: string, most: number): string | null {
  if (isBlank(text)) return t.required;
  return codePoints(text) > most ? t.tooLong(formatNumber(most)) : null;
}
