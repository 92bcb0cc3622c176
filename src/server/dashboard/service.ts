import type { Dashboard, FirstSteps } from "../../contract/dashboard.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { dayInZone } from "../../domain/schedule.ts";
import { type CampaignService, newestNames, type RecentCampaigns } from "../campaigns/service.ts";
import { contactCounts } from "../contacts/service.ts";
import { readZone } from "../db/account.ts";
import type { Owner } from "../db/owner.ts";
import { campaignsOf } from "../sending/sending.ts";
import { chart, difference, gauge, growth, intervalOf, rateOf, WINDOW_DAYS, windows } from "./figures.ts";
import { findFirstSteps } from "./repo.ts";

const RECENT = 6;
const OPTIONS = 200;

type Shown = RecentCampaigns["items"][number];
const DAY_MS = 86_400_000;

export type DashboardDeps = {
  clock: Pick<Clock, "now">;
  campaigns: Pick<CampaignService, "get" | "recent" | "countOne">;
};

export type DashboardService = {
  get(owner: Owner, asked: { campaignId: number | undefined; days: number }): Promise<Dashboard>;
  names(owner: Owner): Promise<Dashboard["options"]>;
  firstSteps(owner: Owner): Promise<FirstSteps>;
};

export function dashboardService({ clock, campaigns }: DashboardDeps): DashboardService {
  async function newest(owner: Owner, campaignId: number | undefined) {
    if (campaignId === undefined) return campaigns.recent(owner, RECENT);
    const one = await campaigns.get(owner, campaignId);
    return { items: [one], statuses: campaigns.countOne(one) };
  }

  async function contacts(owner: Owner, one: Shown | undefined, now: Date) {
    if (one) return { value: peopleOf(one), change: null };
    const counted = await contactCounts.countPeople(owner, new Date(now.getTime() - WINDOW_DAYS * DAY_MS));
    return { value: counted.now, change: growth(counted.now, counted.before) };
  }

  async function options(owner: Owner, chosen: Shown | undefined) {
    const newest = await newestNames(owner, OPTIONS + 1);
    const offered = newest.slice(0, OPTIONS);
    const older = chosen && !offered.some(({ id }) => id === chosen.id);
    if (older) offered.push({ id: chosen.id, name: chosen.name });
    return {
      options: offered,
      moreBefore: newest.length > OPTIONS ? (newest[OPTIONS - 1]?.id ?? null) : null,
    };
  }

  return {
    firstSteps: findFirstSteps,
    names: (owner) => newestNames(owner, null),

    async get(owner, { campaignId, days: chartDays }) {
      const now = clock.now();
      const { items, statuses } = await newest(owner, campaignId);
      const zone = await readZone(owner);
      if (!zone) throw new AppError("not_found");
      const today = dayInZone(now, zone);
      const days = await campaignsOf(owner).days(campaignId);
      const { last, before, all } = windows(days, today);
      const round = gauge(await campaignsOf(owner).totals(campaignId));
      return {
        cards: {
          sent: { value: round.delivered, change: growth(last.accepted, before.accepted) },
          contacts: await contacts(owner, campaignId === undefined ? undefined : items[0], now),
          rate: {
            value: round.rate,
            change: difference(rateOf(last), rateOf(before)),
            confirmed: round.confirmedRate,
          },
          interval: { value: intervalOf(all), change: growth(intervalOf(last), intervalOf(before)) },
        },
        days: chart(days, today, chartDays),
        statuses,
        gauge: round,
        recent: items.map(recentOf),
        ...(await options(owner, campaignId === undefined ? undefined : items[0])),
        zone,
      };
    },
  };
}

const messagesOf = ({ status, started, people }: Shown) =>
  status === "cancelled" && !started ? null : people;

const peopleOf = (campaign: Shown) =>
  messagesOf(campaign) ?? (campaign.resendsId !== null && campaign.status !== "cancelled" ? null : 0);

function recentOf(campaign: Shown): Dashboard["recent"][number] {
  const { id, name, status, started, rate, date } = campaign;
  return { id, name, status, started, messages: messagesOf(campaign), rate, date };
}
