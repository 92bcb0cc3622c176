import { useEffect, useState } from "react";
import type { AttachmentUpload } from "../../ui/attachment-upload.tsx";

/**
 * Delays an action until the picture is uploaded, and drops it if that fails or is cancelled: it would send without the
 * picture or with the previous one.
 */
export function useAfterUpload<Errand>(
  upload: AttachmentUpload,
  run: (errand: Errand) => void,
  onRefused: () => void,
) {
  const [waiting, setWaiting] = useState<Errand | null>(null);
  // No dependencies: it needs the values of the render that has the picture.
  useEffect(() => {
    if (waiting === null || upload.sending) return;
    setWaiting(null);
    if (upload.cancelled) return;
    if (upload.error === null) run(waiting);
    else onRefused();
  });
  return {
    waiting,
    start: (errand: Errand) => (upload.sending ? setWaiting(errand) : run(errand)),
    drop: () => setWaiting(null),
  };
}
