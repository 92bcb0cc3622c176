import type { ComponentProps } from "react";
import { accountsText } from "../messages/accounts.ts";
import { TextInput } from "../ui/inputs.tsx";

/** `username`, so that password managers store it with the password. */
export function EmailInput(props: Omit<ComponentProps<typeof TextInput>, "label">) {
  return (
    <TextInput label={accountsText.email} type="email" autoComplete="username" inputMode="email" {...props} />
  );
}
