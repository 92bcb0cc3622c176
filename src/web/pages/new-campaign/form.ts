import type { Campaign, CampaignInput } from "../../../contract/campaigns.ts";
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
    name: copy ? t.copyName(campaign.name) : campaign.name,
    text: campaign.text,
    nameFallback: campaign.nameFallback,
    image:
      campaign.imageId === null
        ? null
        : { id: campaign.imageId, name: null, width: null, height: null, bytes: null },
    connection: campaign.connectionId === null ? DEFAULT_CONNECTION : String(campaign.connectionId),
    list: campaign.listId === null ? "" : String(campaign.listId),
    when: wall === null ? "now" : "at",
    date,
    time: time.slice(0, 5),
    intervalS: String(campaign.intervalS),
    extraS: String(campaign.extraS),
  };
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
