import { type ComponentProps, type ComponentType, lazy, Suspense } from "react";
import type { UploadProgress } from "./upload-progress.tsx";

type Props = ComponentProps<typeof UploadProgress>;

/** A lost connection keeps the bar away, not the page. */
const Progress = lazy(async (): Promise<{ default: ComponentType<Props> }> => {
  const loaded = await import("./upload-progress.tsx").catch(() => null);
  return { default: loaded?.UploadProgress ?? (() => null) };
});

export const LazyUploadProgress = (props: Props) => (
  <Suspense fallback={null}>
    <Progress {...props} />
  </Suspense>
);
