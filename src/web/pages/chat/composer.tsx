import { clsx } from "clsx";
import { CalendarClock, Mic, Paperclip, Send as SendIcon } from "lucide-react";
import {
  type KeyboardEvent,
  lazy,
  type RefObject,
  Suspense,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import type { MessageTemplate } from "../../../contract/library.ts";
import { useMe } from "../../api/me.ts";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { attachmentText } from "../../messages/attachments.ts";
import { chatText } from "../../messages/chat.ts";
import { templateChoiceText } from "../../messages/template-choice.ts";
import type { Draft } from "../../session/unsent.ts";
import { AttachmentPicker } from "../../ui/attachment-upload.tsx";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { IconButton } from "../../ui/icon-button.tsx";
import layoutStyles from "../../ui/layout.module.css";
import { Tooltip } from "../../ui/tooltip.tsx";
import { Answered, Attached } from "./attached.tsx";
import styles from "./composer.module.css";
import { optionId, Suggestions } from "./suggestions.tsx";
import { useBroughtFiles } from "./use-brought-files.ts";
import { marksLeft, type Send, useDraft } from "./use-draft.ts";
import { useSuggestions } from "./use-suggestions.ts";
import { useVoice } from "./use-voice.ts";

const LaterDialog = lazy(async () => ({ default: (await import("./later-dialog.tsx")).LaterDialog }));
const VoiceStrip = lazy(async () => ({ default: (await import("./voice-strip.tsx")).VoiceStrip }));

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
  const { attachmentMb } = useMe();
  const picker = useRef<HTMLInputElement>(null);
  const { draft, edit, submit, check, clear, take: attach, sendVoice, use } = useDraft(chatId, onSend);
  const voice = useVoice({ draft, edit, field, send: () => void sendVoice() });
  const [later, setLater] = useState<Draft | null>(null);
  const [refused, setRefused] = useState<string | null>(null);
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
    if (draft.voice) return voice.send();
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
  const { over, onPaste, zone } = useBroughtFiles({
    blocked: draft.voice !== null,
    take: (file) => void take(file),
    refuse: setRefused,
  });
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
        {...zone}
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
          coming={draft.voice && draft.coming?.progress.share === null ? null : draft.coming}
          over={over}
          onRemove={(event) => {
            restoreFocus(event)(field.current);
            change({ file: null });
          }}
          onCancel={(event) => {
            restoreFocus(event)(field.current);
            draft.coming?.cancel();
          }}
        />
        {draft.voice ? (
          <Suspense fallback={<div className={styles.line} />}>
            <VoiceStrip
              live={voice.live}
              voice={draft.voice}
              sending={draft.coming !== null}
              onDiscard={() => edit({ voice: null, error: null })}
            />
          </Suspense>
        ) : (
          <div className={styles.line} data-ui="line">
            <AttachmentPicker upload={{ picker, take }} />
            <Tooltip text={`${t.attach}. ${attachmentText.limits(attachmentMb)}`}>
              <IconButton
                plain
                label={t.attach}
                icon={Paperclip}
                className={styles.attach}
                onClick={() => picker.current?.click()}
              />
            </Tooltip>
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
            {draft.text === "" && !draft.file && !draft.coming ? (
              <IconButton label={t.record} icon={Mic} onClick={() => void voice.start()} />
            ) : (
              <IconButton label={chatText.later.title} icon={CalendarClock} onClick={askLater} />
            )}
            <Button look="primary" icon={SendIcon} type="submit" busy={draft.coming?.send ?? false}>
              {t.button}
            </Button>
          </div>
        )}
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
