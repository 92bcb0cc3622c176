import { FileText, Mic, Video } from "lucide-react";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { attachmentText } from "../messages/attachments.ts";
import { formatBytes, formatNumber } from "../messages/format.ts";
import styles from "./attachment.module.css";
import { attachmentAddress } from "./attachment-upload.tsx";
import { Icon, type LucideIcon } from "./icon.tsx";
import layoutStyles from "./layout.module.css";
import textStyles from "./text.module.css";

const ICONS: Readonly<Record<Exclude<AttachmentKind, "image" | "sticker">, LucideIcon>> = {
  video: Video,
  audio: Mic,
  voice: Mic,
  document: FileText,
};

/** A picture itself, or the sign of its kind. */
export function AttachmentThumb({ file: { id, kind } }: { file: Pick<AttachmentSummary, "id" | "kind"> }) {
  if (kind === "image" || kind === "sticker")
    return <img className={layoutStyles.thumb} src={attachmentAddress(id)} alt="" />;
  return (
    <span className={styles.sign}>
      <Icon of={ICONS[kind]} />
    </span>
  );
}

export function AttachmentFacts({ file, pages = null }: { file: AttachmentSummary; pages?: number | null }) {
  return (
    <>
      <b className={textStyles.clip} data-ui="clip" title={file.name}>
        {file.name || attachmentText.kinds[file.kind]}
      </b>
      <span data-ui="num">{factsOf(file, pages)}</span>
    </>
  );
}

function factsOf({ kind, width, height, seconds, bytes }: AttachmentSummary, pages: number | null): string {
  const facts = [
    attachmentText.kinds[kind],
    kind === "image" &&
      width !== null &&
      height !== null &&
      `${formatNumber(width)} × ${formatNumber(height)}`,
    seconds !== null && formatLength(seconds),
    pages !== null && attachmentText.pages(pages),
    formatBytes(bytes),
  ];
  return facts.filter(Boolean).join(" · ");
}

/** `1:05`. */
export function formatLength(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
}
