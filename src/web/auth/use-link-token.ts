import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

declare module "@tanstack/history" {
  interface HistoryState {
    linkToken?: string;
  }
}

/**
 * Reads the token behind `#` and removes it from the address: it opens an account. It stays only in this
 * history entry.
 */
export function useLinkToken(to: "/nova-senha" | "/signup" | "/confirmar-email"): string {
  const navigate = useNavigate();
  const { hash, state } = useLocation();
  useEffect(() => {
    if (hash) void navigate({ to, state: { linkToken: hash }, replace: true });
  }, [hash, navigate, to]);
  return (hash || (state.linkToken ?? "")).slice(0, 200);
}
