import { createHash, randomBytes } from "node:crypto";
import { aesEncryptGCM, hmacSign, proto, type WAMessage } from "baileys";
import { expect, test } from "vitest";
import { readIncoming } from "./incoming-message.ts";
import { sealedVotes } from "./sealed-votes.ts";

const ME = { id: "5531999990000:3@s.whatsapp.net", lid: "999@lid" };
const CHAT = "5531988560099@s.whatsapp.net";
const LID = "4455@lid";

const message = (id: string, content: proto.IMessage, fromMe = false): WAMessage => ({
  key: { id, remoteJid: LID, remoteJidAlt: CHAT, fromMe },
  message: content,
  messageTimestamp: 1_790_000_000,
});

const poll = (secret: Uint8Array) =>
  message("POLL", {
    messageContextInfo: { messageSecret: secret },
    pollCreationMessageV3: {
      name: "Qual dia?",
      options: [{ optionName: "Sábado" }, { optionName: "Domingo" }],
    },
  });

/** As WhatsApp seals a vote: `voter` is the address that the writer's phone used. */
function vote(
  secret: Uint8Array,
  chosen: readonly string[],
  { creator = LID, voter = LID, fromMe = false } = {},
) {
  const bytes = (text: string) => Buffer.from(text);
  const sign = Buffer.concat([
    bytes("POLL"),
    bytes(creator),
    bytes(voter),
    bytes("Poll Vote"),
    bytes("\u0001"),
  ]);
  const key = hmacSign(sign, hmacSign(secret, new Uint8Array(32), "sha256"), "sha256");
  const selectedOptions = chosen.map((option) => createHash("sha256").update(option).digest());
  const plain = proto.Message.PollVoteMessage.encode({ selectedOptions }).finish();
  const encIv = randomBytes(12);
  const encPayload = aesEncryptGCM(plain, key, encIv, bytes(`POLL\u0000${voter}`));
  return message(
    `VOTE${randomBytes(4).toString("hex")}`,
    { pollUpdateMessage: { pollCreationMessageKey: { id: "POLL" }, vote: { encPayload, encIv } } },
    fromMe,
  );
}

const read = (unsealed: WAMessage) => {
  const { text, quotedId, details } = readIncoming(unsealed, null, ME) ?? {};
  return { text, quotedId, details };
};

test("a vote is opened with the poll's secret under either address, of others and of our phone; one taken back is empty", () => {
  const secret = randomBytes(32);
  const open = sealedVotes();
  open(poll(secret), ME);
  const opened = (sealed: WAMessage) => read(open(sealed, ME));
  expect(opened(vote(secret, ["Domingo"]))).toEqual({
    text: "Domingo",
    quotedId: "POLL",
    details: { vote: { chosen: ["Domingo"] } },
  });
  expect(opened(vote(secret, ["Sábado", "Domingo"], { creator: CHAT, voter: CHAT })).details).toEqual({
    vote: { chosen: ["Sábado", "Domingo"] },
  });
  expect(opened(vote(secret, ["Sábado"], { voter: "999@lid", fromMe: true })).details).toEqual({
    vote: { chosen: ["Sábado"] },
  });
  expect(opened(vote(secret, [])).details).toEqual({ vote: { chosen: [] } });
});

test("a vote that cannot be opened stays a vote without a choice", () => {
  const secret = randomBytes(32);
  const open = sealedVotes();
  const sealed = { text: "", quotedId: "POLL", details: undefined };
  expect(read(open(vote(secret, ["Domingo"]), ME))).toEqual(sealed);
  open(poll(secret), ME);
  expect(read(open(vote(randomBytes(32), ["Domingo"]), ME))).toEqual(sealed);
  expect(read(open(vote(secret, ["Segunda"]), ME))).toEqual(sealed);
});
