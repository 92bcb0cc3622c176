import type { NoLastDay } from "../../../domain/campaign-calendar.ts";
import type { calendarText as portuguese } from "../calendar.ts";
import { counted, formatNumber } from "../format.ts";
import { localeText } from "../locale.ts";
import type { Texts } from "../texts.ts";

const list = new Intl.ListFormat(localeText.locale);

const why: Record<NoLastDay, string> = {
  never_opens: "the number's plan is open on no day",
  no_budget: "the number's plan allows no new conversations",
  too_far: "it goes beyond what can be predicted",
  paused: "paused",
  no_connection: "no connection can send",
  audience_gone: "its list or audience is gone",
  unknown_pace: "without an interval between messages, the pace is known only while it sends",
};

const people = (count: number) => counted(count, "person", "people");

export const calendarText: Texts<typeof portuguese> = {
  title: "Calendar of campaigns",
  open: "Calendar",
  campaigns: "See campaigns",
  create: "New Campaign",
  none: "None this month",
  fact: (all, scheduled) =>
    `${counted(all, "campaign", "campaigns")} this month${scheduled === 0 ? "" : `, ${formatNumber(scheduled)} scheduled`}`,
  failed: "The calendar could not be loaded",
  months: "Choose the month",
  previous: "Previous month",
  next: "Next month",
  now: "Today",
  weeks: (month) => `Weeks of ${month}`,
  days: (month) => `Days of ${month}`,
  weekdays: ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"],
  today: "today",
  holiday: "holiday",
  empty: (month) => `No campaign in ${month}.`,
  emptyAhead: "Nothing is expected until the end of the month.",
  past: "Show past days",
  more: (count) => `+${formatNumber(count)}`,
  moreSaid: (count) => `Show ${counted(count, "more campaign", "more campaigns")} of this week`,
  fewer: "Show fewer",
  messages: (count) => counted(count, "message", "messages"),
  cut: "There are more campaigns than fit here: the nearest are shown.",
  people,
  clash: "in conflict",
  fromTo: (from, to) => `from ${from} to ${to}`,
  since: (from) => `since ${from}, no known end`,
  endless: "No known end",
  why,
  legend: {
    over: "Completed or ended",
    sending: "Sending",
    scheduled: "Scheduled",
    paused: "Paused",
    clash: "In conflict",
    marks: (names) => `Marks at the foot of a day: load of ${list.format(names)}`,
  },
  conflicts: {
    title: "Conflicts",
    none: "No conflict in sight.",
    when: (from, to, name) => (from === to ? `${from}, ${name}` : `${from} to ${to}, ${name}`),
    shared: (names) => `${list.format(names)} share this number.`,
    later: (name, alone, together) =>
      `Alone, ${name} would end on ${alone}; like this it lasts until ${together}.`,
    same: (name, day) => `${name} ends on ${day} all the same.`,
    endless: (name) => `${name} does not end within what can be predicted.`,
    change: (name) => `Change ${name}`,
    see: (name) => `See ${name}`,
    often: (count) => `${people(count)}, 3 or more campaigns in 7 days`,
    oftenDays: (from, to) => (from === to ? `On ${from}.` : `From ${from} to ${to}.`),
    keptOut: (limit) =>
      `By the limit of ${counted(limit, "campaign", "campaigns")} a week, they are left out of the last one.`,
    limit: "Limit per week",
    counted:
      "What arrived in the last 7 days counts, as do people who wait in running or paused campaigns, and the audience of scheduled ones.",
    tooMany: "There are too many people to count who gets 3 or more campaigns in 7 days.",
  },
  loads: {
    title: "Load of each number",
    none: "No messages in this month.",
    noPlan: "no plan",
    within: "within the limit",
    over: (days) => `${counted(days, "day", "days")} over the limit`,
    past: "Past",
    predicted: "Predicted",
    overKey: "Over the limit",
    sent: (count) => `${formatNumber(count)} sent`,
    expected: (count) => counted(count, "predicted message", "predicted messages"),
    cold: (count, budget) =>
      `${counted(count, "new conversation", "new conversations")} of ${formatNumber(budget)}`,
    wanted: (count) => `${formatNumber(count)} wanted`,
  },
};
