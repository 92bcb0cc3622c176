import { clsx } from "clsx";
import { CalendarClock, LoaderCircle, Paperclip, Send as SendIcon, Trash2, X } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  lazy,
  type MouseEventHandler,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { MessageTemplate } from "../../../contract/library.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { attachmentText } from "../../messages/attachments.ts";
import { chatText } from "../../messages/chat.ts";
import { templateChoiceText } from "../../messages/template-choice.ts";
import type { Draft, Quote } from "../../session/unsent.ts";
import { AttachmentFacts, AttachmentThumb } from "../../ui/attachment-facts.tsx";
import { AttachmentPicker, type StoredFile } from "../../ui/attachment-upload.tsx";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import personStyles from "../../ui/person.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./composer.module.css";
import factStyles from "./facts.module.css";
import { QuotedWords } from "./quoted.tsx";
import { optionId, Suggestions } from "./suggestions.tsx";
import { marksLeft, type Send, useDraft } from "./use-draft.ts";
import { useSuggestions } from "./use-suggestions.ts";

const LaterDialog = lazy(async () => ({ default: (await import("./later-dialog.tsx")).LaterDialog }));

const t = chatText.send;

type Props = {
  chatId: number;
  phone: string | null;
  who: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: Send;
  /** Opened by hand: take the focus. */
  asked: boolean;
  onWelcome: () => void;
};

export function Composer({ chatId, phone, who, field, onSend, asked, onWelcome }: Props) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const { draft, edit, submit, check, clear, take: attach, use } = useDraft(chatId, onSend);
  const [later, setLater] = useState<Draft | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    onWelcome();
    if (asked && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [asked, field, onWelcome]);

  const change = (part: { text: string } | { file: null }) => {
    edit({ ...part, error: null });
    setRefused(null);
  };
  const take = (file: File | undefined) => {
    setRefused(null);
    return attach(file);
  };
  const press = () => {
    field.current?.focus();
    setRefused(submit());
  };
  const choose = (template: MessageTemplate) => {
    field.current?.focus();
    void use(template, phone);
  };
  const suggestions = useSuggestions(draft.text, choose);
  const askLater = () => {
    const checked = check();
    setRefused("error" in checked ? checked.error : null);
    if ("draft" in checked) setLater(checked.draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (suggestions.onKeyDown(event)) return;
    // Enter that ends IME composition does not send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    press();
  };
  const onPaste = (event: ClipboardEvent) => {
    // Spreadsheets add a picture to copied cells: text is meant.
    if (event.clipboardData.getData("text/plain") !== "") return;
    const [file] = event.clipboardData.files;
    if (!file) return;
    event.preventDefault();
    void take(file);
  };
  const drag = (inside: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(inside);
  };
  const error = refused ?? draft.error;
  const left = marksLeft(draft.text, draft.missing);
  const hint = left === null ? null : templateChoiceText.missing(left);
  const list = `${id}-templates`;
  return (
    <>
      <form
        className={clsx(styles.composer, over && styles.over)}
        onSubmit={(event) => {
          event.preventDefault();
          press();
        }}
        onDragOver={drag(true)}
        onDragLeave={drag(false)}
        onDrop={(event) => {
          drag(false)(event);
          void take(event.dataTransfer.files[0]);
        }}
      >
        {suggestions.open && <Suggestions id={list} suggestions={suggestions} onChoose={choose} />}
        {draft.quote && (
          <Answered
            quote={draft.quote}
            who={who}
            onRemove={(event) => {
              restoreFocus(event)(field.current);
              edit({ quote: null });
            }}
          />
        )}
        <Attached
          file={draft.file}
          sending={draft.coming !== null}
          over={over}
          onRemove={(event) => {
            restoreFocus(event)(field.current);
            change({ file: null });
          }}
        />
        <div className={styles.line} data-ui="line">
          <AttachmentPicker upload={{ picker, take }} />
          <IconButton
            label={t.attach}
            icon={Paperclip}
            className={styles.attach}
            onClick={() => picker.current?.click()}
          />
          <label htmlFor={id} className={layoutStyles.srOnly}>
            {t.label}
          </label>
          <div className={styles.grows} data-text={`${draft.text} `}>
            <textarea
              ref={field}
              id={id}
              className={fieldStyles.input}
              data-ui="input"
              rows={1}
              placeholder={t.placeholder}
              enterKeyHint="send"
              value={draft.text}
              aria-invalid={error ? true : undefined}
              aria-describedby={error || hint ? `${id}-hint` : undefined}
              aria-autocomplete="list"
              aria-controls={suggestions.open ? list : undefined}
              aria-activedescendant={suggestions.active ? optionId(list, suggestions.active) : undefined}
              onChange={(event) => {
                change({ text: event.target.value });
              }}
              onKeyDown={onKeyDown}
              onPaste={onPaste}
            />
          </div>
          <IconButton label={chatText.later.title} icon={CalendarClock} onClick={askLater} />
          <Button look="primary" icon={SendIcon} type="submit" busy={draft.coming?.send ?? false}>
            {t.button}
          </Button>
        </div>
        <Hint id={`${id}-hint`} hint={hint} error={error} />
      </form>
      {later && (
        <Suspense fallback={null}>
          <LaterDialog draft={later} chatId={chatId} onDone={clear} onClose={() => setLater(null)} />
        </Suspense>
      )}
    </>
  );
}

type AnsweredProps = { quote: Quote; who: string; onRemove: MouseEventHandler };

function Answered({ quote, who, onRemove }: AnsweredProps) {
  return (
    <div className={styles.attached}>
      <div className={factStyles.quoted}>
        <QuotedWords quoted={quote} who={who} />
      </div>
      <IconButton label={t.removeQuote} icon={X} onClick={onRemove} />
    </div>
  );
}

type AttachedProps = {
  file: StoredFile | null;
  sending: boolean;
  over: boolean;
  onRemove: MouseEventHandler;
};

function Attached({ file, sending, over, onRemove }: AttachedProps) {
  if (over)
    return (
      <p className={clsx(styles.attached, fieldStyles.hint)} data-ui="hint">
        {t.drop}
      </p>
    );
  if (sending)
    return (
      <p className={clsx(styles.attached, fieldStyles.hint)} data-ui="hint" role="status">
        <Icon of={LoaderCircle} className={textStyles.spin} />
        {t.attaching}
      </p>
    );
  if (!file) return null;
  return (
    <div className={styles.attached}>
      <AttachmentThumb file={file} />
      <div className={personStyles.person} data-ui="person">
        <AttachmentFacts file={file} />
        {file.reduced && <span>{attachmentText.reduced}</span>}
      </div>
      <IconButton label={t.removeFile} icon={Trash2} onClick={onRemove} />
    </div>
  );
}
