import type { Control } from "../../simulators/whatsapp/control-answers.ts";
import type { DemoLists } from "./lists.ts";
import { calledBy, type DemoPerson } from "./people.ts";

const phonesOf = (people: DemoPerson[], chosen: (at: number) => boolean) =>
  people.filter((_, at) => chosen(at)).map(({ phone }) => phone);

/** Old numbers are known without their ninth digit, so a missing person must be missing under both forms. */
const oldForm = (phone: string) => phone.slice(0, 4) + phone.slice(5);

const repliers = (people: DemoPerson[]) => people.filter((_, at) => at % 10 === 3);

export async function settlePeople(control: Control, { vip, savassi, ready }: DemoLists): Promise<void> {
  for (const { phone, name } of [...repliers(vip.people), ...savassi.people, ...ready.people])
    await control.people({ phones: [phone], settings: { name: calledBy(name) } });
  const settle = (phones: string[], settings: Parameters<Control["people"]>[0]["settings"]) =>
    control.people({ phones, settings });
  await control.people({ settings: { deliversAfterMs: 150, readsAfterMs: null } });
  await settle(
    phonesOf(savassi.people, (at) => at % 4 !== 0),
    { readsAfterMs: 900 },
  );
  await settle(
    phonesOf(savassi.people, (at) => at % 20 === 8),
    { deliversAfterMs: null, readsAfterMs: null },
  );
  await settle(
    phonesOf(ready.people, (at) => at % 3 === 1),
    { readsAfterMs: 700 },
  );
  const absent = phonesOf(ready.people, (at) => at % 13 === 6);
  await settle([...absent, ...absent.map(oldForm)], { onWhatsApp: false });
  await settle(
    phonesOf(ready.people, (at) => at % 21 === 10),
    { refusesWith: 406 },
  );
  for (const [every, readsAfterMs] of [2_500, 6_000, 15_000, 40_000, 90_000].entries()) {
    await settle(
      phonesOf(vip.people, (at) => at % 7 === every),
      { deliversAfterMs: 900, readsAfterMs },
    );
  }
  await settle(
    phonesOf(vip.people, (at) => at % 7 === 6),
    { deliversAfterMs: 5_000 },
  );
  await settle(
    repliers(vip.people).map(({ phone }) => phone),
    { repliesWith: "Quero sim! Vocês abrem no sábado?", repliesAfterMs: 8_000 },
  );
  const moved = phonesOf(vip.people, (at) => at % 60 === 11);
  await settle([...moved, ...moved.map(oldForm)], { onWhatsApp: false });
}
