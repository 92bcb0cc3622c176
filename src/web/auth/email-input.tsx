import type { ComponentProps } from "react";
import { accountsText } from "../messages/accounts.ts";
import { TextInput } from "../ui/inputs.tsx";

/** The e-mail by which somebody signs in: `username`, so that a password manager keeps it with the password. */
export function EmailInput(props: Omit<ComponentProps<typeof TextInput>, "label">) {
  return (
    <TextInput label={accountsText.email} type="email" autoComplete="username" inputMode="email" {...props} />
  );
}
