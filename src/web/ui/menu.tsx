import { clsx } from "clsx";
import { Check, EllipsisVertical } from "lucide-react";
import { DropdownMenu } from "radix-ui";
import { Fragment, type ReactElement, type ReactNode } from "react";
import { Icon, type LucideIcon } from "./icon.tsx";
import { IconButton } from "./icon-button.tsx";

export type MenuEntry = {
  label: string;
  icon: LucideIcon;
  danger?: boolean;
  /** The one in force, among choices. */
  chosen?: boolean;
  /** A line above it. */
  apart?: boolean;
  /** Of the label, where it is not the page's. */
  lang?: string;
  onSelect: () => void;
};

type Props = {
  label: string;
  entries: readonly MenuEntry[];
  trigger?: ReactElement;
  /** What the menu is about, above its entries. */
  head?: ReactNode;
};

/** «⋮» unless another trigger is given (which must take a ref and carry its own label). */
export function Menu({ label, entries, trigger, head }: Props) {
  return (
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger asChild>
        {trigger ?? <IconButton plain small label={label} icon={EllipsisVertical} />}
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content className="menu" align="end" sideOffset={4} collisionPadding={8}>
          {head && <DropdownMenu.Label className="menu-head">{head}</DropdownMenu.Label>}
          {entries.map((entry) => (
            <Fragment key={entry.label}>
              {entry.apart && <DropdownMenu.Separator className="menu-line" />}
              <DropdownMenu.Item
                className={clsx("menu-item", entry.danger && "danger")}
                onSelect={entry.onSelect}
                // A row may move, and its menu with it, between a press and its end: an entry is chosen by a press on itself alone.
                onPointerUp={(event) => event.preventDefault()}
                lang={entry.lang}
                {...(entry.chosen === undefined
                  ? {}
                  : { role: "menuitemradio", "aria-checked": entry.chosen })}
              >
                <Icon of={entry.icon} sm />
                {entry.label}
                {entry.chosen && <Icon of={Check} sm className="tick" />}
              </DropdownMenu.Item>
            </Fragment>
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
