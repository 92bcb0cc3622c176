import * as DropdownMenu from "@radix-ui/react-dropdown-menu";
import { clsx } from "clsx";
import { Check, EllipsisVertical } from "lucide-react";
import { Fragment, type ReactElement, type ReactNode, type RefObject, useRef } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";
import { IconButton } from "./icon-button.tsx";
import layoutStyles from "./layout.module.css";
import styles from "./menu.module.css";

export type MenuEntry = {
  label: string;
  icon: LucideIcon;
  danger?: boolean;
  chosen?: boolean;
  apart?: boolean;
  lang?: string;
  returnTo?: RefObject<HTMLElement | null>;
  onSelect: () => void;
};

type Props = {
  label: string;
  entries: readonly MenuEntry[];
  trigger?: ReactElement;
  head?: ReactNode;
  returnTo?: RefObject<HTMLElement | null>;
};

/** «⋮» unless `trigger` is given (takes a ref, has its own label). */
export function Menu({ label, entries, trigger, head, returnTo }: Props) {
  const chosen = useRef<MenuEntry | null>(null);
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        {trigger ?? <IconButton plain small label={label} icon={EllipsisVertical} />}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className={styles.menu}
          align="end"
          sideOffset={4}
          collisionPadding={8}
          onCloseAutoFocus={(event) => {
            const target = chosen.current?.returnTo?.current ?? returnTo?.current;
            chosen.current = null;
            if (!target) return;
            event.preventDefault();
            target.focus();
          }}
        >
          {head && <DropdownMenu.Label className={styles.menuHead}>{head}</DropdownMenu.Label>}
          {entries.map((entry) => (
            <Fragment key={entry.label}>
              {entry.apart && <DropdownMenu.Separator className={styles.menuLine} />}
              <DropdownMenu.Item
                className={clsx(styles.menuItem, entry.danger && styles.danger)}
                onSelect={() => {
                  chosen.current = entry;
                  entry.onSelect();
                }}
                onPointerUp={(event) => event.preventDefault()}
                lang={entry.lang}
                {...(entry.chosen === undefined
                  ? {}
                  : { role: "menuitemradio", "aria-checked": entry.chosen })}
              >
                <Icon of={entry.icon} sm />
                {entry.label}
                {entry.chosen && <Icon of={Check} sm className={layoutStyles.push} />}
              </DropdownMenu.Item>
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
