import { sql } from "kysely";
import { expect, test } from "vitest";
import { campaignRow } from "../../../tests/support/campaign-rows.ts";
import { composeApp } from "../../../tests/support/compose-app.ts";
import { testDatabase, testLog } from "../../../tests/support/database.ts";

const { database, db } = await testDatabase();

test("stored unusable zones are repaired at the start: no answer is 500, scheduled times stay", async () => {
  const before = await composeApp({ database, log: testLog });
  const [ana, bia] = [await before.signUp("ana"), await before.signUp("bia")];
  await before.close();
  // Known to Node only; to both, as different places; to neither.
  await sql`update account set time_zone = 'US/Pacific-New' where id = ${ana.id}::uuid`.execute(db);
  await sql`update account set time_zone = 'America/Manaus' where id = ${bia.id}::uuid`.execute(db);
  const put = async (account: string, zone: string, at: string | null, wall: string | null) => {
    const id = await campaignRow(db, account, { people: { sent: 1 } });
    await sql`update campaign set zone = ${zone}, scheduled_at = ${at}, scheduled_local = ${wall} where id = ${id}`.execute(
      db,
    );
    return id;
  };
  const lost = await put(ana.id, "US/Pacific-New", null, null);
  const scheduled = await put(bia.id, "IST", "2026-11-27T02:30:00Z", "2026-11-27T08:00");
  const half = await put(bia.id, "Nenhum/Lugar", null, "2026-11-27");
  const good = await put(bia.id, "america/rio_branco", "2026-11-27T13:00:00Z", "2026-11-27T08:00");

  const after = await composeApp({ database, log: testLog });
  try {
    for (const [person, id] of [
      [ana, lost],
      [bia, scheduled],
    ] as const)
      for (const path of ["dashboard", "settings/usage", `campaigns/${id}`, "campaigns"]) {
        const answer = await after.app.hono.request(`/api/${path}`, { headers: { cookie: person.cookie } });
        expect([path, answer.status]).toEqual([path, 200]);
      }
    const { rows } = await sql`select id, zone, scheduled_local as wall,
        (now() at time zone zone)::date is not null as counts, scheduled_at as at from campaign order by id`.execute(
      db,
    );
    expect(rows).toEqual([
      { id: lost, zone: "America/Sao_Paulo", wall: null, counts: true, at: null },
      {
        id: scheduled,
        zone: "America/Manaus",
        wall: "2026-11-26T22:30",
        counts: true,
        at: new Date("2026-11-27T02:30:00Z"),
      },
      { id: half, zone: "America/Manaus", wall: "2026-11-27", counts: true, at: null },
      {
        id: good,
        zone: "america/rio_branco",
        wall: "2026-11-27T08:00",
        counts: true,
        at: new Date("2026-11-27T13:00:00Z"),
      },
    ]);
  } finally {
    await after.close();
  }
});
