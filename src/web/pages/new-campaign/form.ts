import type { Campaign, CampaignInput } from "../../../contract/campaigns.ts";
import { CAMPAIGN_NAME_MAX, codePoints } from "../../../domain/message-text.ts";
import { findPlaceholders } from "../../../domain/placeholders.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";

/** A picture already stored by the server; name and figures are known only to the page that uploaded it. */
export type Picture = {
  id: number;
  name: string | null;
  width: number | null;
  height: number | null;
  bytes: number | null;
};

/** The form as it stands on the screen: texts as typed, choices as their options' values. */
export type CampaignForm = {
  name: string;
  text: string;
  nameFallback: string;
  image: Picture | null;
  /** A connection's id, or `default`. */
  connection: string;
  list: string;
  when: "now" | "at";
  date: string;
  time: string;
  intervalS: string;
  extraS: string;
};

export type Intent = CampaignInput["intent"];

export const DEFAULT_CONNECTION = "default";
/**
 * The connection that was chosen is gone: another number than that one must not write to these people because nobody looked. No row has
 * this id, so that the server refuses whatever forgets to judge it.
 */
export const GONE_CONNECTION = "0";

export const EMPTY_FORM: CampaignForm = {
  name: "",
  text: "",
  nameFallback: "",
  image: null,
  connection: DEFAULT_CONNECTION,
  list: "",
  when: "now",
  date: "",
  time: "",
  intervalS: "60",
  extraS: "0",
};

/** A stored campaign as the form shows it. A copy starts by hand: the old date has passed, and a new name tells them apart. */
export function formOf(campaign: Campaign, copy: boolean): CampaignForm {
  const wall = !copy && campaign.schedule.kind === "at" ? campaign.schedule.wall : null;
  const [date = "", time = ""] = wall?.split("T") ?? [];
  return {
    name: copy ? copyName(campaign.name) : campaign.name,
    text: campaign.text,
    nameFallback: campaign.nameFallback,
    image:
      campaign.imageId === null
        ? null
        : { id: campaign.imageId, name: null, width: null, height: null, bytes: null },
    connection: connectionOf(campaign),
    list: campaign.listId === null ? "" : String(campaign.listId),
    when: wall === null ? "now" : "at",
    date,
    time: time.slice(0, 5),
    intervalS: String(campaign.intervalS),
    extraS: String(campaign.extraS),
  };
}

/** A name of a chosen connection stays when the connection goes; «Conexão padrão» has none. */
function connectionOf({ connectionId, connectionName }: Campaign): string {
  if (connectionId !== null) return String(connectionId);
  return connectionName === null ? DEFAULT_CONNECTION : GONE_CONNECTION;
}

/** Told apart from the campaign's own name, and not longer than a name may be. */
function copyName(name: string): string {
  const beyond = codePoints(t.copyName(name)) - CAMPAIGN_NAME_MAX;
  if (beyond <= 0) return t.copyName(name);
  return t.copyName(Array.from(name).slice(0, -beyond).join("").trimEnd());
}

/** What the server gets. The interval goes as typed, so that it can say what is wrong with it. */
export function inputOf(form: CampaignForm, intent: Intent, zone: string, key: string): CampaignInput {
  return {
    name: form.name,
    text: form.text,
    nameFallback: form.nameFallback,
    imageId: form.image?.id ?? null,
    connectionId: form.connection === DEFAULT_CONNECTION ? null : Number(form.connection),
    listId: form.list === "" ? null : Number(form.list),
    schedule: form.when === "now" ? { kind: "now" } : { kind: "at", wall: `${form.date}T${form.time}`, zone },
    intervalS: form.intervalS.trim(),
    extraS: form.extraS.trim() === "" ? "0" : form.extraS.trim(),
    intent,
    // The last look (last-look.tsx) creates none before they are confirmed.
    ...(intent === "create" && findPlaceholders(form.text).length > 0 ? { keepPlaceholders: true } : {}),
    idempotencyKey: key,
  };
}

/** The server's names of fields, and where they stand on the screen. */
export const FIELD_PLACES: Readonly<Record<string, keyof CampaignForm>> = {
  name: "name",
  text: "text",
  nameFallback: "nameFallback",
  imageId: "image",
  connectionId: "connection",
  listId: "list",
  "schedule.wall": "date",
  "schedule.zone": "date",
  schedule: "date",
  intervalS: "intervalS",
  extraS: "extraS",
};
