import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";

/**
 * Whether the newest navigation, finished or not, leads to this screen: an effect or a late answer of a screen
 * that was left must not bring it back.
 */
export function useStillWanted(screen: string): () => boolean {
  const router = useRouter();
  return useCallback(
    () => router.matchRoutes(router.latestLocation).some(({ routeId }) => routeId === screen),
    [router, screen],
  );
}
