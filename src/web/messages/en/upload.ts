import type { Texts } from "../texts.ts";
import type { uploadText as portuguese } from "../upload.ts";

export const uploadText: Texts<typeof portuguese> = {
  lost: "No connection; the upload continues when it is back.",
  label: "File upload",
  share: (share) => `${share}%`,
};
