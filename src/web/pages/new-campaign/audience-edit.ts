import type { AudienceQuestion } from "../../../contract/audiences.ts";
import { type Audience, normalizeAudience, SOURCES_MOST, type Without } from "../../../domain/audience.ts";
import type { Variable } from "../../../domain/variables.ts";
import type { CampaignForm } from "./form.ts";

export type Chosen = Pick<CampaignForm, "list" | "audience">;

export type SourceKind = "list" | "segment";
export type WithoutKind = "list" | "campaign";

export type Gone = { lists: readonly number[]; segments: readonly number[]; campaigns: readonly number[] };

const WITHOUT_IDS = { list: "listIds", campaign: "campaignIds" } as const;
const SOURCE_IDS = { list: "listIds", segment: "segmentIds" } as const;

export const listIdOf = ({ list }: Chosen): number | null => (list === "" ? null : Number(list));

export function sourcesOf(chosen: Chosen): { lists: number[]; segments: number[] } {
  const first = listIdOf(chosen);
  const { listIds, segmentIds } = chosen.audience;
  return { lists: first === null ? listIds : [first, ...listIds], segments: segmentIds };
}

export const isPlain = (chosen: Chosen): boolean =>
  normalizeAudience(chosen.audience, listIdOf(chosen)) === null;

export const isFull = ({ audience }: Chosen, kind: SourceKind): boolean =>
  audience[SOURCE_IDS[kind]].length >= SOURCES_MOST;

export function addSource(chosen: Chosen, kind: SourceKind, id: number): Chosen {
  const { lists, segments } = sourcesOf(chosen);
  if ((kind === "list" ? lists : segments).includes(id)) return chosen;
  if (kind === "list" && chosen.list === "") return { ...chosen, list: String(id) };
  const ids = SOURCE_IDS[kind];
  return { ...chosen, audience: { ...chosen.audience, [ids]: [...chosen.audience[ids], id] } };
}

export function removeSource(chosen: Chosen, kind: SourceKind, id: number): Chosen {
  const { audience } = chosen;
  if (kind === "segment")
    return { ...chosen, audience: { ...audience, segmentIds: less(audience.segmentIds, id) } };
  const [first, ...further] = less(sourcesOf(chosen).lists, id);
  return {
    list: first === undefined ? "" : String(first),
    audience: { ...audience, listIds: further },
  };
}

export function addWithout(audience: Audience, kind: WithoutKind, id: number): Audience {
  const ids = WITHOUT_IDS[kind];
  return changeWithout(audience, { [ids]: [...less(audience.without[ids], id), id] });
}

export function removeWithout(audience: Audience, kind: WithoutKind, id: number): Audience {
  const ids = WITHOUT_IDS[kind];
  return changeWithout(audience, { [ids]: less(audience.without[ids], id) });
}

export const changeWithout = (audience: Audience, changes: Partial<Without>): Audience => ({
  ...audience,
  without: { ...audience.without, ...changes },
});

const less = (ids: readonly number[], id: number) => ids.filter((each) => each !== id);

export const anyGone = ({ lists, segments, campaigns }: Gone): boolean =>
  lists.length + segments.length + campaigns.length > 0;

export function questionOf(
  chosen: Chosen,
  connectionId: number | null,
  variables: readonly Variable[],
  gone: Gone,
): AudienceQuestion | null {
  const { lists, segments } = sourcesOf(chosen);
  const [listId = null, ...listIds] = kept(lists, gone.lists);
  const segmentIds = kept(segments, gone.segments);
  if (listId === null && segmentIds.length === 0) return null;
  const { without } = chosen.audience;
  const audience = normalizeAudience(
    {
      listIds,
      segmentIds,
      without: {
        ...without,
        listIds: kept(without.listIds, gone.lists),
        campaignIds: kept(without.campaignIds, gone.campaigns),
      },
    },
    listId,
  );
  return { listId, audience, connectionId, variables: [...variables] };
}

const kept = (ids: readonly number[], gone: readonly number[]) => ids.filter((id) => !gone.includes(id));
