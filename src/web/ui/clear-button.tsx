import type { ComponentProps } from "react";
import { restoreFocus } from "../lib/restore-focus.ts";
import { Button } from "./button.tsx";

type Props = Omit<ComponentProps<typeof Button>, "onClick"> & { onClear: () => void };

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
