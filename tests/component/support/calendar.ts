import type {
  CalendarCampaign,
  CampaignCalendar,
  NumberDay,
} from "../../../src/contract/campaign-calendar.ts";
import { weeksOf } from "../../../src/domain/campaign-calendar.ts";

export const emptyMonth = (month: string, today: string): CampaignCalendar => ({
  month,
  today,
  campaigns: [],
  cut: false,
  holidays: [],
  numbers: [],
  conflicts: { shared: [], often: { people: 0, from: null, to: null, weeklyLimit: null } },
});

export function calendarCampaign(given: Partial<CalendarCampaign> & { id: number }): CalendarCampaign {
  return {
    name: `Campanha ${given.id}`,
    status: "completed",
    connectionId: 7,
    connectionName: "Matriz – Centro",
    first: "2026-11-03",
    last: "2026-11-03",
    why: null,
    people: 64,
    ...given,
  };
}

const MONTH = "2026-11";
const TODAY = "2026-11-20";
const BUDGET = 60;
const nth = (day: string) => (day.startsWith(MONTH) ? Number(day.slice(8)) : 30 + Number(day.slice(8)));

function days(load: { sent?: Record<number, number>; asks?: Record<number, number> }): NumberDay[] {
  return weeksOf(MONTH)
    .flat()
    .map((day) => {
      const wanted = load.asks?.[nth(day)] ?? 0;
      const cold = Math.min(wanted, BUDGET);
      const sent = load.sent?.[nth(day)] ?? 0;
      return { day, sent, predicted: cold, cold, wanted, budget: day < TODAY ? null : BUDGET };
    });
}

const SAVASSI = { connectionId: 8, connectionName: "Unidade Savassi" };

/** November 2026, seen on its 20th. */
export function busyMonth(long = "Semana da saúde"): CampaignCalendar {
  const reminder = { ...SAVASSI, id: 5, name: "Retorno anual – exame de vista", status: "sending" } as const;
  const friday = { ...SAVASSI, id: 6, name: "Black Friday – clientes VIP", status: "scheduled" } as const;
  return {
    ...emptyMonth(MONTH, TODAY),
    campaigns: [
      calendarCampaign({ id: 1, name: long }),
      calendarCampaign({ id: 2, name: "Seus óculos chegaram", first: "2026-11-04", last: "2026-11-06" }),
      calendarCampaign({
        id: 3,
        name: "Coleção primavera",
        first: "2026-11-09",
        last: "2026-11-13",
        people: 1250,
      }),
      calendarCampaign({
        id: 4,
        name: "Loja reformada",
        first: "2026-11-16",
        last: null,
        why: "paused",
        status: "paused",
      }),
      calendarCampaign({ ...reminder, first: "2026-11-17", last: "2026-12-03", people: 410 }),
      calendarCampaign({ ...friday, first: "2026-11-26", last: "2026-12-05", people: 480 }),
      calendarCampaign({
        id: 7,
        name: "Natal antecipado",
        status: "scheduled",
        first: "2026-12-01",
        last: "2026-12-03",
        people: 896,
      }),
      calendarCampaign({
        id: 8,
        name: "Sem público",
        status: "scheduled",
        first: "2026-11-27",
        last: null,
        why: "audience_gone",
        people: null,
      }),
      calendarCampaign({
        id: 9,
        name: "Lembrete de exame",
        status: "scheduled",
        first: "2026-11-27",
        last: "2026-11-28",
        people: 96,
      }),
    ],
    holidays: ["2026-11-02", "2026-11-15", "2026-11-20"],
    numbers: [
      {
        connectionId: 7,
        name: "Matriz – Centro",
        planned: false,
        days: days({
          sent: { 3: 62, 4: 18, 5: 14, 6: 8, 9: 80, 10: 84, 11: 77, 12: 72, 13: 40, 16: 30, 17: 24 },
          asks: { 27: 50, 28: 46 },
        }),
      },
      {
        connectionId: 8,
        name: "Unidade Savassi",
        planned: true,
        days: days({
          sent: { 17: 57, 18: 60, 19: 58 },
          asks: { 21: 57, 23: 57, 24: 60, 25: 60, 26: 120, 27: 120, 28: 120, 30: 98, 31: 60, 32: 60, 33: 30 },
        }),
      },
    ],
    conflicts: {
      shared: [
        {
          connectionId: 8,
          name: "Unidade Savassi",
          from: "2026-11-26",
          to: "2026-12-03",
          campaigns: [
            { id: 5, name: reminder.name, scheduled: false, alone: "2026-11-30", together: "2026-12-03" },
            { id: 6, name: friday.name, scheduled: true, alone: "2026-12-01", together: "2026-12-05" },
          ],
        },
      ],
      often: { people: 31, from: "2026-11-23", to: "2026-11-28", weeklyLimit: null },
    },
  };
}
