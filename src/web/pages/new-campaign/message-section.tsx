import { clsx } from "clsx";
import { Plus } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { LEAVE_HINT, withLeaveHint } from "../../../domain/leave-hint.ts";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, usesName } from "../../../domain/message-text.ts";
import { markOf } from "../../../domain/variables.ts";
import { formatNumber } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { SectionCard } from "../../ui/card.tsx";
import { Checkbox } from "../../ui/checkbox.tsx";
import { Icon } from "../../ui/icon.tsx";
import { TextArea, TextInput } from "../../ui/inputs.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Menu } from "../../ui/menu.tsx";
import textStyles from "../../ui/text.module.css";
import { AttachmentField } from "./attachment-field.tsx";
import styles from "./new-campaign.module.css";
import { PlaceholderNotice } from "./placeholder-notice.tsx";
import type { CampaignFormState } from "./use-campaign-form.ts";
import type { Variables } from "./use-variables.ts";
import { VariableChoices } from "./variable-choices.tsx";

const MARKS = ["{nome}", "{primeiro_nome}"] as const;

type Props = { form: CampaignFormState; variables: Variables };

export function MessageSection({ form, variables }: Props) {
  const area = useRef<HTMLTextAreaElement>(null);
  const cursor = useRef<number | null>(null);
  const { text, attachment, nameFallback, leaveHint } = form.values;
  const length = codePoints(withLeaveHint(normalizeText(text), leaveHint));
  const most = attachment ? CAPTION_MAX : TEXT_MAX;
  // The cursor can be placed only after the text is in the field, and before the next key.
  useLayoutEffect(() => {
    if (cursor.current === null) return;
    area.current?.setSelectionRange(cursor.current, cursor.current);
    cursor.current = null;
  });
  const insert = (mark: string) => {
    const field = area.current;
    if (!field) return;
    field.focus();
    const { selectionStart: start, selectionEnd: end } = field;
    form.set("text", text.slice(0, start) + mark + text.slice(end));
    cursor.current = start + mark.length;
  };
  return (
    <SectionCard title={t.message}>
      <div className={layoutStyles.stack2}>
        <TextArea
          ref={area}
          label={t.text}
          {...form.text("text")}
          rows={5}
          placeholder={t.textPlaceholder}
          hint={t.textHint}
        />
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
              entries={variables.known.map(({ key, label }) => ({
                label: `${label} ${markOf(key)}`,
                icon: Plus,
                onSelect: () => insert(markOf(key)),
              }))}
            />
          </div>
          <span className={clsx(textStyles.fact, styles.counter, length > most && styles.over)}>
            {t.characters(formatNumber(length), formatNumber(most))}
          </span>
        </div>
      </div>
      <PlaceholderNotice
        text={text}
        fields={variables.known.map(({ key }) => markOf(key))}
        onReplace={(replaced) => {
          form.set("text", replaced);
          area.current?.focus();
        }}
      />
      {(usesName(text) || nameFallback !== "") && (
        <TextInput
          label={t.fallback}
          optional
          {...form.text("nameFallback")}
          placeholder={t.fallbackPlaceholder}
          hint={t.fallbackHint}
          autoComplete="off"
        />
      )}
      <VariableChoices form={form} variables={variables} />
      <Checkbox checked={leaveHint} onChange={({ target }) => form.set("leaveHint", target.checked)}>
        {t.leaveHint(LEAVE_HINT)}
      </Checkbox>
      <AttachmentField form={form} />
    </SectionCard>
  );
}
