import { expect, test } from "vitest";
import { manualClock } from "../../../../tests/support/manual-clock.ts";
import { scriptedTransport } from "../../../../tests/support/scripted-transport.ts";
import { AppError } from "../../../domain/errors.ts";
import { LANE_TIMES } from "../ledger/timing.ts";
import { type DeliverDeps, deliver } from "./deliver.ts";
import type { OutgoingMessage } from "./outgoing-message.ts";
import { type AbortReason, RecipientSignal } from "./recipient-signal.ts";

const PERSON: OutgoingMessage = {
  owner: { kind: "person", accountId: "a", campaignId: 1, seq: 0, part: 0 },
  phone: "5511988887777",
  to: { jid: "5511988887777@s.whatsapp.net", lid: null },
  tries: 0,
  ambiguous: false,
  mayHaveArrived: false,
  messageId: "3EB0",
  text: "Oi",
  attachmentId: 1,
};

/** `happens` while the picture is prepared, the last wait before the write. */
async function delivered(
  happens: (signal: RecipientSignal, lease: { ours: boolean }) => void,
  message = PERSON,
) {
  const phone = scriptedTransport();
  const signal = new RecipientSignal();
  const lease = { ours: true };
  const deps: DeliverDeps = {
    transport: phone.transport,
    clock: manualClock(),
    times: LANE_TIMES,
    resendsDoubts: true,
    marks: null,
    media: async () => happens(signal, lease),
    mayAct: () => lease.ours,
    takeSlot: () => {},
    isWarm: async () => false,
  };
  const { result, stop } = await deliver(deps, message, signal);
  return { to: result.to, error: "error" in result ? result.error : null, stop, sent: phone.frames.length };
}

const back = { to: "waiting", error: null, stop: null, sent: 0 };

test("a lease lost before the write: nothing is sent, the recipient waits", async () => {
  const stop = { cause: "not_connected", retryAt: null };
  const lost = await delivered((_, lease) => {
    lease.ours = false;
  });
  expect(lost).toEqual({ ...back, stop });
});

test.each<AbortReason>(["halted", "closing"])(
  "%s before the write: nothing is sent, the recipient waits",
  async (why) => {
    expect(await delivered((signal) => signal.abort(why))).toEqual(back);
  },
);

test("an opt-out before the write: skipped, or «A verificar» if an earlier attempt may have arrived", async () => {
  const optOut = (signal: RecipientSignal) => signal.abort("opted_out");
  expect(await delivered(optOut)).toEqual({ ...back, to: "skipped", error: "opted_out" });
  const doubtful = { ...PERSON, mayHaveArrived: true };
  expect(await delivered(optOut, doubtful)).toEqual({ ...back, to: "uncertain", error: "opted_out" });
});

test("an opt-out replaces a stopped campaign as the reason, and stays", async () => {
  const both = (signal: RecipientSignal) => {
    for (const why of ["halted", "asked_to_leave", "closing"] as const) signal.abort(why);
  };
  expect(await delivered(both)).toEqual({ ...back, to: "skipped", error: "asked_to_leave" });
});

test("a file that is lost ends its recipient, proven unsent; a store that is away keeps them waiting", async () => {
  const failing = (code: "attachment_lost" | "attachment_too_large" | "unavailable") => () => {
    throw new AppError(code);
  };
  expect(await delivered(failing("attachment_lost"))).toEqual({ ...back, to: "error", error: "file_lost" });
  const large = await delivered(failing("attachment_too_large"));
  expect(large).toEqual({ ...back, to: "error", error: "file_too_large" });
  const doubtful = { ...PERSON, mayHaveArrived: true };
  const doubt = await delivered(failing("attachment_lost"), doubtful);
  expect(doubt).toEqual({ ...back, to: "uncertain", error: "file_lost" });
  const stop = { cause: "upload_failed", retryAt: null };
  expect(await delivered(failing("unavailable"))).toEqual({ ...back, stop });
});
