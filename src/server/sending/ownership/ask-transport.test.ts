import { expect, test } from "vitest";
import type { LaneTransport } from "../../transports/transport.ts";
import { askTransport } from "./ask-transport.ts";

const taken = { accountId: "a", connectionId: 7 };

test("what a group is called is asked of the connection's transport, and stored where it answers", async () => {
  const stored: unknown[] = [];
  const ask = (groupSubject?: LaneTransport["groupSubject"]) =>
    askTransport(
      { taken, transport: { groupSubject } as LaneTransport },
      "group",
      "1@g.us",
      async (...args) => {
        stored.push(args);
      },
    );
  await ask(async (jid) => `Vizinhos de ${jid}`);
  await ask(async () => null);
  await ask();
  await askTransport(undefined, "group", "1@g.us", undefined);
  expect(stored).toEqual([[taken, "1@g.us", "Vizinhos de 1@g.us"]]);
});
