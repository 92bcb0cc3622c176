import * as Dialog from "@radix-ui/react-dialog";
import { Menu } from "lucide-react";
import { useState } from "react";
import { useUnread } from "../api/unread.ts";
import { shellText as t } from "../messages/shell.ts";
import { IconButton } from "../ui/icon-button.tsx";
import { useCloseOnBack } from "../ui/use-close-on-back.ts";
import { Sidebar } from "./sidebar.tsx";

export function Drawer() {
  const [open, setOpen] = useState(false);
  useCloseOnBack(() => setOpen(false), open);
  const unread = useUnread().data?.unread ?? 0;
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Trigger asChild>
        <IconButton
          plain
          label={unread > 0 ? t.openMenuUnread(unread) : t.openMenu}
          icon={Menu}
          className={unread > 0 ? "menu-open fresh" : "menu-open"}
        />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className="overlay" />
        <Dialog.Content
          className="drawer"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (document.activeElement !== document.body) event.preventDefault();
          }}
        >
          <Dialog.Title className="sr-only">{t.menu}</Dialog.Title>
          <Sidebar onLeave={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
