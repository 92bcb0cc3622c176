import { QueryClientProvider } from "@tanstack/react-query";
import { getRouteApi, Outlet, useRouter } from "@tanstack/react-router";
import { clsx } from "clsx";
import { lazy, Suspense, useEffect } from "react";
import { listenToEvents, whenChanged } from "../api/events.ts";
import { commonText } from "../messages/common.ts";
import { notifyOfChanges } from "../notify/notify.ts";
import { SignOut } from "../session/sign-out.tsx";
import { askBeforeLoss } from "../session/unsent.ts";
import buttonStyles from "../ui/button.module.css";
import { Toaster } from "../ui/toast.tsx";
import { Header } from "./header.tsx";
import { OfflineStrip } from "./offline-strip.tsx";
import styles from "./shell.module.css";
import { Sidebar } from "./sidebar.tsx";
import { useInstallation } from "./use-installation.ts";
import { usePalette } from "./use-palette.tsx";

const InstallationNotices = lazy(async () => ({
  default: (await import("./installation-notices.tsx")).InstallationNotices,
}));

const route = getRouteApi("/shell");

export function Shell() {
  const { queries } = route.useRouteContext();
  const router = useRouter();
  const { session } = router.options.context;
  useEffect(() => listenToEvents(queries), [queries]);
  useEffect(() => askBeforeLoss(queries), [queries]);
  useEffect(() => notifyOfChanges(queries, router), [queries, router]);
  useEffect(() => whenChanged(({ topic }) => topic === "account" && session.refetch()), [session]);
  useFocusOnNewScreen();
  const { palette, open } = usePalette();
  return (
    <QueryClientProvider client={queries}>
      <SignOut>
        <div className={styles.app} data-ui="app">
          <a
            href="#content"
            className={clsx(buttonStyles.btn, styles.skip)}
            data-ui="btn"
            data-look="primary"
          >
            {commonText.skip}
          </a>
          <Sidebar onSearch={open} />
          <div data-ui="beside">
            <Header onSearch={open} />
            <OfflineStrip />
            <Notices />
            <Outlet />
          </div>
          {palette}
          <Toaster />
        </div>
      </SignOut>
    </QueryClientProvider>
  );
}

function Notices() {
  const installation = useInstallation();
  const anything = installation && (installation.restored || installation.diskLow || installation.idle);
  return <Suspense fallback={null}>{anything && <InstallationNotices {...installation} />}</Suspense>;
}

function useFocusOnNewScreen() {
  const router = useRouter();
  useEffect(
    () =>
      router.subscribe("onRendered", ({ pathChanged, fromLocation }) => {
        // Not from an open dialog: it would pull the focus back and select the typed text.
        const inWindow = document.activeElement?.closest("[role=dialog], [role=alertdialog]");
        if (pathChanged && fromLocation && !inWindow)
          document.getElementById("content")?.focus({ preventScroll: true });
      }),
    [router],
  );
}
