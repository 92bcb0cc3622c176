import { expect, test, vi } from "vitest";
import { testDatabase } from "../../../../tests/support/database.ts";
import { laneLab } from "../../../../tests/support/lane-lab.ts";
import { DELIVERY } from "../../../domain/delivery.ts";
import type { LookupResult } from "../../transports/transport.ts";

const { db, database } = await testDatabase();
const { arrange } = laneLab({ db, database });

test("a look-up that outlasts a closing lane: nothing is sent, and the person comes back unsent", async () => {
  const it = await arrange({ people: 1 });
  const answer = Promise.withResolvers<LookupResult>();
  const lookup = vi.fn(() => answer.promise);
  it.phone.transport.lookup = lookup;
  const lane = await it.run();
  await it.until(() => lookup.mock.calls.length === 1);
  expect(await lane.close(1)).toEqual([]);
  answer.resolve({ kind: "found", address: { jid: "5511988887777@s.whatsapp.net", lid: null } });
  const unrecorded = await lane.close(10_000);
  expect(unrecorded).toMatchObject([
    {
      campaignId: it.campaignId,
      moves: [{ seq: 0, to: DELIVERY.waiting }],
      options: { from: [DELIVERY.sending] },
    },
  ]);
  expect(it.phone.frames).toEqual([]);
});
