import type {
  AudienceCount,
  AudienceQuestion,
  ForecastQuestion,
  NumberChecks,
  PlanForecast,
  Segment,
  SegmentRule,
} from "../../contract/audiences.ts";
import type { Clock } from "../../domain/clock.ts";
import { AppError } from "../../domain/errors.ts";
import { remainingQuota } from "../../domain/new-chats.ts";
import { forecast } from "../../domain/plan-forecast.ts";
import { UNUSED } from "../../domain/plan-pace.ts";
import { dayInZone } from "../../domain/schedule.ts";
import { typed } from "../../domain/variables.ts";
import { record } from "../audit/service.ts";
import { type Changes, publishPeople } from "../db/live-updates.ts";
import type { Owner } from "../db/owner.ts";
import { fieldError } from "../http/errors.ts";
import { audienceOf } from "../sending/sending.ts";
import { findFieldKinds } from "./save-repo.ts";
import { ruleErrors, type SegmentErrors, segmentName } from "./segment-input.ts";

const SHOWN_DAYS = 14;

type StoredSegment = Awaited<ReturnType<ReturnType<typeof audienceOf>["segments"]>>[number];

export class AudienceService {
  readonly #changes: Pick<Changes, "mark">;
  readonly #clock: Pick<Clock, "now">;

  constructor(changes: Pick<Changes, "mark">, clock: Pick<Clock, "now">) {
    this.#changes = changes;
    this.#clock = clock;
  }

  async segments(owner: Owner): Promise<{ items: Segment[] }> {
    return { items: await shown(owner, await audienceOf(owner).segments()) };
  }

  /** `id` null: a new one. */
  async store(owner: Owner, id: number | null, input: { name: string; rule: SegmentRule }): Promise<Segment> {
    const read = segmentName(input.name);
    const [errors = {}] = await errorsOf(owner, [input.rule]);
    if ("error" in read) throw fieldError({ name: read.error, ...errors });
    if (Object.keys(errors).length > 0) throw fieldError(errors);
    const stored = await audienceOf(owner).storeSegment({ id, name: read.name, rule: input.rule });
    if (stored === null) throw fieldError({ name: "segment_taken" });
    publishPeople(this.#changes, owner.accountId);
    const { id: made, name, rule, updatedAt } = stored;
    return { id: made, name, rule, broken: false, updatedAt: updatedAt.toISOString() };
  }

  async remove(owner: Owner, id: number): Promise<{ success: boolean }> {
    await owner.db.transaction().execute(async (tx) => {
      const inside = owner.in(tx);
      const name = (await audienceOf(inside).segments()).find((each) => each.id === id)?.name;
      if (name === undefined) throw new AppError("not_found");
      await audienceOf(inside).deleteSegment(id);
      await record(inside, { kind: "segment_removed", subject: name });
    });
    publishPeople(this.#changes, owner.accountId);
    return { success: true };
  }

  async countSegment(owner: Owner, rule: SegmentRule): Promise<{ people: number }> {
    const [errors = {}] = await errorsOf(owner, [rule]);
    if (Object.keys(errors).length > 0) throw fieldError(errors);
    return { people: await audienceOf(owner).countMeeting(rule) };
  }

  async count(owner: Owner, question: AudienceQuestion): Promise<AudienceCount> {
    return audienceOf(owner).count(await typedQuestion(owner, question));
  }

  /** Null where the number has no plan. */
  async forecast(owner: Owner, wanted: ForecastQuestion): Promise<{ forecast: PlanForecast | null }> {
    const { intervalS, extraS, startsAt, ...question } = wanted;
    const asked = await typedQuestion(owner, question);
    const missing = await audienceOf(owner).findMissing(asked);
    if (missing !== null) throw new AppError("not_found", { field: missing });
    const number = await audienceOf(owner).planned(asked);
    if (!number) return { forecast: null };
    const { plan, zone, own, others, quota } = number;
    const date = this.#clock.now();
    const now = date.getTime();
    const start = Math.max(now, startsAt === null ? now : Date.parse(startsAt));
    const isToday = dayInZone(new Date(start), zone) === dayInZone(new Date(now), zone);
    const { end, why, limitedBy, days } = forecast({
      plan,
      zone,
      now: start,
      people: { warm: own.all - own.cold, cold: own.cold },
      others: { warm: others.all - others.cold, cold: others.cold },
      intervalMs: (intervalS + extraS / 2) * 1_000,
      use: isToday ? number.use : UNUSED,
      coldToday: isToday ? number.coldToday : 0,
      quota: remainingQuota(quota.newChats, quota.begun, date),
    });
    return {
      forecast: {
        people: { warm: own.all - own.cold, cold: own.cold },
        endsAt: end === null ? null : new Date(end).toISOString(),
        why,
        limitedBy,
        days: days.slice(0, SHOWN_DAYS),
        sendingDays: days.filter(({ warm, cold }) => warm + cold > 0).length,
      },
    };
  }

  async countNumberChecks(owner: Owner, question: AudienceQuestion): Promise<NumberChecks> {
    return audienceOf(owner).countNumberChecks(await typedQuestion(owner, question));
  }

  async askNumberChecks(owner: Owner, question: AudienceQuestion): Promise<NumberChecks> {
    return audienceOf(owner).askNumberChecks(await typedQuestion(owner, question));
  }

  async names(owner: Owner, { line, ...question }: AudienceQuestion & { line: string }) {
    return audienceOf(owner).names(await typedQuestion(owner, question), line);
  }
}

async function typedQuestion(owner: Owner, question: AudienceQuestion) {
  const kinds = question.variables.length === 0 ? {} : await findFieldKinds(owner);
  return { ...question, variables: question.variables.map((variable) => typed(variable, kinds)) };
}

async function errorsOf(owner: Owner, rules: readonly SegmentRule[]): Promise<SegmentErrors[]> {
  const fields = new Map(Object.entries(await findFieldKinds(owner)));
  const gone = await audienceOf(owner).goneIn(rules);
  return rules.map((rule) => ruleErrors(rule, fields, gone));
}

async function shown(owner: Owner, segments: readonly StoredSegment[]): Promise<Segment[]> {
  const errors = await errorsOf(
    owner,
    segments.map(({ rule }) => rule),
  );
  return segments.map(({ id, name, rule, updatedAt }, at) => ({
    id,
    name,
    rule,
    broken: Object.keys(errors[at] ?? {}).length > 0,
    updatedAt: updatedAt.toISOString(),
  }));
}
