import { FileText, Image, Mic, Sticker, Video } from "lucide-react";
import type { AttachmentSummary } from "../../contract/files.ts";
import type { AttachmentKind } from "../../domain/attachment.ts";
import { attachmentText } from "../messages/attachments.ts";
import styles from "./attachment-line.module.css";
import { Icon, type LucideIcon } from "./icon.tsx";
import textStyles from "./text.module.css";

const ICONS: Readonly<Record<AttachmentKind, LucideIcon>> = {
  image: Image,
  video: Video,
  audio: Mic,
  voice: Mic,
  document: FileText,
  sticker: Sticker,
};

type Props = { file: Pick<AttachmentSummary, "kind" | "name">; className?: string | undefined };

/** The sign of its kind, and its name or kind. */
export function AttachmentLine({ file: { kind, name }, className }: Props) {
  return (
    <span className={className ?? styles.line}>
      <Icon of={ICONS[kind]} sm />
      <span className={textStyles.clip} data-ui="clip" title={name}>
        {name || attachmentText.kinds[kind]}
      </span>
    </span>
  );
}
