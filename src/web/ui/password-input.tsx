import { clsx } from "clsx";
import { Eye, EyeOff } from "lucide-react";
import { type ComponentProps, useState } from "react";
import buttonStyles from "./button.module.css";
import fieldStyles from "./field.module.css";
import { Icon } from "./icon.tsx";
import { TextInput } from "./inputs.tsx";

type Props = Omit<ComponentProps<typeof TextInput>, "within" | "type"> & {
  showLabel: string;
  hideLabel: string;
};

export function PasswordInput({ showLabel, hideLabel, ...rest }: Props) {
  const [shown, setShown] = useState(false);
  return (
    <TextInput
      {...rest}
      type={shown ? "text" : "password"}
      within={
        <button
          type="button"
          className={clsx(buttonStyles.btn, buttonStyles.onlyIcon, fieldStyles.within)}
          data-ui="btn"
          data-look="ghost"
          aria-label={shown ? hideLabel : showLabel}
          aria-pressed={shown}
          onClick={() => setShown(!shown)}
        >
          <Icon of={shown ? EyeOff : Eye} />
        </button>
      }
    />
  );
}
