import * as Dialog from "@radix-ui/react-dialog";
import { clsx } from "clsx";
import { Menu } from "lucide-react";
import { useState } from "react";
import { useUnread } from "../api/unread.ts";
import { shellText as t } from "../messages/shell.ts";
import dialogStyles from "../ui/dialog.module.css";
import { IconButton } from "../ui/icon-button.tsx";
import layoutStyles from "../ui/layout.module.css";
import { useCloseOnBack } from "../ui/use-close-on-back.ts";
import styles from "./shell.module.css";
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
          className={clsx(styles.menuOpen, unread > 0 && styles.fresh)}
        />
      </Dialog.Trigger>
      <Dialog.Portal>
        <Dialog.Overlay className={dialogStyles.overlay} data-ui="overlay" />
        <Dialog.Content
          className={styles.drawer}
          data-ui="drawer"
          aria-describedby={undefined}
          onCloseAutoFocus={(event) => {
            if (document.activeElement !== document.body) event.preventDefault();
          }}
        >
          <Dialog.Title className={layoutStyles.srOnly}>{t.menu}</Dialog.Title>
          <Sidebar onLeave={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  );
}
