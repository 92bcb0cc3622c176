import { ImagePlus, LoaderCircle, Trash2 } from "lucide-react";
import { type DragEvent, useId, useRef, useState } from "react";
import { errorText } from "../../../contract/error-messages.ts";
import { faultText } from "../../api/api-error.ts";
import { address, api } from "../../api/call.ts";
import { Button } from "../../components/button.tsx";
import { Hint } from "../../components/field.tsx";
import { Icon } from "../../components/icon.tsx";
import { formatBytes, formatNumber } from "../../format.ts";
import { commonText } from "../../messages/common.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import type { Picture } from "./form.ts";
import type { CampaignFormState } from "./use-campaign-form.ts";

const TYPES = ["image/jpeg", "image/png", "image/webp"];
/** What the server takes (contract/files.ts): said before 5 MB have travelled for nothing. */
const MOST_BYTES = 5 * 1024 * 1024;

/** Chosen or dropped, stored by the server at once; what is shown from then on is what will be sent. */
export function ImageField({ form }: { form: CampaignFormState }) {
  const id = useId();
  const picker = useRef<HTMLInputElement>(null);
  const [sending, setSending] = useState(false);
  const [over, setOver] = useState(false);
  const [fault, setFault] = useState<string | null>(null);
  const error = fault ?? form.error("image") ?? null;

  const take = async (file: File | undefined) => {
    if (!file) return;
    const refused = refusal(file);
    setFault(refused);
    if (refused) return;
    setSending(true);
    try {
      const { id: stored, ...figures } = await api("POST /api/images", { body: file });
      form.set("image", { id: stored, name: file.name, ...figures });
    } catch (thrown) {
      setFault(faultText(thrown, t.imageFailed));
    } finally {
      setSending(false);
    }
  };
  const { image } = form.values;
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(inside);
  };
  return (
    <fieldset
      className="field"
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        if (!sending) void take(event.dataTransfer.files[0]);
      }}
    >
      <legend className="field-label">
        {t.image} <span className="optional">{commonText.optional}</span>
      </legend>
      <input
        ref={picker}
        type="file"
        accept={TYPES.join(",")}
        className="sr-only"
        tabIndex={-1}
        aria-hidden="true"
        onChange={({ target }) => {
          void take(target.files?.[0]);
          // The same file may be chosen again after it was removed.
          target.value = "";
        }}
      />
      {image && !sending ? (
        <Chosen image={image} onRemove={() => form.set("image", null)} />
      ) : (
        <Place
          sending={sending}
          over={over}
          describedBy={`${id}-hint`}
          invalid={error !== null}
          onPick={() => picker.current?.click()}
        />
      )}
      <Hint id={`${id}-hint`} error={error} />
    </fieldset>
  );
}

function refusal(file: File): string | null {
  if (!TYPES.includes(file.type)) return errorText("image_unsupported");
  return file.size > MOST_BYTES ? errorText("image_too_large") : null;
}

function Chosen({ image, onRemove }: { image: Picture; onRemove: () => void }) {
  const known = image.width !== null && image.height !== null && image.bytes !== null;
  return (
    <div className="image-row">
      <img className="thumb" src={imageAddress(image.id)} alt="" />
      <div className="words">
        <b className="clip">{image.name ?? t.imageNamed}</b>
        {known && (
          <span className="hint num">
            {t.imageSize(
              formatNumber(image.width),
              formatNumber(image.height),
              formatBytes(image.bytes ?? 0),
            )}
          </span>
        )}
      </div>
      <Button
        small
        look="ghost"
        icon={Trash2}
        className="remove"
        aria-label={t.imageRemoveSaid}
        onClick={onRemove}
      >
        <span className="remove-label">{t.imageRemove}</span>
      </Button>
    </div>
  );
}

type PlaceProps = {
  sending: boolean;
  over: boolean;
  describedBy: string;
  invalid: boolean;
  onPick: () => void;
};

function Place({ sending, over, describedBy, invalid, onPick }: PlaceProps) {
  if (sending)
    return (
      <div className="image-row pick" role="status">
        <span className="flex items-center gap-2">
          <Icon of={LoaderCircle} className="spin" />
          {t.imageSending}
        </span>
      </div>
    );
  return (
    <div className={over ? "image-row pick over" : "image-row pick"}>
      <span className="hint">{over ? t.imageDrop : t.imageHint}</span>
      <Button
        small
        icon={ImagePlus}
        onClick={onPick}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? describedBy : undefined}
      >
        {t.imageChoose}
      </Button>
    </div>
  );
}

/** Where a stored picture is shown from. */
export const imageAddress = (id: number) => address("/api/images/{id}", { params: { id } });
