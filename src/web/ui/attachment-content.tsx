import { Download } from "lucide-react";
import { useRef, useState } from "react";
import type { AttachmentSummary } from "../../contract/files.ts";
import { commonText } from "../messages/common.ts";
import styles from "./attachment.module.css";
import { AttachmentFacts, AttachmentThumb, formatLength } from "./attachment-facts.tsx";
import { attachmentAddress } from "./attachment-upload.tsx";
import { Icon } from "./icon.tsx";

/** A video, sound or document as a bubble shows it; pictures are the caller's. */
export function AttachmentContent({ file }: { file: AttachmentSummary }) {
  if (file.kind === "video") return <VideoContent file={file} />;
  if (file.kind === "audio" || file.kind === "voice") return <Sound key={file.id} file={file} />;
  return <DocumentLink file={file} />;
}

function VideoContent({ file: { id, name, width, height } }: { file: AttachmentSummary }) {
  const ratio = width !== null && height !== null ? { aspectRatio: `${width} / ${height}` } : {};
  return (
    // biome-ignore lint/a11y/useMediaCaption: what people send each other has no subtitles.
    <video
      className={styles.video}
      style={ratio}
      src={attachmentAddress(id)}
      controls
      preload="metadata"
      aria-label={name || commonText.attachmentKinds.video}
    />
  );
}

const SPEEDS = [1, 1.5, 2] as const;

function Sound({ file: { id, kind, name, seconds } }: { file: AttachmentSummary }) {
  const player = useRef<HTMLAudioElement>(null);
  const [at, setAt] = useState(0);
  const speed = SPEEDS[at] ?? 1;
  const next = () => {
    const faster = (at + 1) % SPEEDS.length;
    setAt(faster);
    if (player.current) player.current.playbackRate = SPEEDS[faster] ?? 1;
  };
  const label = name || commonText.attachmentKinds[kind];
  return (
    <div className={styles.sound}>
      {/* biome-ignore lint/a11y/useMediaCaption: what people send each other has no subtitles. */}
      <audio
        ref={player}
        src={attachmentAddress(id)}
        controls
        preload="metadata"
        aria-label={seconds === null ? label : `${label}, ${formatLength(seconds)}`}
      />
      <button type="button" className={styles.speed} aria-label={commonText.speed(speed)} onClick={next}>
        {`${String(speed).replace(".", ",")}×`}
      </button>
    </div>
  );
}

function DocumentLink({ file }: { file: AttachmentSummary }) {
  return (
    <a className={styles.document} href={attachmentAddress(file.id)} download={file.name}>
      <AttachmentThumb file={file} />
      <span className={styles.words}>
        <AttachmentFacts file={file} />
      </span>
      <Icon of={Download} />
    </a>
  );
}
