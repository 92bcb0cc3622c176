import type { ComponentProps } from "react";
import { restoreFocus } from "../lib/restore-focus.ts";
import { Button } from "./button.tsx";

type Props = Omit<ComponentProps<typeof Button>, "onClick"> & { onClear: () => void };

/** Clears a search or a filter and goes with it: the keyboard goes on in the field of the search. */
export function ClearButton({ onClear, ...rest }: Props) {
  return (
    <Button
      {...rest}
      onClick={(event) => {
        restoreFocus(event)(
          event.currentTarget.closest("[role=dialog], main")?.querySelector("search input"),
        );
        onClear();
      }}
    />
  );
}
