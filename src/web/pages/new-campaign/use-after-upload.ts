import { useEffect, useState } from "react";
import type { ImageUpload } from "../../ui/image-upload.tsx";

/**
 * An errand that must not leave without the picture on the screen: asked for while that is on its way to the server, it waits; when the
 * picture is not taken it is not run, for it would go out without the picture or with the one before.
 */
export function useAfterUpload<Errand>(
  upload: ImageUpload,
  run: (errand: Errand) => void,
  onRefused: () => void,
) {
  const [waiting, setWaiting] = useState<Errand | null>(null);
  // Without a list of dependencies: it must run with the values of the drawing that has the picture.
  useEffect(() => {
    if (waiting === null || upload.sending) return;
    setWaiting(null);
    if (upload.fault === null) run(waiting);
    else onRefused();
  });
  return {
    waiting,
    start: (errand: Errand) => (upload.sending ? setWaiting(errand) : run(errand)),
    drop: () => setWaiting(null),
  };
}
