import type { AudienceCount, AudienceLine } from "../../../contract/audiences.ts";
import type { Known } from "../../library/use-known.ts";
import { audienceText as t } from "../../messages/audience.ts";
import { sourcesOf } from "./audience-edit.ts";
import type { CampaignForm } from "./form.ts";
import type { CountedAudience } from "./use-audience-count.ts";

export type LineKind =
  | "list"
  | "segment"
  | "campaign"
  | "talked"
  | "unanswered"
  | "weekly"
  | "absent"
  | "land_lines"
  | "missing"
  | "opted_out";

export type Line = {
  key: string;
  kind: LineKind;
  id: number;
  lead: string;
  /** Null: deleted. */
  name: string | null;
  people: number | undefined;
  broken?: boolean;
};

type Counted = Pick<CountedAudience, "count" | "names">;

const peopleOf = (lines: readonly AudienceLine[] | undefined, key: string) =>
  lines && (lines.find((each) => each.key === key)?.people ?? 0);

type Named = { key: string; kind: LineKind; id: number; name: string | null | undefined };

const LEADS = {
  list: [t.list, t.goneList],
  segment: [t.segment, t.goneSegment],
  campaign: [t.got, t.goneCampaign],
};

function named(
  kind: keyof typeof LEADS,
  given: Omit<Named, "kind">,
  lines: readonly AudienceLine[] | undefined,
): Line {
  const { key, id, name } = given;
  const [lead = "", deleted = ""] = LEADS[kind];
  const counted = lines?.find((each) => each.key === key)?.name;
  return {
    key,
    kind,
    id,
    lead: name === null ? deleted : lead,
    name: name === null ? null : (name ?? counted ?? ""),
    people: peopleOf(lines, key),
  };
}

export function sourceLines(form: CampaignForm, { count, names }: Counted): Line[] {
  const { lists, segments } = sourcesOf(form);
  const line = (kind: "list" | "segment", id: number, name: string | null | undefined) =>
    named(kind, { key: `${kind}:${id}`, id, name }, count?.sources);
  return [
    ...lists.map((id) => line("list", id, names.list(id))),
    ...segments.map((id) => ({ ...line("segment", id, names.segment(id)), broken: names.isBroken(id) })),
  ];
}

export function withoutLines(form: CampaignForm, { count, names }: Counted, used: readonly Known[]): Line[] {
  const { listIds, campaignIds, talkedHours, unanswered, landLines = false } = form.audience.without;
  const line = (kind: "list" | "campaign", id: number, name: string | null | undefined) =>
    named(kind, { key: `without-${kind}:${id}`, id, name }, count?.without);
  const fixed = (kind: LineKind, lead: string, name = ""): Line[] => [
    { key: kind, kind, id: 0, lead, name, people: peopleOf(count?.without, kind) },
  ];
  const needed = used.filter(({ key }) =>
    form.variables.some((each) => each.key === key && each.fallback === null),
  );
  const labels = needed.map(({ label }) => label).join(", ");
  const counts = (key: LineKind) => count?.without.some((line) => line.key === key) ?? false;
  return [
    ...listIds.map((id) => line("list", id, names.list(id))),
    ...campaignIds.map((id) => line("campaign", id, names.campaign(id))),
    ...(talkedHours === null
      ? []
      : fixed("talked", t.talkedBefore, `${talkedHours} ${t.talkedAfter(talkedHours)}`)),
    ...(unanswered === null
      ? []
      : fixed("unanswered", t.unansweredBefore, `${unanswered} ${t.unansweredAfter(unanswered)}`)),
    ...(counts("weekly") ? fixed("weekly", t.weekly) : []),
    ...(counts("absent") ? fixed("absent", t.absent) : []),
    ...(landLines ? fixed("land_lines", t.landLines) : []),
    ...(needed.length > 0 ? fixed("missing", t.missing, labels) : []),
    ...fixed("opted_out", t.optedOut),
  ];
}

export const twiceLine = (people: number): Line => ({
  key: "twice",
  kind: "list",
  id: 0,
  lead: t.twice,
  name: "",
  people,
});

export const lineWords = ({ lead, name }: Line): string => (name ? `${lead} ${name}` : lead);

export function mostTaking(lines: readonly Line[]): Line | null {
  const taking = lines.filter(({ people }) => people !== undefined && people > 0);
  return taking.toSorted((a, b) => (b.people ?? 0) - (a.people ?? 0))[0] ?? null;
}

export const takesMore = (count: AudienceCount | undefined): boolean =>
  count?.without.some(({ key, people }) => people > 0 && (key === "weekly" || key === "missing")) ?? false;
