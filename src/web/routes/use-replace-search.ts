import { type HistoryState, useNavigate, useRouter } from "@tanstack/react-router";
import { useCallback } from "react";

type Options = { state?: (before: HistoryState) => HistoryState };

/**
 * Changes search parameters of a screen by replacing the entry: letters of a search are not history steps. Does
 * nothing once the newest navigation leads elsewhere, or a late answer would bring back a screen that was left.
 */
export function useReplaceSearch<Address extends object>(
  screen: string,
  write: (address: Address) => Address,
): (change: (before: Address) => Address, options?: Options) => void {
  const router = useRouter();
  const navigate = useNavigate();
  return useCallback(
    (change, { state } = {}) => {
      const wanted = router.matchRoutes(router.latestLocation);
      if (!wanted.some(({ routeId }) => routeId === screen)) return;
      const search = (before: object) => write(change(before as Address));
      void navigate({ to: ".", search, state: state ?? true, replace: true, resetScroll: false });
    },
    [router, navigate, screen, write],
  );
}
