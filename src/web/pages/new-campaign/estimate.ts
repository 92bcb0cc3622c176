import type { Connection } from "../../../contract/connections.ts";
import { estimatedEnd, secondsPerMessage } from "../../../domain/campaign.ts";
import { formatDuration, formatNumber, formatOn, formatSentence, formatTime } from "../../messages/format.ts";
import { newCampaignText as t } from "../../messages/new-campaign.ts";
import { type CampaignForm, messagesOf } from "./form.ts";
import { sendsNow } from "./use-connection-choice.ts";
import { meantInstant } from "./wall-time.ts";

type Through = Pick<Connection, "state" | "cause" | "campaigns">;

const seconds = (typed: string) => (/^\d+$/.test(typed.trim()) ? Number(typed) : null);

/**
 * Null until known. `through`: the connection, null if none, undefined if unknown; campaigns now on it take
 * turns with this one. `unbound`: campaigns scheduled for the default connection.
 */
export function estimateWords(
  form: CampaignForm,
  people: number | null,
  zone: string,
  now: Date,
  through?: Through | null,
  unbound = 0,
): { fact: string; course: string } | null {
  const interval = seconds(form.intervalS);
  const extra = form.extraS.trim() === "" ? 0 : seconds(form.extraS);
  if (!people || interval === null || extra === null) return null;
  const others = (form.when === "now" && through?.campaigns.sending) || 0;
  const alone = secondsPerMessage({ intervalS: interval, extraS: extra, sharing: 1, seenS: null });
  const each = others > 0 ? null : alone;
  const messages = messagesOf(form).length;
  const total = people * messages;
  const all = total === 1 ? t.estimateOne : t.estimateCount(formatNumber(total));
  const count = messages > 1 ? t.estimateEach(all, messages) : all;
  const pace = others > 0 ? t.estimateShared(others) : t.estimatePace;
  const fact = `${count}, ${each === null ? pace : formatDuration(people * each)}.`;
  if (form.when === "now") {
    if (through === null) return { fact, course: "" };
    if (through && !sendsNow(through, form.attachment !== null)) return { fact, course: t.startsOnceAble };
    const end = estimatedEnd(now, people, each);
    return {
      fact,
      course: end ? t.startsNow(formatOn(end.toISOString(), zone, now)) : t.startsNowNoEnd,
    };
  }
  const start = meantInstant(form.date, form.time, zone, now);
  if (!start.ok) return { fact, course: "" };
  const from = formatSentence(start.at.toISOString(), zone);
  const end = estimatedEnd(start.at, people, each);
  if (!end) return { fact, course: t.startsAtNoEnd(from) };
  const { sending, scheduled } = through?.campaigns ?? { sending: 0, scheduled: 0 };
  const startsAt = sending + scheduled > 0 || unbound > 0 ? t.startsAtAlone : t.startsAt;
  return { fact, course: startsAt(from, endWords(start.at, end, zone)) };
}

function endWords(start: Date, end: Date, zone: string): string {
  const day = new Intl.DateTimeFormat("en-CA", { timeZone: zone });
  if (day.format(start) === day.format(end)) return t.endsSameDay(formatTime(end, zone));
  return formatSentence(end.toISOString(), zone);
}
