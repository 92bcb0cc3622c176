import { clsx } from "clsx";
import { Download } from "lucide-react";
import { useRef, useState } from "react";
import type { AttachmentSummary } from "../../contract/files.ts";
import { attachmentText } from "../messages/attachments.ts";
import styles from "./attachment.module.css";
import { AttachmentFacts, AttachmentThumb, formatLength } from "./attachment-facts.tsx";
import { attachmentAddress } from "./attachment-upload.tsx";
import { Icon } from "./icon.tsx";
import textStyles from "./text.module.css";

type Props = {
  file: AttachmentSummary;
  onError?: (() => void) | undefined;
};

/** A video, sound or document as a bubble shows it; pictures are the caller's. */
export function AttachmentContent({ pages = null, ...props }: Props & { pages?: number | null }) {
  const { kind, id } = props.file;
  if (kind === "video") return <VideoContent {...props} />;
  if (kind === "audio" || kind === "voice") return <Sound key={id} {...props} />;
  return <DocumentLink {...props} pages={pages} />;
}

function VideoContent({ file: { id, name, width, height }, onError }: Props) {
  const ratio = width !== null && height !== null ? { aspectRatio: `${width} / ${height}` } : {};
  return (
    // biome-ignore lint/a11y/useMediaCaption: what people send each other has no subtitles.
    <video
      className={styles.video}
      style={ratio}
      src={attachmentAddress(id)}
      controls
      preload="metadata"
      aria-label={name || attachmentText.kinds.video}
      onError={onError}
    />
  );
}

const SPEEDS = [1, 1.5, 2] as const;

function Sound({ file: { id, kind, name, seconds }, onError }: Props) {
  const player = useRef<HTMLAudioElement>(null);
  const [at, setAt] = useState(0);
  const speed = SPEEDS[at] ?? 1;
  const next = () => {
    const faster = (at + 1) % SPEEDS.length;
    setAt(faster);
    if (player.current) player.current.playbackRate = SPEEDS[faster] ?? 1;
  };
  const label = name || attachmentText.kinds[kind];
  return (
    <>
      {kind === "audio" && name !== "" && (
        <b className={clsx(styles.title, textStyles.clip)} data-ui="clip">
          {name}
        </b>
      )}
      <div className={styles.sound}>
        {/* biome-ignore lint/a11y/useMediaCaption: what people send each other has no subtitles. */}
        <audio
          ref={player}
          src={attachmentAddress(id)}
          controls
          preload="metadata"
          aria-label={seconds === null ? label : `${label}, ${formatLength(seconds)}`}
          onError={onError}
        />
        {seconds !== null && (
          <span className={styles.length} data-ui="num">
            {formatLength(seconds)}
          </span>
        )}
        <button
          type="button"
          className={styles.speed}
          aria-label={attachmentText.speed(speed)}
          onClick={next}
        >
          {`${String(speed).replace(".", ",")}×`}
        </button>
      </div>
    </>
  );
}

function DocumentLink({ file, pages, onError }: Props & { pages: number | null }) {
  return (
    <a
      className={styles.document}
      href={attachmentAddress(file.id)}
      download={file.name}
      onClick={() => onError?.()}
    >
      <AttachmentThumb file={file} />
      <span className={styles.words}>
        <AttachmentFacts file={file} pages={pages} />
      </span>
      <Icon of={Download} />
    </a>
  );
}
