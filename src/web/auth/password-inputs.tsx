import type { ComponentProps } from "react";
import { PASSWORD_MIN } from "../../domain/account.ts";
import { accountsText } from "../messages/accounts.ts";
import { PasswordInput } from "../ui/password-input.tsx";

type Props = Omit<ComponentProps<typeof PasswordInput>, "showLabel" | "hideLabel">;

export function AccountPasswordInput(props: Props) {
  return (
    <PasswordInput
      autoComplete="current-password"
      showLabel={accountsText.showPassword}
      hideLabel={accountsText.hidePassword}
      {...props}
    />
  );
}

export function NewPasswordInputs({ password, again }: { password: Props; again: Props }) {
  return (
    <>
      <AccountPasswordInput
        hint={accountsText.signup.passwordHint(PASSWORD_MIN)}
        autoComplete="new-password"
        {...password}
      />
      <AccountPasswordInput autoComplete="new-password" {...again} />
    </>
  );
}
