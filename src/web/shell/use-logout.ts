import { useRouter } from "@tanstack/react-router";
import { useCallback } from "react";
import { faultText } from "../api/api-error.ts";
import { api } from "../api/call.ts";
import { toastFailed } from "../components/toast.tsx";
import { shellText as t } from "../messages/shell.ts";

/** Ends the session here and shows the login. */
export function useLogout(): () => Promise<void> {
  const router = useRouter();
  return useCallback(async () => {
    try {
      await api("POST /api/logout");
    } catch (error) {
      toastFailed(faultText(error, t.logoutFailed));
      return;
    }
    router.options.context.session.forget();
    await router.navigate({ to: "/login" });
  }, [router]);
}
