import { counted, formatNumber } from "../format.ts";
import type { numberPlanText as portuguese } from "../number-plan.ts";
import type { Texts } from "../texts.ts";

const perDay = (count: number) => counted(count, "new conversation a day", "new conversations a day");

export const numberPlanText: Texts<typeof portuguese> = {
  open: "Plan of the number",
  title: "Plan of the number",
  back: "Back to the connections",
  since: (day) => `in use since ${day}`,
  edit: "Edit plan",
  failed: "The plan could not be loaded",
  gone: { title: "Number not found", text: "It was deleted, or the address is wrong." },
  none: {
    title: "This number has no plan.",
    text: "Campaigns leave at their own pace, at any hour, without a limit on new conversations. That is how numbers get blocked.",
    use: "Use the recommended plan",
    using: "Saving...",
    saved: "Recommended plan in use",
    failed: "The plan could not be saved.",
  },
  states: {
    open: (until) => `Open until ${until}.`,
    closed: (until) => `Outside the hours. Campaigns go on ${until}.`,
    resting: (until) => `Resting. Campaigns go on ${until}.`,
    used_up: (until) =>
      `Today's new conversations are used up. People who already talked go on receiving; new ones go on ${until}.`,
    never_opens: "No day is open: campaigns of this number do not leave.",
  },
  risks: "This plan goes past what is recommended and puts the number at risk:",
  today: {
    label: "New conversations today",
    of: (budget) => `of ${formatNumber(budget)}`,
    left: (count) => `Left today: ${formatNumber(count)}`,
    noLimit: "no limit",
    used: (cold, all) => `${formatNumber(cold)} of ${formatNumber(all)}`,
  },
  warm: {
    label: "Already talked",
    figure: "No limit",
    text: "People who wrote to this number, or got a message from it in the last 12 months. Answers never wait.",
  },
  days: {
    title: "New conversations a day",
    ramp: (from, to, days) =>
      from === to
        ? `${formatNumber(to)} a day until you change it`
        : `From ${formatNumber(from)} to ${formatNumber(to)} in ${formatNumber(days)} days, then ${formatNumber(to)} until you change it`,
    sent: "Begun",
    limit: "Limit of the day",
    day: (day, cold, budget) =>
      budget === 0 && !cold
        ? `${day}: closed`
        : cold === null
          ? `${day}: up to ${perDay(budget)}`
          : `${day}: ${formatNumber(cold)} of ${formatNumber(budget)}`,
  },
  hours: {
    title: "Days and hours",
    holidaysOff: "National holidays: closed.",
    holidaysOn: "National holidays: open.",
    perWeek: (hours) => `${hours} h a week`,
    closed: "closed",
    from: (from, to) => `from ${from} to ${to}`,
    weekdays: ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"],
    short: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"],
  },
  pace: {
    title: "Pace",
    estimate: "estimate",
    cold: {
      label: "Between new conversations",
      why: "Bursts to strangers lead to blocks more than anything else",
    },
    warm: { label: "Between people who already talked", why: "Shorter: both sides know each other" },
    rest: { label: "Rest", why: (after) => `After every ${formatNumber(after)} messages` },
    noRest: "no rest",
    seconds: "s",
    minutes: "min",
    source:
      "WhatsApp does not publish these limits. They are estimates from reports of restricted numbers; a slower campaign takes precedence.",
  },
  uses: {
    title: "Who used it today",
    single: "Single messages",
    free: "Free",
    nothing: "No new conversation today.",
  },
  form: {
    title: "Edit plan",
    save: "Save plan",
    saving: "Saving...",
    saved: "Plan saved",
    failed: "The plan could not be saved.",
    hours: "Days and hours",
    from: (day) => `${day}: from`,
    to: (day) => `${day}: to`,
    holidays: "Do not send on Brazil's national holidays",
    budget: "New conversations a day",
    since: "I use this number since",
    sinceHint: "A new number begins with fewer new conversations.",
    rampFrom: "On the first day",
    rampTo: "After the ramp",
    rampDays: "Days of ramp",
    gaps: "Pace",
    coldLeast: "Between new conversations, from (s)",
    coldMost: "to (s)",
    warmLeast: "Between people who already talked, from (s)",
    warmMost: "to (s)",
    rests: "Rest from time to time",
    restAfter: "After how many messages",
    restLeast: "Rest from (min)",
    restMost: "to (min)",
    number: "Type a whole number.",
    between: (least, most) => `Type ${formatNumber(least)} to ${formatNumber(most)}.`,
    order: "Cannot be less than the beginning.",
    time: "Type a time, such as 08:00.",
    ends: "Must be after the beginning.",
    day: "Type a date.",
    drop: "Use without a plan",
  },
  risky: {
    question: "Save past what is recommended?",
    text: "Numbers that go past these bounds are restricted or banned more often. This is written into the activity.",
    verb: "Save like this",
    saving: "Saving...",
    failed: "The plan could not be saved.",
    back: "Review the plan",
    each: {
      no_plan: "No hours, no limit on new conversations, and no pace of its own",
      cold_per_day: "More than 150 new conversations a day",
      ramp: "A new number with a ramp shorter or steeper than 20 to 150 in 14 days",
      cold_gap: "Less than 45 to 120 seconds between new conversations",
      warm_gap: "Less than 8 to 25 seconds between people who already talked",
      rest: "Less rest than 10 minutes after every 30 messages",
      night: "Messages between 22:00 and 7:00",
    },
  },
};
