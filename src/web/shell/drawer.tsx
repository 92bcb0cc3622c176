import { Menu } from "lucide-react";
import { Dialog } from "radix-ui";
import { useState } from "react";
import { IconButton } from "../components/icon-button.tsx";
import { useBackCloses } from "../components/use-back-closes.ts";
import { shellText as t } from "../messages/shell.ts";
import { Sidebar } from "./sidebar.tsx";

/** The sidebar below 1024 px: opened by a button, closed by Esc, a press outside or a followed link. */
export function Drawer() {
  const [open, setOpen] = useState(false);
  useBackCloses(() => setOpen(false), open);
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton plain label={t.openMenu} icon={Menu} className="menu-open" />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content className="drawer" aria-describedby={undefined}>
          <Dialog.Title className="sr-only">{t.menu}</Dialog.Title>
          <Sidebar onLeave={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
