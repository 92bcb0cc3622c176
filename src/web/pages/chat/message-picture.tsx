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
function MessagePicture({ enlarge, ...picture }: Picture & { enlarge: Enlarge }) {
  return (
    <button
      type="button"
      className={styles.picture}
      data-ui="picture"
      aria-label={t.enlarge}
      onClick={() => enlarge(picture)}
    >
      <img src={attachmentAddress(picture.id)} alt="" loading="lazy" decoding="async" />
    </button>
  );
}

export function MessageFile({
  file,
  ...how
}: {
  file: AttachmentSummary;
  caption: string;
  enlarge: Enlarge;
}) {
  return isPicture(file) ? <MessagePicture id={file.id} {...how} /> : <AttachmentContent file={file} />;
}

const isPicture = ({ kind }: AttachmentSummary) => kind === "image" || kind === "sticker";

/** Outside the virtualized bubble, which is unmounted when far. */
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
