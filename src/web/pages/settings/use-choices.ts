import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { NotificationPreferences, Notifications } from "../../../contract/settings.ts";
import { errorTextOf } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { notificationsQuery } from "../../api/notifications.ts";

export type ChoiceName = keyof NotificationPreferences;

type Step = { what: "saving"; wanted: boolean } | { what: "saved" } | { what: "failed"; why: string };

export type Choice = { checked: boolean; step: Step | null; set: (wanted: boolean) => void };

export function useChoices(kept: Notifications | undefined): (name: ChoiceName) => Choice {
  const queries = useQueryClient();
  const [steps, setSteps] = useState<Partial<Record<ChoiceName, Step>>>({});
  const step = (name: ChoiceName, next: Step) => setSteps((before) => ({ ...before, [name]: next }));
  const save = async (name: ChoiceName, wanted: boolean) => {
    step(name, { what: "saving", wanted });
    try {
      const answer = await api("PATCH /api/settings/notifications", { body: { [name]: wanted } });
      // Only this box: an overtaken answer is outdated for the others.
      queries.setQueryData(
        notificationsQuery.queryKey,
        (known) => known && { ...known, [name]: answer[name] },
      );
      step(name, { what: "saved" });
    } catch (error) {
      step(name, { what: "failed", why: errorTextOf(error, "") });
    }
  };
  return (name) => {
    const now = steps[name] ?? null;
    return {
      checked: now?.what === "saving" ? now.wanted : (kept?.[name] ?? false),
      step: now,
      set: (wanted) => {
        // A second press would race the first.
        if (now?.what !== "saving") void save(name, wanted);
      },
    };
  };
}
