import type { proto, WASocket } from "baileys";
import { expect, test } from "vitest";
import { testLog } from "../../../../tests/support/database.ts";
import { Acks } from "./acks.ts";
import { sendAndAwaitAck } from "./send.ts";

const JID = "5511911110001@s.whatsapp.net";
const OURS = "5511900000001:9@s.whatsapp.net";

const said = (code: number) => Object.assign(new Error("not-acceptable"), { data: code });
const ofBaileys = (text: string, statusCode: number) =>
  Object.assign(new Error(text), { output: { statusCode } });

function sendWith(parts: Partial<Record<keyof WASocket, unknown>>) {
  const sock = {
    ws: { isOpen: true },
    authState: {
      creds: { me: { id: "5511900000001:7@s.whatsapp.net" } },
      keys: { transaction: (work: () => Promise<void>) => work() },
    },
    userDevicesCache: { get: async () => [{ device: 0 }], set: async () => undefined },
    getUSyncDevices: async () => [{ user: "5511911110001", jid: JID }],
    assertSessions: async () => false,
    relayMessage: async () => "A",
    ...parts,
  } as unknown as WASocket;
  const now = () => new Date();
  return sendAndAwaitAck(
    {
      sock,
      now,
      log: testLog,
      groups: new Map(),
      mayAct: () => true,
      newConversation: async () => ({ kind: "refused", code: "wa_463", passing: false }),
      acks: new Acks({ timeoutMs: 20, now, late: () => undefined }),
    },
    { jid: JID, messageId: "A", content: {} as proto.IMessage },
  );
}

test("keys that WhatsApp refuses are the person's; a silence after a refusal says nothing of them", async () => {
  const answers = (...errors: Error[]) => sendWith({ assertSessions: () => Promise.reject(errors.shift()) });
  expect(await answers(said(404), said(404))).toMatchObject({ kind: "refused", code: "no_session" });
  for (const silence of [ofBaileys("Timed Out", 408), said(503), said(429)])
    expect((await answers(said(404), silence)).kind).toBe("stop");
});

test.each([
  ["the connection ended during the query", ofBaileys("Connection Terminated", 428)],
  ["keys could not be stored behind it", new Error("keys not stored")],
])("whatever may have been written stays in doubt: %s", async (_, error) => {
  expect(await sendWith({ relayMessage: () => Promise.reject(error) })).toEqual({
    kind: "ambiguous",
    reason: "no_ack",
  });
});

test("a connection that was closed before the write proves that nothing left", async () => {
  const closed = ofBaileys("Connection Closed", 428);
  expect(await sendWith({ relayMessage: () => Promise.reject(closed) })).toMatchObject({
    kind: "stop",
    cause: "not_connected",
  });
});

test.each([
  ["theirs", OURS],
  ["ours", JID],
])("a silence about the keys of %s leaves nothing written", async (_, known) => {
  const parts = {
    getUSyncDevices: async () => [
      { user: "5511911110001", jid: JID },
      { user: "5511900000001", jid: OURS },
    ],
    assertSessions: async () => true,
    signalRepository: { validateSession: async (jid: string) => ({ exists: jid === known }) },
  };
  expect(await sendWith(parts)).toEqual({ kind: "stop", cause: "lookup_failed", retryAt: null });
});
