import { clsx } from "clsx";
import { CalendarClock, ImagePlus, LoaderCircle, Send as SendIcon, Trash2, X } from "lucide-react";
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
import { restoreFocus } from "../../lib/restore-focus.ts";
import { chatText } from "../../messages/chat.ts";
import { formatBytes, formatNumber } from "../../messages/format.ts";
import type { Draft, Quote } from "../../session/unsent.ts";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import { ImagePicker, imageAddress, type StoredImage } from "../../ui/image-upload.tsx";
import layoutStyles from "../../ui/layout.module.css";
import personStyles from "../../ui/person.module.css";
import textStyles from "../../ui/text.module.css";
import styles from "./composer.module.css";
import factStyles from "./facts.module.css";
import { QuotedWords } from "./quoted.tsx";
import { type Send, useDraft } from "./use-draft.ts";

const LaterDialog = lazy(async () => ({ default: (await import("./later-dialog.tsx")).LaterDialog }));

const t = chatText.send;

type Props = {
  chatId: number;
  who: string;
  field: RefObject<HTMLTextAreaElement | null>;
  onSend: Send;
  /** Opened by hand: take the focus. */
  asked: boolean;
  onWelcome: () => void;
};

/** The draft survives a change of chat. */
export function Composer({ chatId, who, field, onSend, asked, onWelcome }: Props) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const { draft, edit, submit, check, clear, take: attach } = useDraft(chatId, onSend);
  const [later, setLater] = useState<Draft | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
  const [over, setOver] = useState(false);
  useEffect(() => {
    onWelcome();
    if (asked && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [asked, field, onWelcome]);

  const change = (part: { text: string } | { image: null }) => {
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
  const askLater = () => {
    const checked = check();
    setRefused("error" in checked ? checked.error : null);
    if ("draft" in checked) setLater(checked.draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // Enter that ends IME composition does not send.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    press();
  };
  const onPaste = (event: ClipboardEvent) => {
    // Spreadsheets add a picture to copied cells: text is meant.
    if (event.clipboardData.getData("text/plain") !== "") return;
    const file = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"));
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
          image={draft.image}
          sending={draft.coming !== null}
          over={over}
          onRemove={(event) => {
            restoreFocus(event)(field.current);
            change({ image: null });
          }}
        />
        <div className={styles.line} data-ui="line">
          <ImagePicker upload={{ picker, take }} />
          <IconButton
            label={t.attach}
            icon={ImagePlus}
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
              aria-describedby={error ? `${id}-hint` : undefined}
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
        <Hint id={`${id}-hint`} error={error} />
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
  image: StoredImage | null;
  sending: boolean;
  over: boolean;
  onRemove: MouseEventHandler;
};

function Attached({ image, sending, over, onRemove }: AttachedProps) {
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
  if (!image) return null;
  return (
    <div className={styles.attached}>
      <img className={layoutStyles.thumb} src={imageAddress(image.id)} alt="" />
      <div className={personStyles.person} data-ui="person">
        <b className={textStyles.clip} data-ui="clip">
          {image.name}
        </b>
        <span>{t.size(formatNumber(image.width), formatNumber(image.height), formatBytes(image.bytes))}</span>
      </div>
      <IconButton label={t.removeImage} icon={Trash2} onClick={onRemove} />
    </div>
  );
}
