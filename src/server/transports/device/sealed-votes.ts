import { createHash } from "node:crypto";
import { decryptPollVote, type proto, type WAMessage } from "baileys";
import { innermost } from "../content/message-content.ts";
import { boundedCache } from "./bounded-cache.ts";
import { authorsOf, type Unseal } from "./sealed-edits.ts";

const REMEMBERED = 1_000;

type Poll = { secret: Uint8Array; creators: string[]; options: string[] };

/**
 * Votes are sealed with the poll's secret and name options by their hash. In memory only: after a restart,
 * votes in earlier polls stay on the phone.
 */
export function sealedVotes(): Unseal {
  const polls = boundedCache(REMEMBERED);
  return (message, me) => {
    const poll = pollIn(message);
    if (poll && message.key.id) polls.set(message.key.id, { ...poll, creators: authorsOf(message, me) });
    const update = contentOf(message)?.pollUpdateMessage;
    const id = update?.pollCreationMessageKey?.id;
    const known = id ? polls.get<Poll>(id) : undefined;
    const selectedOptions = id && known && chosenIn(update?.vote, id, known, authorsOf(message, me));
    if (!selectedOptions) return message;
    return { ...message, message: { pollUpdateMessage: { ...update, vote: { selectedOptions } as object } } };
  };
}

const contentOf = ({ message }: WAMessage) => innermost(message) as proto.IMessage | null | undefined;

function pollIn(message: WAMessage): Omit<Poll, "creators"> | null {
  const content = contentOf(message);
  const poll =
    content?.pollCreationMessage ??
    content?.pollCreationMessageV2 ??
    content?.pollCreationMessageV3 ??
    content?.pollCreationMessageV5;
  const secret =
    message.message?.messageContextInfo?.messageSecret ?? content?.messageContextInfo?.messageSecret;
  if (!poll || !secret) return null;
  const options = (poll as proto.Message.IPollCreationMessage).options ?? [];
  // A copy: the original keeps its whole buffer alive.
  return { secret: Uint8Array.from(secret), options: options.flatMap(({ optionName }) => optionName ?? []) };
}

/** Null: not sealed this way, or for options that the poll does not have. */
function chosenIn(
  vote: proto.Message.IPollEncValue | null | undefined,
  pollMsgId: string,
  { secret, creators, options }: Poll,
  voters: readonly string[],
): string[] | null {
  if (!vote?.encPayload || !vote.encIv) return null;
  for (const pollCreatorJid of creators)
    for (const voterJid of voters) {
      const asked = { pollCreatorJid, pollMsgId, pollEncKey: secret, voterJid };
      const hashes = open(vote, asked);
      if (!hashes) continue;
      const chosen = options.filter((option) =>
        hashes.has(createHash("sha256").update(option).digest("hex")),
      );
      return chosen.length === hashes.size ? chosen : null;
    }
  return null;
}

function open(
  vote: proto.Message.IPollEncValue,
  asked: Parameters<typeof decryptPollVote>[1],
): Set<string> | null {
  try {
    const { selectedOptions } = decryptPollVote(vote, asked);
    return new Set((selectedOptions ?? []).map((hash) => Buffer.from(hash).toString("hex")));
  } catch {
    return null;
  }
}
