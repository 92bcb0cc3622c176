import { useLocation, useNavigate } from "@tanstack/react-router";
import { useEffect } from "react";

declare module "@tanstack/history" {
  interface HistoryState {
    linkToken?: string;
  }
}

/**
 * What the link to a page carries behind its `#`. It opens an account, so it goes from the address to where only this
 * entry of the browser's history has it.
 */
export function useLinkToken(to: "/nova-senha" | "/signup" | "/confirmar-email"): string {
  const navigate = useNavigate();
  const { hash, state } = useLocation();
  useEffect(() => {
    if (hash) void navigate({ to, state: { linkToken: hash }, replace: true });
  }, [hash, navigate, to]);
  return (hash || (state.linkToken ?? "")).slice(0, 200);
}
