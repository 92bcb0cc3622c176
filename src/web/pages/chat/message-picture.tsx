import { chatText } from "../../messages/chat.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { imageAddress } from "../../ui/image-upload.tsx";
import styles from "./message-log.module.css";

const t = chatText.messages;

type Picture = { id: number; caption: string };

export type Enlarge = (picture: Picture) => void;

/** Fixed frame: nothing moves when the picture loads. */
export function MessagePicture({ enlarge, ...picture }: Picture & { enlarge: Enlarge }) {
  return (
    <button
      type="button"
      className={styles.picture}
      data-ui="picture"
      aria-label={t.enlarge}
      onClick={() => enlarge(picture)}
    >
      <img src={imageAddress(picture.id)} alt="" loading="lazy" decoding="async" />
    </button>
  );
}

export function WholePicture({ picture, onClose }: { picture: Picture; onClose: () => void }) {
  return (
    <Dialog title={t.image} size="wide" onClose={onClose}>
      <img className={styles.pictureWhole} src={imageAddress(picture.id)} alt={picture.caption || t.image} />
    </Dialog>
  );
}
