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

/** Asked about before it is done: it sends messages, or loses something. */
export type Asked = "cancel" | "delete" | "remove" | "confirm" | "finish" | "resend";
type AtOnce = "pause" | "resume" | "archive" | "unarchive";
type CampaignAction = Asked | AtOnce;

const CALLS = {
  pause: ({ id }: Campaign) =>
    api("POST /api/campaigns/{id}/pause", { params: { id } }).catch(unlessIn(id, "paused")),
  // One that was restored, and whose hour is still to come, waits for it again.
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
  /** Through the connection that the question named, or meant by naming none. */
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

/** Done already, in another window or by a press whose answer got lost, where it is in such a life by now: answered as it is then. */
function unlessIn(id: number, ...lives: string[]): (error: unknown) => Promise<Campaign> {
  return (error) => {
    if (!(error instanceof ApiError && lives.includes(String(error.details.life)))) throw error;
    return api("GET /api/campaigns/{id}", { params: { id } });
  };
}

/**
 * Said instead, by how the campaign is shown by then: paused where its connection is away or writes to nobody, scheduled where it was
 * restored and its hour is still to come.
 */
const INSTEAD: Partial<Record<string, Partial<Record<CampaignAction, (name: string) => string>>>> = {
  paused: t.doneButHeld,
  scheduled: { resume: t.scheduledAgain },
};

/** Does to a campaign what its buttons say, and keeps which question is open. */
export function useCampaignAction(campaign: Campaign) {
  const queries = useQueryClient();
  const navigate = useNavigate();
  const me = useMe();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [busy, setBusy] = useState(false);

  const undo = { label: commonText.undo, onPress: () => void run("unarchive") };
  const perform = async (deed: CampaignAction) => {
    try {
      const answer = await CALLS[deed](campaign);
      // Nor is what was changed in it and not saved of use to anybody.
      if (deed === "delete") forget(draftPlace(me.id, campaign.id));
      const name = deed === "resend" && answer && "name" in answer ? answer.name : campaign.name;
      const status = answer && "status" in answer ? answer.status : undefined;
      const instead = INSTEAD[status ?? ""]?.[deed];
      toastDone((instead ?? t.done[deed])(name), deed === "archive" ? undo : {});
    } finally {
      // Also after a refusal: the campaign is then not what the card says.
      await queries.invalidateQueries({ queryKey: ["campaigns"] });
    }
  };
  const run = async (deed: AtOnce) => {
    setBusy(true);
    try {
      await perform(deed);
    } catch (error) {
      toastFailed(errorTextOf(error, t.failed[deed]));
    } finally {
      setBusy(false);
    }
  };
  return {
    busy,
    run,
    perform,
    asked,
    ask: setAsked,
    close: () => setAsked(null),
    seeConnections: () => void navigate({ to: "/whatsapp/connections" }),
  };
}
