import { ImagePlus, LoaderCircle, Send, Trash2 } from "lucide-react";
import {
  type ClipboardEvent,
  type DragEvent,
  type KeyboardEvent,
  useEffect,
  useId,
  useRef,
  useState,
} from "react";
import { CAPTION_MAX, codePoints, normalizeText, TEXT_MAX, textFault } from "../../../domain/message-text.ts";
import { Button } from "../../components/button.tsx";
import { Hint } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { IconButton } from "../../components/icon-button.tsx";
import {
  ImagePicker,
  imageAddress,
  type StoredImage,
  useImageUpload,
} from "../../components/image-upload.tsx";
import { formatBytes, formatNumber } from "../../format.ts";
import { chatText } from "../../messages/chat.ts";
import { useKept } from "./use-kept.ts";
import "./composer.css";

const t = chatText.send;

type Draft = { text: string; image: StoredImage | null };
const DOUBLE_MS = 600;
const NOTHING: Draft = { text: "", image: null };

type Props = {
  chatId: number;
  onSend: (text: string, image: StoredImage | null) => void;
  /** The conversation was opened by hand: the field takes the keyboard. */
  asked: boolean;
  onWelcome: () => void;
};

/** The bar in which one writes. Enter sends, Shift+Enter begins a line; what was typed stays while other conversations are looked at. */
export function Composer({ chatId, onSend, asked, onWelcome }: Props) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const [draft, change] = useKept(["chat-draft", chatId], NOTHING);
  const [fault, setFault] = useState<string | null>(null);
  const sentAt = useRef(Number.NEGATIVE_INFINITY);
  const [over, setOver] = useState(false);
  /** Sent while the picture was still on its way here: it goes as soon as that is there. */
  const [waiting, setWaiting] = useState(false);
  const upload = useImageUpload((image) => change((before) => ({ ...before, image })));
  useEffect(() => {
    onWelcome();
    if (asked && matchMedia("(pointer: fine)").matches) field.current?.focus({ preventScroll: true });
  }, [asked, onWelcome]);

  const submit = () => {
    if (upload.sending) return setWaiting(true);
    const text = normalizeText(draft.text).trim();
    const refused = refusal(text, draft.image !== null);
    // The second half of a double press finds the field empty: nothing is wrong with that.
    if (refused === t.blank && performance.now() - sentAt.current < DOUBLE_MS) return;
    setFault(refused);
    field.current?.focus();
    if (refused) return;
    onSend(text, draft.image);
    sentAt.current = performance.now();
    change(() => NOTHING);
  };
  useEffect(() => {
    if (!waiting || upload.sending) return;
    setWaiting(false);
    if (!upload.fault) submit();
  });
  const onKeyDown = (event: KeyboardEvent) => {
    // An Enter that ends a composed letter is none of ours.
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    submit();
  };
  const onPaste = (event: ClipboardEvent) => {
    const file = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    void upload.take(file);
  };
  const drag = (inside: boolean) => (event: DragEvent) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(inside);
  };
  const shown = fault ?? upload.fault;
  return (
    <form
      className={over ? "composer over" : "composer"}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        void upload.take(event.dataTransfer.files[0]);
      }}
    >
      <Attached
        image={draft.image}
        sending={upload.sending}
        over={over}
        onRemove={() => change((before) => ({ ...before, image: null }))}
      />
      <div className="line">
        <ImagePicker upload={upload} />
        <IconButton label={t.attach} icon={ImagePlus} className="attach" onClick={upload.pick} />
        <label htmlFor={id} className="sr-only">
          {t.label}
        </label>
        <div className="grows" data-text={`${draft.text} `}>
          <textarea
            ref={field}
            id={id}
            className="input"
            rows={1}
            placeholder={t.placeholder}
            enterKeyHint="send"
            value={draft.text}
            aria-invalid={shown ? true : undefined}
            aria-describedby={shown ? `${id}-hint` : undefined}
            onChange={(event) => {
              const { value } = event.target;
              change((before) => ({ ...before, text: value }));
              setFault(null);
            }}
            onKeyDown={onKeyDown}
            onPaste={onPaste}
          />
        </div>
        <Button look="primary" icon={Send} type="submit" busy={waiting}>
          {t.button}
        </Button>
      </div>
      <Hint id={`${id}-hint`} error={shown} />
    </form>
  );
}

function refusal(text: string, hasImage: boolean): string | null {
  const fault = textFault(text, hasImage);
  if (fault === null || (fault === "required" && hasImage)) return null;
  if (fault === "required") return t.blank;
  if (fault === "unreadable") return t.unreadable;
  const most = hasImage ? CAPTION_MAX : TEXT_MAX;
  const over = formatNumber(codePoints(text) - most);
  return hasImage ? t.captionTooLong(formatNumber(most), over) : t.tooLong(formatNumber(most), over);
}

type AttachedProps = { image: StoredImage | null; sending: boolean; over: boolean; onRemove: () => void };

/** The picture that goes with the message, or that it is on its way. */
function Attached({ image, sending, over, onRemove }: AttachedProps) {
  if (over) return <p className="attached hint">{t.drop}</p>;
  if (sending)
    return (
      <p className="attached hint" role="status">
        <Icon of={LoaderCircle} className="spin" />
        {t.attaching}
      </p>
    );
  if (!image) return null;
  return (
    <div className="attached">
      <img className="thumb" src={imageAddress(image.id)} alt="" />
      <div className="person">
        <b className="clip">{image.name}</b>
        <span>{t.size(formatNumber(image.width), formatNumber(image.height), formatBytes(image.bytes))}</span>
      </div>
      <IconButton label={t.removeImage} icon={Trash2} onClick={onRemove} />
    </div>
  );
}
