import { queryOptions, useQuery } from "@tanstack/react-query";
import { api } from "../api/call.ts";
import { accessText } from "../messages/access.ts";
import { accountsText } from "../messages/accounts.ts";
import { PasswordInput } from "./password-input.tsx";

const t = accessText.proof;

/** The server asks for the password again after ten minutes; a dialog may stay open longer. */
const ASK_AGAIN_MS = 60_000;

const proofQuery = queryOptions({
  queryKey: ["settings", "password-proof"],
  queryFn: async ({ signal }) => (await api("GET /api/settings/password-proof", { signal })).needed,
  staleTime: 0,
  refetchInterval: ASK_AGAIN_MS,
});

type Props = { value: string; error: string | null; onChange: (password: string) => void };

export function ProofField({ value, error, onChange }: Props) {
  const { data: needed } = useQuery(proofQuery);
  if (!needed && error === null && value === "") return null;
  return (
    <PasswordInput
      label={t.label}
      hint={t.hint}
      name="password"
      autoComplete="current-password"
      showLabel={accountsText.showPassword}
      hideLabel={accountsText.hidePassword}
      value={value}
      error={error}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
