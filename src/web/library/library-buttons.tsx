import { BookmarkPlus, BookOpenText } from "lucide-react";
import { type ComponentProps, lazy, Suspense, useState } from "react";
import type { MessageTemplate } from "../../contract/library.ts";
import { libraryText } from "../messages/library.ts";
import { Button } from "../ui/button.tsx";
import type { TemplateValues } from "./template-dialog.tsx";

const PickTemplateDialog = lazy(async () => ({
  default: (await import("./pick-template-dialog.tsx")).PickTemplateDialog,
}));
const TemplateDialog = lazy(async () => ({
  default: (await import("./template-dialog.tsx")).TemplateDialog,
}));

const t = libraryText.pick;

type Look = Pick<ComponentProps<typeof Button>, "look" | "small" | "className">;

type Picked = { onPick: (template: MessageTemplate) => void; context?: string };

export function FromLibrary({ onPick, context }: Picked) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button small icon={BookOpenText} onClick={() => setOpen(true)}>
        {t.open}
      </Button>
      {open && (
        <Suspense>
          <PickTemplateDialog context={context ?? t.context} onPick={onPick} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}

export function SaveAsTemplate({ name, text, attachment, ...look }: Look & TemplateValues) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button {...look} icon={BookmarkPlus} onClick={() => setOpen(true)}>
        {t.save}
      </Button>
      {open && (
        <Suspense>
          <TemplateDialog
            template={null}
            initial={{ name, text, attachment }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
