import { clsx } from "clsx";
import { ImagePlus, LoaderCircle, Trash2 } from "lucide-react";
import { type DragEvent, type MouseEventHandler, useId, useLayoutEffect, useRef, useState } from "react";
import { flushSync } from "react-dom";
import { restoreFocus } from "../../lib/restore-focus.ts";
import { commonText } from "../../messages/common.ts";
import { formatBytes, formatNumber } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { Button } from "../../ui/button.tsx";
import fieldStyles from "../../ui/field.module.css";
import { Hint } from "../../ui/field.tsx";
import { Icon } from "../../ui/icon.tsx";
import { ImagePicker, imageAddress } from "../../ui/image-upload.tsx";
import layoutStyles from "../../ui/layout.module.css";
import textStyles from "../../ui/text.module.css";
import type { Picture } from "./form.ts";
import styles from "./new-campaign.module.css";
import type { CampaignFormState } from "./use-campaign-form.ts";

/** Stored at once: the preview is what will be sent. */
export function ImageField({ form }: { form: CampaignFormState }) {
  const id = useId();
  const place = useRef<HTMLFieldSetElement>(null);
  const goOn = useRef<ReturnType<typeof restoreFocus>>(null);
  const [over, setOver] = useState(false);
  const { upload } = form;
  const { sending } = upload;
  useLayoutEffect(() => {
    if (sending) return;
    // Restores focus once; the next picture may be dropped.
    goOn.current?.(place.current?.querySelector("button"));
    goOn.current = null;
  }, [sending]);
  const error = upload.error ?? form.error("image") ?? null;
  const { image } = form.values;
  const drag = (inside: boolean) => (event: DragEvent) => {
    event.preventDefault();
    setOver(inside);
  };
  return (
    <fieldset
      ref={place}
      className={fieldStyles.field}
      data-ui="field"
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        void upload.take(event.dataTransfer.files[0]);
      }}
    >
      <legend className={fieldStyles.fieldLabel} data-ui="field-label">
        {t.image} <span className={fieldStyles.optional}>{commonText.optional}</span>
      </legend>
      <ImagePicker upload={upload} />
      {image && !sending ? (
        <Chosen
          image={image}
          describedBy={`${id}-hint`}
          invalid={error !== null}
          onRemove={(event) => {
            const goOn = restoreFocus(event);
            flushSync(() => form.set("image", null));
            goOn(place.current?.querySelector("button"));
          }}
        />
      ) : (
        <Place
          sending={sending}
          over={over}
          describedBy={`${id}-hint`}
          invalid={error !== null}
          onPick={(event) => {
            goOn.current = restoreFocus(event);
            upload.pick();
          }}
        />
      )}
      <Hint id={`${id}-hint`} error={error} />
    </fieldset>
  );
}

type ChosenProps = { image: Picture; describedBy: string; invalid: boolean; onRemove: MouseEventHandler };

function Chosen({ image, describedBy, invalid, onRemove }: ChosenProps) {
  const known = image.width !== null && image.height !== null && image.bytes !== null;
  return (
    <div className={clsx(layoutStyles.row3, layoutStyles.frame, styles.imageRow)}>
      <img className={layoutStyles.thumb} src={imageAddress(image.id)} alt="" />
      <div className={styles.words}>
        <b className={textStyles.clip} data-ui="clip">
          {image.name ?? t.imageNamed}
        </b>
        {known && (
          <span className={fieldStyles.hint} data-ui="hint num">
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
        className={styles.remove}
        aria-label={t.imageRemoveSaid}
        aria-invalid={invalid || undefined}
        aria-describedby={invalid ? describedBy : undefined}
        onClick={onRemove}
      >
        <span className={layoutStyles.wideOnly}>{t.imageRemove}</span>
      </Button>
    </div>
  );
}

type PlaceProps = {
  sending: boolean;
  over: boolean;
  describedBy: string;
  invalid: boolean;
  onPick: MouseEventHandler;
};

function Place({ sending, over, describedBy, invalid, onPick }: PlaceProps) {
  if (sending)
    return (
      <div
        className={clsx(layoutStyles.row3, layoutStyles.frame, styles.imageRow, styles.pick)}
        role="status"
      >
        <span className={layoutStyles.row}>
          <Icon of={LoaderCircle} className={textStyles.spin} />
          {t.imageSending}
        </span>
      </div>
    );
  return (
    <div
      className={clsx(
        layoutStyles.row3,
        layoutStyles.frame,
        styles.imageRow,
        styles.pick,
        over && styles.over,
      )}
    >
      <span className={fieldStyles.hint} data-ui="hint">
        {over ? t.imageDrop : t.imageHint}
      </span>
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
