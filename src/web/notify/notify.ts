import type { QueryClient } from "@tanstack/react-query";
import type { AnyRouter } from "@tanstack/react-router";
import { useSyncExternalStore } from "react";

/**
 * Notification permission; `insecure`: browsers need https or localhost; `unsupported`: none, or only through
 * a service worker, as on phones.
 */
export type Permission = NotificationPermission | "insecure" | "unsupported";

export function notificationPermission(): Permission {
  if (!window.isSecureContext) return "insecure";
  if (!("Notification" in window) || !navigator.locks || /Android/i.test(navigator.userAgent))
    return "unsupported";
  return Notification.permission;
}

const watchers = new Set<() => void>();
const looked = () => watchers.forEach((watcher) => void watcher());

function watchPermission(watcher: () => void): () => void {
  watchers.add(watcher);
  let status: PermissionStatus | undefined;
  let over = false;
  navigator.permissions
    ?.query({ name: "notifications" })
    .then((found) => {
      if (over) return;
      status = found;
      status.addEventListener("change", watcher);
    })
    .catch(() => undefined);
  return () => {
    over = true;
    watchers.delete(watcher);
    status?.removeEventListener("change", watcher);
  };
}

export const usePermission = () => useSyncExternalStore(watchPermission, notificationPermission);

/** Only from a click: browsers refuse it otherwise. */
export async function askPermission(): Promise<void> {
  await Notification.requestPermission();
  looked();
}

/**
 * Notifies once for all tabs while permitted; the notifier is loaded only then. Returns the stop function.
 */
export function notifyOfChanges(queries: QueryClient, router: AnyRouter): () => void {
  let stop: (() => void) | null = null;
  let over = false;
  const look = () => {
    const granted = notificationPermission() === "granted";
    if (!granted) {
      stop?.();
      stop = null;
    } else if (!stop) {
      const ended = new AbortController();
      stop = () => ended.abort();
      void import("./notifier.ts").then(({ notifyOfLiveUpdates }) =>
        notifyOfLiveUpdates(queries, router, ended.signal),
      );
    }
  };
  const unwatch = watchPermission(() => !over && look());
  look();
  return () => {
    over = true;
    unwatch();
    stop?.();
  };
}
