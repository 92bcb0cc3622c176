import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Campaign } from "../../../contract/campaigns.ts";
import { api } from "../../api/call.ts";
import { toastDone } from "../../components/toast.tsx";
import { formatSentence } from "../../format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { type CampaignForm, type Intent, inputOf } from "./form.ts";

/** Saves the form, as a new campaign or over the stored one (`id`), and hands out the way on: a word of what came of it, and the list. */
export function useSaveCampaign(id: number | null, zone: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  return async (form: CampaignForm, intent: Intent, key: string, basedOn: string) => {
    const body = inputOf(form, intent, zone, key);
    const saved =
      id === null
        ? await api("POST /api/campaigns", { body })
        : await api("PUT /api/campaigns/{id}", { params: { id }, body: { ...body, basedOn } });
    return async () => {
      toastDone(outcome(saved, zone));
      void queries.invalidateQueries({ queryKey: ["campaigns"] });
      await navigate({ to: "/campaigns" });
    };
  };
}

/** What really happened, not what was asked for: a repeated request answers the campaign as it is by now. */
function outcome(saved: Campaign, zone: string): string {
  if (saved.status === "draft") return t.draftSaved;
  if (saved.status === "scheduled" && saved.scheduledAt)
    return t.scheduledToast(
      formatSentence(saved.scheduledAt, saved.schedule.kind === "at" ? saved.schedule.zone : zone),
    );
  return saved.status === "paused" ? t.createdPaused : t.createdToast;
}
