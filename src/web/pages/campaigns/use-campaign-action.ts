import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import type { Campaign } from "../../../contract/campaigns.ts";
import { ApiError, errorTextOf, orGone } from "../../api/api-error.ts";
import { api } from "../../api/call.ts";
import { useMe } from "../../api/me.ts";
import { draftPlace, forget } from "../../lib/kept-place.ts";
import { campaignsText as t } from "../../messages/campaigns.ts";
import { commonText } from "../../messages/common.ts";
import { toastDone, toastFailed } from "../../ui/toast.tsx";

/** `despite`: continues for a reason. */
export type Asked = "despite" | "cancel" | "delete" | "remove" | "confirm" | "finish" | "resend";
type AtOnce = "undo" | "pause" | "resume" | "archive" | "unarchive";
type CampaignAction = Exclude<Asked, "despite"> | AtOnce;

const CALLS = {
  undo: ({ id }: Campaign) => api("POST /api/campaigns/{id}/undo-start", { params: { id } }),
  pause: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/pause", { params: { id } }).catch(unlessIn(id, "paused")),
  // A restored one with a future start time waits for it again.
  resume: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/resume", { params: { id } }).catch(
      unlessIn(id, "starting", "sending", "scheduled"),
    ),
  cancel: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/cancel", { params: { id } }).catch(unlessIn(id, "cancelled")),
  confirm: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/confirm", { params: { id } }).catch(unlessIn(id, "starting", "sending")),
  finish: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/finish", { params: { id } }).catch(unlessIn(id, "ended")),
  /** Fixes the connection that the question named. */
  resend: ({ id, connectionId }: Campaign) =>
    api("POST /api/campaigns/{id}/resend-failures", {
      params: { id },
      query: { through: connectionId ?? undefined },
    }),
  delete: ({ id }: Campaign) => orGone(api("DELETE /api/campaigns/{id}", { params: { id } })),
  remove: ({ id }: Campaign) => orGone(api("DELETE /api/campaigns/{id}", { params: { id } })),
  archive: ({ id }: Campaign) => api("POST /api/campaigns/{id}/archive", { params: { id } }),
  unarchive: ({ id }: Campaign) => api("POST /api/campaigns/{id}/unarchive", { params: { id } }),
} satisfies Record<CampaignAction, (campaign: Campaign) => Promise<unknown>>;

const resumeDespite = ({ id }: Campaign, reason: string) =>
  api("POST /api/campaigns/{id}/resume-despite", { params: { id }, body: { reason } }).catch(
    unlessIn(id, "starting", "sending", "scheduled"),
  );

/** If the campaign already has this status, by another window or a lost answer, returns it. */
function unlessIn(id: number, ...lives: string[]): (error: unknown) => Promise<Campaign> {
  return (error) => {
    if (!(error instanceof ApiError && lives.includes(String(error.details.life)))) throw error;
    return api("GET /api/campaigns/{id}", { params: { id } });
  };
}

/**
 * Other text by the resulting status: paused (connection unavailable or refusing) or scheduled (restored).
 */
const INSTEAD: Partial<Record<string, Partial<Record<CampaignAction, (name: string) => string>>>> = {
  paused: t.doneButHeld,
  scheduled: { resume: t.scheduledAgain },
};

export function useCampaignAction(campaign: Campaign) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState(false);

  const undo = { label: commonText.undo, onPress: () => void run("unarchive") };
  const perform = async (
    action: CampaignAction,
    call: (campaign: Campaign) => ReturnType<(typeof CALLS)[CampaignAction]> = CALLS[action],
  ) => {
    try {
      const answer = await call(campaign);
      // Its unsaved edits are useless too.
      if (action === "delete") forget(draftPlace(me.id, campaign.id));
      const name = action === "resend" && answer && "name" in answer ? answer.name : campaign.name;
      const status = answer && "status" in answer ? answer.status : undefined;
      const instead = INSTEAD[status ?? ""]?.[action];
      toastDone((instead ?? t.done[action])(name), action === "archive" ? undo : {});
    } finally {
      // After a refusal the card is outdated too.
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
    }
  };
  const run = async (action: AtOnce) => {
    setBusy(true);
    try {
      await perform(action);
    } catch (error) {
      toastFailed(errorTextOf(error, t.failed[action]));
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    run,
    perform,
    asked,
    continueDespite: (reason: string) => perform("resume", (one) => resumeDespite(one, reason)),
    ask: setAsked,
    close: () => setAsked(null),
    seeConnections: () => void navigate({ to: "/whatsapp/connections" }),
  };
}
