import { chatText } from "../../messages/chat.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { imageAddress } from "../../ui/image-upload.tsx";

const t = chatText.messages;

type Picture = { id: number; caption: string };

/** Shows a picture of the log whole. */
export type Enlarge = (picture: Picture) => void;

/** A picture in a frame of one size, so that nothing moves when it arrives; pressed, it is shown whole. */
export function MessagePicture({ enlarge, ...picture }: Picture & { enlarge: Enlarge }) {
  return (
    <button type="button" className="picture" aria-label={t.enlarge} onClick={() => enlarge(picture)}>
      <img src={imageAddress(picture.id)} alt="" loading="lazy" decoding="async" />
    </button>
  );
}

/** Not part of its bubble, whose place another takes once the message is stored, and which is drawn only while it is near. */
export function WholePicture({ picture, onClose }: { picture: Picture; onClose: () => void }) {
  return (
    <Dialog title={t.image} size="wide" onClose={onClose}>
      <img className="picture-whole" src={imageAddress(picture.id)} alt={picture.caption || t.image} />
    </Dialog>
  );
}
