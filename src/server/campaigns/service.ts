import type { CampaignCalendar } from "../../contract/campaign-calendar.ts";
import type {
  Campaign,
  CampaignChange,
  CampaignInput,
  CampaignPage,
  CampaignSummary,
  Delivery,
} from "../../contract/campaigns.ts";
import { deliveryRate } from "../../domain/campaign.ts";
import { AppError } from "../../domain/errors.ts";
import { words } from "../base/locale.ts";
import { type Changes, publishCampaign } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { Downloads } from "../jobs/downloads.ts";
import { FairQueues } from "../jobs/fair-queue.ts";
import { campaignsOf, type DeliveryAction, openResendCounter } from "../sending/sending.ts";
import { readCalendar } from "./calendar.ts";
import { toDelivery } from "./deliveries.ts";
import { type DeliveryFilter, findDeliveries, findDelivery } from "./deliveries-repo.ts";
import { deliveriesFile, failuresFile } from "./files.ts";
import { firstFailures } from "./first-failures.ts";
import { shownCounts, toCampaign, toSummary } from "./presenter.ts";
import {
  type CampaignFilter,
  type CampaignRow,
  countByStatus,
  countPutAway,
  findCampaign,
  findCampaigns,
  findNamedCampaigns,
  findNewestNames,
  findSending,
  sumFound,
} from "./repo.ts";
import { createCampaign, type SaveDeps, updateCampaign } from "./save.ts";
import { deleteDraft } from "./save-repo.ts";

export const newestNames = findNewestNames;

export type CampaignDeps = SaveDeps & {
  changes: Pick<Changes, "mark">;
  downloads?: Downloads;
};

export type RecentCampaigns = {
  items: Omit<Campaign, "failureLines" | "resendable" | "unfinished" | "actions">[];
  statuses: Pick<CampaignSummary, "total" | "byStatus">;
};

export type ListQuery = Omit<CampaignFilter, "archived"> & { archived?: "true" | "false" | undefined };

type Change =
  | "archive"
  | "unarchive"
  | "undoStart"
  | "pause"
  | "resume"
  | "cancel"
  | "confirmMissed"
  | "finish";

export class CampaignService {
  readonly #deps: CampaignDeps;
  readonly #downloads: Downloads;
  readonly #countResendable = openResendCounter();
  readonly #findFailures = firstFailures();

  constructor(deps: CampaignDeps) {
    this.#deps = deps;
    this.#downloads = deps.downloads ?? new Downloads(new FairQueues({ monotonic: () => 0 }));
  }

  async list(owner: Owner, { archived, ...asked }: ListQuery): Promise<CampaignPage> {
    const filter = { ...asked, archived: archived === "true" };
    const rows = await findCampaigns(owner, { ...filter, limit: filter.limit + 1 });
    const page = rows.slice(0, filter.limit);
    const next = rows.length > page.length ? (page.at(-1)?.id ?? null) : null;
    const found = await sumFound(owner, filter);
    const items = (await this.#present(owner, page)).map((campaign, at) => ({
      ...campaign,
      inPeriod: page[at]?.inPeriod ?? null,
    }));
    return {
      items,
      next,
      found: { ...found, rate: deliveryRate({ ...found, sent: found.accepted }) },
      summary: await this.summary(owner),
    };
  }

  async summary(owner: Owner): Promise<CampaignSummary> {
    const byStatus = await countByStatus(owner);
    const sending = byStatus.some(({ status }) => status === "sending") ? await findSending(owner) : [];
    return { ...toSummary(byStatus, sending, this.#deps.clock.now()), ...(await countPutAway(owner)) };
  }

  /** Without figures from people's rows. */
  async recent(owner: Owner, limit: number): Promise<RecentCampaigns> {
    const rows = await findCampaigns(owner, { limit });
    const now = this.#deps.clock.now();
    return {
      items: rows.map((row) => toCampaign(row, { lines: [], resendable: 0, unfinished: 0 }, now)),
      statuses: shownCounts(await countByStatus(owner)),
    };
  }

  named(owner: Owner, searched: string, limit: number): Promise<Pick<Campaign, "id" | "name" | "status">[]> {
    return findNamedCampaigns(owner, searched, limit);
  }

  calendar(owner: Owner, month: string | undefined): Promise<CampaignCalendar> {
    return readCalendar(owner, month, this.#deps.clock.now());
  }

  async get(owner: Owner, campaignId: number): Promise<Campaign> {
    const [campaign] = await this.#present(owner, [await need(owner, campaignId)]);
    if (!campaign) throw new AppError("not_found");
    return campaign;
  }

  countOne({ status }: Campaign): Pick<CampaignSummary, "total" | "byStatus"> {
    return shownCounts([{ status, n: 1 }]);
  }

  async create(owner: Owner, input: CampaignInput): Promise<Campaign> {
    const campaignId = await createCampaign(this.#deps, owner, input);
    return this.#publish(owner, campaignId, input.intent === "create");
  }

  async update(owner: Owner, campaignId: number, input: CampaignChange): Promise<Campaign> {
    await updateCampaign(this.#deps, owner, campaignId, input);
    return this.#publish(owner, campaignId);
  }

  /** Throws `campaign_wrong_state`, or `campaign_still_writing` while its people or a resend's wait. */
  async remove(owner: Owner, campaignId: number): Promise<{ success: boolean }> {
    if (!(await deleteDraft(owner, campaignId))) await campaignsOf(owner).delete(campaignId);
    this.#deps.changes.mark(owner.accountId, "campaigns", campaignId);
    return { success: true };
  }

  archive(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "archive");
  }

  unarchive(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "unarchive");
  }

  undoStart(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "undoStart");
  }

  pause(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "pause");
  }

  resume(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "resume");
  }

  async resumeDespite(owner: Owner, campaignId: number, reason: string): Promise<Campaign> {
    await campaignsOf(owner).resumeDespite(campaignId, reason);
    return this.#publish(owner, campaignId);
  }

  cancel(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "cancel");
  }

  confirm(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "confirmMissed");
  }

  finish(owner: Owner, campaignId: number): Promise<Campaign> {
    return this.#change(owner, campaignId, "finish");
  }

  async resendFailures(owner: Owner, campaignId: number, through?: number): Promise<Campaign> {
    return this.#publish(owner, await campaignsOf(owner).resend(campaignId, through));
  }

  async deliveries(
    owner: Owner,
    campaignId: number,
    filter: DeliveryFilter,
  ): Promise<{ items: Delivery[]; next: number | null }> {
    await need(owner, campaignId);
    const rows = await findDeliveries(owner, campaignId, { ...filter, limit: filter.limit + 1 });
    const page = rows.slice(0, filter.limit);
    const next = rows.length > page.length ? (page.at(-1)?.seq ?? null) : null;
    return { items: page.map((row) => toDelivery(row, this.#deps.clock.now())), next };
  }

  async act(
    owner: Owner,
    campaignId: number,
    seq: number,
    action: DeliveryAction,
    shownAt?: string,
  ): Promise<Delivery> {
    const { changes, clock } = this.#deps;
    await campaignsOf(owner).resolve(campaignId, seq, action, shownAt);
    publishCampaign(changes, { accountId: owner.accountId, campaignId }, action === "resend");
    const row = await findDelivery(owner, campaignId, seq);
    if (!row) throw new AppError("not_found");
    return toDelivery(row, clock.now());
  }

  async deliveriesFile(owner: Owner, campaignId: number): Promise<Response> {
    const source = { owner, downloads: this.#downloads };
    return deliveriesFile(source, await need(owner, campaignId), this.#deps.clock.now());
  }

  async failures(owner: Owner, campaignId: number): Promise<Response> {
    return failuresFile({ owner, downloads: this.#downloads }, await need(owner, campaignId));
  }

  async #present(owner: Owner, rows: CampaignRow[]): Promise<Campaign[]> {
    const over = rows.filter(
      (row) => row.error > 0 && (row.status === "ended" || row.status === "cancelled"),
    );
    const failures = await this.#findFailures(owner, over);
    const resendable = await this.#countResendable(owner, over);
    const unfinished = await campaignsOf(owner).countUnfinished(
      rows.filter((row) => row.parts > 1 && row.error > 0).map(({ id }) => id),
    );
    const failuresOf = ({ id }: CampaignRow) => ({
      lines: (failures.get(id) ?? []).map(({ phone, error }) => words().failureLine(phone, error)),
      resendable: resendable.get(id) ?? 0,
      unfinished: unfinished.get(id) ?? 0,
    });
    return rows.map((row) => toCampaign(row, failuresOf(row), this.#deps.clock.now()));
  }

  async #change(owner: Owner, campaignId: number, change: Change): Promise<Campaign> {
    await campaignsOf(owner)[change](campaignId);
    return this.#publish(owner, campaignId);
  }

  /** Updates connections too, which show what they send. */
  async #publish(owner: Owner, campaignId: number, status = true): Promise<Campaign> {
    publishCampaign(this.#deps.changes, { accountId: owner.accountId, campaignId }, status);
    return this.get(owner, campaignId);
  }
}

async function need(owner: Owner, campaignId: number): Promise<CampaignRow> {
  const row = await findCampaign(owner, campaignId);
  if (!row) throw new AppError("not_found");
  return row;
}
