import { useQuery } from "@tanstack/react-query";
import { Pencil, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import type { Segment } from "../../contract/audiences.ts";
import { orGone } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { segmentsQuery } from "../api/segments.ts";
import { commonText } from "../messages/common.ts";
import { segmentsText as t } from "../messages/segments.ts";
import { Button } from "../ui/button.tsx";
import { ConfirmDialog } from "../ui/confirm-dialog.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { QueryError } from "../ui/error-notice.tsx";
import layoutStyles from "../ui/layout.module.css";
import { Menu } from "../ui/menu.tsx";
import { Bone, Skeleton } from "../ui/skeleton.tsx";
import textStyles from "../ui/text.module.css";
import { toastDone } from "../ui/toast.tsx";
import styles from "./rule-editor.module.css";
import { SegmentDialog } from "./segment-dialog.tsx";
import { useSegmentsChanged } from "./use-segments-changed.ts";

type Open = { dialog: "edit" | "remove"; segment: Segment } | { dialog: "add" };

export function SegmentsDialog({ onClose }: { onClose: () => void }) {
  const query = useQuery(segmentsQuery);
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <Dialog
      title={t.title}
      context={t.context}
      onClose={onClose}
      foot={
        <>
          <Button
            look="ghost"
            icon={Plus}
            className={layoutStyles.start}
            onClick={() => setOpen({ dialog: "add" })}
          >
            {t.add}
          </Button>
          <Button onClick={onClose}>{commonText.close}</Button>
        </>
      }
    >
      {query.error && <QueryError title={t.failed} query={query} />}
      {query.isPending && (
        <Skeleton>
          <Bone height="2.75rem" />
        </Skeleton>
      )}
      {query.data?.length === 0 && <p className={textStyles.quiet}>{t.empty}</p>}
      {query.data && query.data.length > 0 && <Segments segments={query.data} onOpen={setOpen} />}
      {open?.dialog === "add" && <SegmentDialog segment={null} onClose={close} />}
      {open?.dialog === "edit" && <SegmentDialog segment={open.segment} onClose={close} />}
      {open?.dialog === "remove" && <RemoveSegment segment={open.segment} onClose={close} />}
    </Dialog>
  );
}

type SegmentsProps = { segments: readonly Segment[]; onOpen: (open: Open) => void };

function Segments({ segments, onOpen }: SegmentsProps) {
  return (
    <ul className={styles.segments}>
      {segments.map((segment) => (
        <li key={segment.id}>
          <span>
            {segment.name}
            {segment.broken && <small>{t.broken}</small>}
          </span>
          <Menu
            label={t.menu(segment.name)}
            entries={[
              { label: t.edit, icon: Pencil, onSelect: () => onOpen({ dialog: "edit", segment }) },
              {
                label: t.remove,
                icon: Trash2,
                danger: true,
                onSelect: () => onOpen({ dialog: "remove", segment }),
              },
            ]}
          />
        </li>
      ))}
    </ul>
  );
}

function RemoveSegment({ segment, onClose }: { segment: Segment; onClose: () => void }) {
  const changed = useSegmentsChanged();
  return (
    <ConfirmDialog
      question={t.removeQuestion(segment.name)}
      verb={t.remove}
      busyText={t.removeBusy}
      failure={t.removeFailed}
      onConfirm={async () => {
        await orGone(api("DELETE /api/segments/{id}", { params: { id: segment.id } }));
        await changed();
        toastDone(t.removed(segment.name));
      }}
      onClose={onClose}
    >
      <p>{t.removeText}</p>
    </ConfirmDialog>
  );
}
