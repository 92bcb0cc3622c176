import type { Usage } from "../../contract/settings.ts";
import type { Clock } from "../../domain/clock.ts";
import type { LimitName } from "../../domain/limits.ts";
import type { Owner } from "../db/owner.ts";
import { accountSendingOf } from "../sending/sending.ts";
import { readAllLimits } from "./limits.ts";

/** E-mails are automatic, so their use is not shown. */
const NOT_SHOWN: ReadonlySet<LimitName> = new Set(["letters_an_hour"]);

export type UsageDeps = {
  clock: Pick<Clock, "now">;
  planOf(owner: Owner): Promise<{ timeZone: string; monthlyLimit: number | null }>;
};

export type UsageService = { usage(owner: Owner): Promise<Usage> };

export function usageService({ clock, planOf }: UsageDeps): UsageService {
  return {
    async usage(owner) {
      const now = clock.now();
      const { timeZone, monthlyLimit } = await planOf(owner);
      const { month, renewsAt, months } = await accountSendingOf(owner).usage(timeZone, now);
      const { campaigns, single } = months.find((one) => one.month === month) ?? { campaigns: 0, single: 0 };
      return {
        month,
        campaigns,
        single,
        total: campaigns + single,
        limit: monthlyLimit,
        limits: (await readAllLimits(owner)).filter(({ name }) => !NOT_SHOWN.has(name)),
        renewsAt: renewsAt.toISOString(),
        history: months
          .filter((one) => one.month < month)
          .map((one) => ({ month: one.month, total: one.campaigns + one.single })),
      };
    },
  };
}
