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
  findSending,
  sumFound,
} from "./repo.ts";
import { createCampaign, type SaveDeps, updateCampaign } from "./save.ts";
import { deleteDraft } from "./save-repo.ts";

export type CampaignDeps = SaveDeps & {
  changes: Pick<Changes, "mark">;
  downloads?: Downloads;
};

export type RecentCampaigns = {
  items: Omit<Campaign, "failureLines" | "resendable" | "actions">[];
  statuses: Pick<CampaignSummary, "total" | "byStatus">;
};

export type ListQuery = Omit<CampaignFilter, "archived"> & { archived?: "true" | "false" | undefined };

export type CampaignService = {
  list(owner: Owner, query: ListQuery): Promise<CampaignPage>;
  summary(owner: Owner): Promise<CampaignSummary>;
  /** Without figures from people's rows. */
  recent(owner: Owner, limit: number): Promise<RecentCampaigns>;
  named(owner: Owner, words: string, limit: number): Promise<Pick<Campaign, "id" | "name" | "status">[]>;
  get(owner: Owner, campaignId: number): Promise<Campaign>;
  countOne(campaign: Campaign): Pick<CampaignSummary, "total" | "byStatus">;
  create(owner: Owner, input: CampaignInput): Promise<Campaign>;
  update(owner: Owner, campaignId: number, input: CampaignChange): Promise<Campaign>;
  /** Throws `campaign_wrong_state`, or `campaign_still_writing` while its people or a resend's wait. */
  remove(owner: Owner, campaignId: number): Promise<{ success: boolean }>;
  archive(owner: Owner, campaignId: number): Promise<Campaign>;
  unarchive(owner: Owner, campaignId: number): Promise<Campaign>;
  pause(owner: Owner, campaignId: number): Promise<Campaign>;
  resume(owner: Owner, campaignId: number): Promise<Campaign>;
  cancel(owner: Owner, campaignId: number): Promise<Campaign>;
  confirm(owner: Owner, campaignId: number): Promise<Campaign>;
  finish(owner: Owner, campaignId: number): Promise<Campaign>;
  resendFailures(owner: Owner, campaignId: number, through?: number): Promise<Campaign>;
  deliveries(
    owner: Owner,
    campaignId: number,
    filter: DeliveryFilter,
  ): Promise<{ items: Delivery[]; next: number | null }>;
  act(
    owner: Owner,
    campaignId: number,
    seq: number,
    action: DeliveryAction,
    shownAt?: string,
  ): Promise<Delivery>;
  deliveriesFile(owner: Owner, campaignId: number): Promise<Response>;
  failures(owner: Owner, campaignId: number): Promise<Response>;
};

type Change = "archive" | "unarchive" | "pause" | "resume" | "cancel" | "confirmMissed" | "finish";

export function campaignService(deps: CampaignDeps): CampaignService {
  const { clock, changes, downloads = new Downloads(new FairQueues({ monotonic: () => 0 })) } = deps;
  const countResendable = openResendCounter();
  const findFailures = firstFailures();

  async function find(owner: Owner, campaignId: number): Promise<CampaignRow> {
    const row = await findCampaign(owner, campaignId);
    if (!row) throw new AppError("not_found");
    return row;
  }

  async function shown(owner: Owner, rows: CampaignRow[]): Promise<Campaign[]> {
    const over = rows.filter(
      (row) => row.error > 0 && (row.status === "ended" || row.status === "cancelled"),
    );
    const failures = await findFailures(owner, over);
    const resendable = await countResendable(owner, over);
    const failuresOf = ({ id }: CampaignRow) => ({
      lines: (failures.get(id) ?? []).map(({ phone, error }) => words().failureLine(phone, error)),
      resendable: resendable.get(id) ?? 0,
    });
    return rows.map((row) => toCampaign(row, failuresOf(row), clock.now()));
  }

  async function get(owner: Owner, campaignId: number): Promise<Campaign> {
    const [campaign] = await shown(owner, [await find(owner, campaignId)]);
    if (!campaign) throw new AppError("not_found");
    return campaign;
  }

  async function summary(owner: Owner): Promise<CampaignSummary> {
    const byStatus = await countByStatus(owner);
    const sending = byStatus.some(({ status }) => status === "sending") ? await findSending(owner) : [];
    return { ...toSummary(byStatus, sending, clock.now()), ...(await countPutAway(owner)) };
  }

  /** Updates connections too, which show what they send. */
  async function changed(owner: Owner, campaignId: number, status = true): Promise<Campaign> {
    publishCampaign(changes, { accountId: owner.accountId, campaignId }, status);
    return get(owner, campaignId);
  }

  const after = (change: Change) => async (owner: Owner, campaignId: number) => {
    await campaignsOf(owner)[change](campaignId);
    return changed(owner, campaignId);
  };

  return {
    get,
    summary,
    named: findNamedCampaigns,
    countOne: ({ status }) => shownCounts([{ status, n: 1 }]),

    async recent(owner, limit) {
      const rows = await findCampaigns(owner, { limit });
      return {
        items: rows.map((row) => toCampaign(row, { lines: [], resendable: 0 }, clock.now())),
        statuses: shownCounts(await countByStatus(owner)),
      };
    },

    async list(owner, { archived, ...asked }) {
      const filter = { ...asked, archived: archived === "true" };
      const rows = await findCampaigns(owner, { ...filter, limit: filter.limit + 1 });
      const page = rows.slice(0, filter.limit);
      const next = rows.length > page.length ? (page.at(-1)?.id ?? null) : null;
      const found = await sumFound(owner, filter);
      const items = (await shown(owner, page)).map((campaign, at) => ({
        ...campaign,
        inPeriod: page[at]?.inPeriod ?? null,
      }));
      return {
        items,
        next,
        found: { ...found, rate: deliveryRate({ ...found, sent: found.accepted }) },
        summary: await summary(owner),
      };
    },

    async create(owner, input) {
      return changed(owner, await createCampaign(deps, owner, input), input.intent === "create");
    },

    async update(owner, campaignId, input) {
      await updateCampaign(deps, owner, campaignId, input);
      return changed(owner, campaignId);
    },

    async remove(owner, campaignId) {
      if (!(await deleteDraft(owner, campaignId))) await campaignsOf(owner).delete(campaignId);
      changes.mark(owner.accountId, "campaigns", campaignId);
      return { success: true };
    },

    archive: after("archive"),
    unarchive: after("unarchive"),

    pause: after("pause"),
    resume: after("resume"),
    cancel: after("cancel"),
    confirm: after("confirmMissed"),
    finish: after("finish"),

    async resendFailures(owner, campaignId, through) {
      return changed(owner, await campaignsOf(owner).resend(campaignId, through));
    },

    async deliveries(owner, campaignId, filter) {
      await find(owner, campaignId);
      const rows = await findDeliveries(owner, campaignId, { ...filter, limit: filter.limit + 1 });
      const page = rows.slice(0, filter.limit);
      const next = rows.length > page.length ? (page.at(-1)?.seq ?? null) : null;
      return { items: page.map((row) => toDelivery(row, clock.now())), next };
    },

    async act(owner, campaignId, seq, action, shownAt) {
      await campaignsOf(owner).resolve(campaignId, seq, action, shownAt);
      publishCampaign(changes, { accountId: owner.accountId, campaignId }, action === "resend");
      const row = await findDelivery(owner, campaignId, seq);
      if (!row) throw new AppError("not_found");
      return toDelivery(row, clock.now());
    },

    async deliveriesFile(owner, campaignId) {
      return deliveriesFile({ owner, downloads }, await find(owner, campaignId), clock.now());
    },

    async failures(owner, campaignId) {
      return failuresFile({ owner, downloads }, await find(owner, campaignId));
    },
  };
}
