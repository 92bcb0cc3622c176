import { clsx } from "clsx";
import { useEffect } from "react";
import type { MessageTemplate } from "../../../contract/library.ts";
import { templateChoiceText as t } from "../../messages/template-choice.ts";
import { AttachmentLine } from "../../ui/attachment-line.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import { WhatsappExcerpt } from "../../ui/whatsapp-text.tsx";
import styles from "./suggestions.module.css";
import type { useSuggestions } from "./use-suggestions.ts";

export const optionId = (list: string, { id }: MessageTemplate) => `${list}-${id}`;

type Props = {
  id: string;
  suggestions: ReturnType<typeof useSuggestions>;
  onChoose: (template: MessageTemplate) => void;
};

export function Suggestions({ id, suggestions, onChoose }: Props) {
  const { options, active, waits, failed, point } = suggestions;
  const shown = active && optionId(id, active);
  useEffect(() => {
    if (shown) document.getElementById(shown)?.scrollIntoView({ block: "nearest" });
  }, [shown]);
  return (
    <div className={styles.suggestions}>
      <div role="listbox" id={id} aria-label={t.list} aria-busy={waits} className={styles.list}>
        {options.map((template) => (
          <button
            key={template.id}
            type="button"
            role="option"
            id={optionId(id, template)}
            tabIndex={-1}
            aria-selected={template.id === active?.id}
            onPointerMove={() => point(template.id)}
            onMouseDown={(event) => event.preventDefault()}
            onClick={() => onChoose(template)}
          >
            <b className={textStyles.clip} data-ui="clip">
              {template.name}
            </b>
            {template.attachment && <AttachmentLine file={template.attachment} />}
            <span className={textStyles.clip} data-ui="clip">
              <WhatsappExcerpt text={template.text} />
            </span>
          </button>
        ))}
      </div>
      <p role="status" className={clsx(options.length > 0 && layoutStyles.srOnly, styles.said)}>
        {failed ? t.failed : waits ? "" : options.length > 0 ? t.found(options.length) : t.none}
      </p>
      {options.length > 0 && (
        <p className={styles.said} aria-hidden="true">
          {t.hints}
        </p>
      )}
    </div>
  );
}
