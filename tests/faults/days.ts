import { setTimeout as pause } from "node:timers/promises";
import { sql } from "kysely";
import { BOUNDLESS_PLAN, type NumberPlan } from "../../src/domain/number-plan.ts";
import type { Db } from "../../src/server/db/client.ts";
import { until } from "./installation.ts";
import type { ProductClock } from "./product-clock.ts";
import { Spans } from "./spans.ts";

/** São Paulo has no summer time. */
const ZONE_MS = 3 * 3_600_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const OPENS_H = 8;
const CLOSES_H = 20;

/** Real time. */
const BACK_MS = 1_500;
const END_MS = 200;

/** Less than clocks may differ by. */
const SKEW_MS = 60_000;

export type Moment = { isOpen: boolean; day: number };

/** Days of a planned number that pass within seconds. */
export type Days = {
  begin(budget: number): Promise<void>;
  evening(): Promise<void>;
  night(): Promise<void>;
  morning(): Promise<void>;
  putClockBack(): Promise<void>;
  end(): Promise<void>;
  momentsBefore(real: number): Moment[];
};

const dayOf = (time: number) => Math.floor((time - ZONE_MS) / DAY_MS);
const wall = (day: number, hours: number) => day * DAY_MS + ZONE_MS + hours * HOUR_MS;

export function momentAt(time: number): Moment {
  const day = dayOf(time);
  return { day, isOpen: time >= wall(day, OPENS_H) && time < wall(day, CLOSES_H) };
}

export class ClockDays implements Days {
  readonly #db: Db;
  readonly #clock: ProductClock;
  #day = 0;

  constructor(db: Db, clock: ProductClock) {
    this.#db = db;
    this.#clock = clock;
  }

  async begin(budget: number): Promise<void> {
    const hours = { from: OPENS_H * 60, to: CLOSES_H * 60 };
    await storePlan(this.#db, planWith(budget, hours));
    this.#day = dayOf(this.#clock.now()) + 1;
    await this.#put(OPENS_H + 1);
  }

  async evening(): Promise<void> {
    await this.#put(CLOSES_H, -END_MS);
    await pause(2 * END_MS);
  }

  async night(): Promise<void> {
    this.#day += 1;
    await this.#put(1);
  }

  morning(): Promise<void> {
    return this.#put(OPENS_H, -END_MS);
  }

  async putClockBack(): Promise<void> {
    await this.#put(OPENS_H - 0.5);
    await pause(BACK_MS);
    await this.#put(OPENS_H + 0.5);
  }

  async end(): Promise<void> {
    await storePlan(this.#db, null);
    await this.#clock.putRight();
  }

  momentsBefore(real: number): Moment[] {
    return this.#clock.timesBefore(real).map(momentAt);
  }

  #put(hours: number, moreMs = 0): Promise<void> {
    return this.#clock.put(wall(this.#day, hours) + moreMs);
  }
}

const ALL_DAY = { from: 0, to: 1440 };

/** A gateway's doubts are matched by time: its clocks stay near each other, so the plan changes instead. */
export class PlanDays implements Days {
  readonly #db: Db;
  readonly #clock: ProductClock;
  readonly #spans = new Spans<Moment>({ isOpen: true, day: 0 });
  #budget = 0;

  constructor(db: Db, clock: ProductClock) {
    this.#db = db;
    this.#clock = clock;
  }

  async begin(budget: number): Promise<void> {
    this.#budget = budget;
    await storePlan(this.#db, planWith(budget, ALL_DAY));
  }

  evening(): Promise<void> {
    return this.#change({ isOpen: false });
  }

  night(): Promise<void> {
    const aged = sql`update cold_message set at = at - interval '1 day'`;
    const day = this.#spans.last().day + 1;
    return this.#spans.change({ isOpen: false, day }, () =>
      whenUp("a new day", () => aged.execute(this.#db)),
    );
  }

  morning(): Promise<void> {
    return this.#change({ isOpen: true });
  }

  async putClockBack(): Promise<void> {
    await this.#clock.put(this.#clock.now() - SKEW_MS);
    await pause(BACK_MS);
    await this.#clock.put(this.#clock.now() + 2 * SKEW_MS);
    await pause(BACK_MS);
    await this.#clock.putRight();
  }

  async end(): Promise<void> {
    await storePlan(this.#db, null);
    await this.#clock.putRight();
  }

  momentsBefore(real: number): Moment[] {
    return this.#spans.before(real).map(({ what }) => what);
  }

  #change({ isOpen }: Pick<Moment, "isOpen">): Promise<void> {
    const plan = JSON.stringify(planWith(this.#budget, isOpen ? ALL_DAY : null));
    const stored = sql`update number_plan set plan = ${plan}::jsonb`;
    return this.#spans.change({ ...this.#spans.last(), isOpen }, () =>
      whenUp("other hours", () => stored.execute(this.#db)),
    );
  }
}

const planWith = (budget: number, hours: NumberPlan["hours"][number]): NumberPlan => ({
  ...BOUNDLESS_PLAN,
  hours: Array.from({ length: 7 }, () => hours),
  ramp: { from: budget, to: budget, days: 1 },
  coldGapS: { least: 0.02, most: 0.04 },
});

/** A killed product's next start may stop the database first. */
const whenUp = async (what: string, act: () => Promise<unknown>): Promise<void> => {
  await until(what, async () => {
    await act();
    return true;
  });
};

const storePlan = (db: Db, plan: NumberPlan | null): Promise<void> =>
  whenUp("the plan", () =>
    db.transaction().execute(async (tx) => {
      await sql`delete from number_plan`.execute(tx);
      await sql`delete from cold_message`.execute(tx);
      await sql`delete from number_incident`.execute(tx);
      if (plan !== null)
        await sql`insert into number_plan (connection_id, plan)
          select id, ${JSON.stringify(plan)}::jsonb from connection`.execute(tx);
    }),
  );
