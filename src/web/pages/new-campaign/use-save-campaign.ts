import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import type { Campaign } from "../../../contract/campaigns.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { freshKey } from "../../lib/fresh-key.ts";
import { draftPlace } from "../../lib/kept-place.ts";
import { formatSentence } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { toastDone, toastUndo } from "../../ui/toast.tsx";
import { type CampaignForm, type Intent, inputOf } from "./form.ts";

export type Saved = {
  /** Where later input is stored; null if no longer editable. */
  rest: { place: string; base: string; key: string } | null;
  leave: (toRest: boolean) => Promise<void>;
};

/** `id`: the campaign to overwrite; null: new. */
export function useSaveCampaign(id: number | null, zone: string) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const offerUndo = ({ id: made, scheduledAt, updatedAt }: Campaign) => {
    const wait = Date.parse(scheduledAt ?? updatedAt) - Date.parse(updatedAt);
    const undo = async () => {
      await api("POST /api/campaigns/{id}/undo-start", { params: { id: made } });
      queries.removeQueries({ queryKey: ["campaign-form", made] });
      await navigate({ to: "/campaigns/new", search: { rascunho: made } });
      return t.undone;
    };
    toastUndo(t.heldToast(Math.round(wait / 1_000)), undo, wait);
  };
  return async (form: CampaignForm, intent: Intent, key: string, basedOn: string): Promise<Saved> => {
    const body = inputOf(form, intent, zone, key);
    const saved =
      id === null
        ? await api("POST /api/campaigns", { body })
        : await api("PUT /api/campaigns/{id}", { params: { id }, body: { ...body, basedOn } });
    const place = draftPlace(me.id, saved.id);
    return {
      rest: saved.actions.includes("edit") ? { place, base: saved.updatedAt, key: freshKey() } : null,
      leave: async (toRest) => {
        if (saved.actions.includes("undo")) offerUndo(saved);
        else toastDone(outcome(saved, zone));
        void queries.invalidateQueries({ queryKey: ["campaigns"] });
        if (!toRest) return navigate({ to: "/campaigns" });
        if (id !== null) queries.setQueryData(["campaign-form", id], saved);
        await navigate({ to: "/campaigns/new", search: { rascunho: saved.id }, state: true, replace: true });
      },
    };
  };
}

/** By the returned status: a repeated request returns the current campaign. */
function outcome(saved: Campaign, zone: string): string {
  if (saved.status === "draft") return t.draftSaved;
  if (saved.status === "scheduled" && saved.scheduledAt)
    return t.scheduledToast(
      formatSentence(saved.scheduledAt, saved.schedule.kind === "at" ? saved.schedule.zone : zone),
    );
  return saved.status === "paused" ? t.createdPaused : t.createdToast;
}
