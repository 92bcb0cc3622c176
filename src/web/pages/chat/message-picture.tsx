import { useState } from "react";
import { Dialog } from "../../components/dialog.tsx";
import { imageAddress } from "../../components/image-upload.tsx";
import { chatText } from "../../messages/chat.ts";

const t = chatText.messages;

/** A picture in a frame of one size, so that nothing moves when it arrives; pressed, it is shown whole. */
export function MessagePicture({ id, caption }: { id: number; caption: string }) {
  const [open, setOpen] = useState(false);
  const src = imageAddress(id);
  return (
    <>
      <button type="button" className="picture" aria-label={t.enlarge} onClick={() => setOpen(true)}>
        <img src={src} alt="" loading="lazy" decoding="async" />
      </button>
      {open && (
        <Dialog title={t.image} size="wide" onClose={() => setOpen(false)}>
          <img className="picture-whole" src={src} alt={caption || t.image} />
        </Dialog>
      )}
    </>
  );
}
