import { createHash } from "node:crypto";
import type { CampaignChange, CampaignInput } from "../../contract/campaigns.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { readUndoSeconds } from "../db/account.ts";
import { requireRoom } from "../db/account-limits.ts";
import { isUniqueViolation } from "../db/errors.ts";
import type { Owner } from "../db/owner.ts";
import { knowsZone } from "../db/time-zones.ts";
import { audienceOf, campaignsOf, sqlParts } from "../sending/sending.ts";
import type { Content } from "./columns.ts";
import {
  deleteOldKey,
  findByKey,
  findReferences,
  type Idempotency,
  insertCampaign,
  updateContent,
} from "./save-repo.ts";
import { validate } from "./validate.ts";

export type SaveDeps = {
  clock: Pick<Clock, "now">;
  random32: () => number;
  /** Of accounts that chose none; absent: 0. */
  undoSeconds?: number;
};

/** Five collisions of 32 random bits mean a broken generator. */
const NONCE_DRAWS = 5;

/** The same form again (key and body) answers the same campaign. */
export async function createCampaign(deps: SaveDeps, owner: Owner, input: CampaignInput): Promise<number> {
  const form = idempotencyOf(input);
  // Before validation: a retry may come after its scheduled time or its list's deletion.
  const known = form && (await sameForm(owner, form));
  if (known) return known;
  const content = await validated(deps, owner, input);
  return owner.db.transaction().execute(async (tx) => {
    const inside = owner.in(tx);
    if (input.intent === "create") await requireRoom(inside, sqlParts().waitingCampaignsLimit);
    if (form) await deleteOldKey(inside, form.key);
    for (let draw = 0; draw < NONCE_DRAWS; draw += 1) {
      const id = await insertCampaign(inside, content, deps.random32(), form);
      if (id !== undefined) {
        await campaignsOf(inside).storeParts(id, input.moreAttachmentIds);
        await begin(deps, inside, id, { input, content });
        return id;
      }
      const twin = form && (await sameForm(inside, form));
      if (twin) return twin;
    }
    throw new Error("no free nonce after several draws");
  });
}

export async function updateCampaign(
  deps: SaveDeps,
  owner: Owner,
  campaignId: number,
  { basedOn, ...input }: CampaignChange,
): Promise<void> {
  const form = idempotencyOf(input);
  try {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      // Waits for a simultaneous start.
      const stored = await campaignsOf(inside).lock(campaignId);
      if (form && repeats(stored, form)) return;
      if (stored.status !== "draft" && stored.status !== "scheduled") {
        throw new AppError("campaign_not_editable", { life: stored.status });
      }
      if (basedOn !== undefined && Date.parse(basedOn) !== stored.updatedAt.getTime())
        throw new AppError("campaign_changed", { updatedAt: stored.updatedAt.toISOString() });
      const content = await validated(deps, inside, input);
      if (stored.status === "draft" && input.intent === "create")
        await requireRoom(inside, sqlParts().waitingCampaignsLimit);
      if (form) await deleteOldKey(inside, form.key);
      await updateContent(inside, campaignId, content, form);
      await campaignsOf(inside).storeParts(campaignId, input.moreAttachmentIds);
      await begin(deps, inside, campaignId, { input, content });
    });
  } catch (error) {
    if (isUniqueViolation(error, "campaign_account_id_idempotency_key_key"))
      throw new AppError("idempotency_mismatch");
    throw error;
  }
}

async function validated(deps: SaveDeps, owner: Owner, input: CampaignInput): Promise<Content> {
  const known = await findReferences(owner, input);
  if (!known) throw new AppError("not_found");
  const content = validate(input, known, deps.clock.now());
  await refuseMissing(owner, content);
  if (content.zone !== known.zone && !(await knowsZone(owner.db, content.zone)))
    throw new AppError("invalid_fields", { fields: { "schedule.zone": "campaign_schedule_zone" } });
  return content;
}

/** Throws `not_found` with `field` of the part. */
async function refuseMissing(owner: Owner, content: Content): Promise<void> {
  if (content.audience === null) return;
  const field = await audienceOf(owner).findMissing(content);
  if (field !== null) throw new AppError("not_found", { field });
}

type Form = { input: CampaignInput; content: Content };

async function begin(deps: SaveDeps, tx: Owner, campaignId: number, { input, content }: Form): Promise<void> {
  if (input.intent !== "create") return;
  if (content.status === "draft")
    await campaignsOf(tx).start(campaignId, (await readUndoSeconds(tx)) ?? deps.undoSeconds);
  else await campaignsOf(tx).schedule(campaignId);
}

function repeats(stored: { key: string | null; hash: Buffer | null }, form: Idempotency): boolean {
  return stored.key === form.key && stored.hash !== null && form.hash.equals(stored.hash);
}

/** Throws `idempotency_mismatch` when the key came with another body. */
async function sameForm(owner: Owner, form: Idempotency): Promise<number | null> {
  const known = await findByKey(owner, form.key);
  if (!known) return null;
  if (!repeats({ key: form.key, hash: known.hash }, form)) throw new AppError("idempotency_mismatch");
  return known.id;
}

/** Parsed fields are in schema order, so equal content has an equal hash. */
function idempotencyOf({ idempotencyKey, ...content }: CampaignInput): Idempotency | null {
  if (idempotencyKey === undefined) return null;
  // A form sent before these fields existed keeps its hash.
  const said = JSON.stringify({
    ...content,
    leaveHint: content.leaveHint || undefined,
    moreAttachmentIds: content.moreAttachmentIds.length > 0 ? content.moreAttachmentIds : undefined,
  });
  return { key: idempotencyKey, hash: createHash("sha256").update(said).digest() };
}
