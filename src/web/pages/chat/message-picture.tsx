import type { AttachmentSummary } from "../../../contract/files.ts";
import { chatText } from "../../messages/chat.ts";
import { AttachmentContent } from "../../ui/attachment-content.tsx";
import { attachmentAddress } from "../../ui/attachment-upload.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import styles from "./message-log.module.css";

const t = chatText.messages;

type Picture = { id: number; caption: string };

export type Enlarge = (picture: Picture) => void;

/** Fixed frame: nothing moves when the picture loads. */
function MessagePicture({
  enlarge,
  onError,
  ...picture
}: Picture & { enlarge: Enlarge; onError?: (() => void) | undefined }) {
  return (
    <button
      type="button"
      className={styles.picture}
      data-ui="picture"
      aria-label={t.enlarge}
      onClick={() => enlarge(picture)}
    >
      <img src={attachmentAddress(picture.id)} alt="" loading="lazy" decoding="async" onError={onError} />
    </button>
  );
}

type FileProps = {
  file: AttachmentSummary;
  pages?: number | null;
  caption: string;
  enlarge: Enlarge;
  onLost?: () => void;
};

export function MessageFile({ file, pages = null, caption, enlarge, onLost }: FileProps) {
  const { id, kind } = file;
  const look = onLost && (() => void isLost(id).then((lost) => lost && onLost()));
  if (kind === "image") return <MessagePicture id={id} caption={caption} enlarge={enlarge} onError={look} />;
  if (kind === "sticker")
    return (
      <img
        className={styles.sticker}
        src={attachmentAddress(id)}
        alt={chatText.kinds.sticker}
        onError={look}
      />
    );
  return <AttachmentContent file={file} pages={pages} onError={look} />;
}

/** A player or picture cannot tell a lost file from a lost network. */
async function isLost(id: number): Promise<boolean> {
  const answer = await fetch(attachmentAddress(id), { headers: { range: "bytes=0-0" } }).catch(() => null);
  return answer?.status === 404;
}

export function WholePicture({ picture, onClose }: { picture: Picture; onClose: () => void }) {
  return (
    <Dialog title={t.image} size="wide" onClose={onClose}>
      <img
        className={styles.pictureWhole}
        src={attachmentAddress(picture.id)}
        alt={picture.caption || t.image}
      />
    </Dialog>
  );
}
