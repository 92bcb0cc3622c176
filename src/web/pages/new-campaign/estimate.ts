import { estimatedEnd, secondsPerMessage } from "../../../domain/campaign.ts";
import { formatDuration, formatNear, formatNumber, formatSentence, formatTime } from "../../format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import type { CampaignForm } from "./form.ts";
import { meantInstant } from "./wall-time.ts";

const seconds = (typed: string) => (/^\d+$/.test(typed.trim()) ? Number(typed) : null);

/** How long the campaign will take, when it starts and ends, in two sentences; null until that can be said. */
export function estimateWords(
  form: CampaignForm,
  people: number | null,
  zone: string,
  now: Date,
): { fact: string; course: string } | null {
  const interval = seconds(form.intervalS);
  const extra = form.extraS.trim() === "" ? 0 : seconds(form.extraS);
  if (!people || interval === null || extra === null) return null;
  const each = secondsPerMessage({ intervalS: interval, extraS: extra, sharing: 1, seenS: null });
  const count = people === 1 ? t.estimateOne : t.estimateCount(formatNumber(people));
  const fact = `${count}, ${each === null ? t.estimatePace : formatDuration(people * each)}.`;
  if (form.when === "now") {
    const end = estimatedEnd(now, people, each);
    return {
      fact,
      course: end ? t.startsNow(formatNear(end.toISOString(), zone, now)) : t.startsNowNoEnd,
    };
  }
  const start = meantInstant(form.date, form.time, zone, now);
  if (!start.ok) return { fact, course: "" };
  const from = formatSentence(start.at.toISOString(), zone);
  const end = estimatedEnd(start.at, people, each);
  return { fact, course: end ? t.startsAt(from, endWords(start.at, end, zone)) : t.startsAtNoEnd(from) };
}

/** On the day it starts the time is enough. */
function endWords(start: Date, end: Date, zone: string): string {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  if (day.format(start) === day.format(end)) return t.endsSameDay(formatTime(end, zone));
  return formatSentence(end.toISOString(), zone);
}
