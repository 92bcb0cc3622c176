import { createDecipheriv, hkdfSync } from "node:crypto";
import {
  isLidUser,
  isPnUser,
  jidNormalizedUser,
  normalizeMessageContent,
  proto,
  type WAMessage,
} from "baileys";
import { boundedCache } from "./bounded-cache.ts";
import type { Me } from "./incoming-message.ts";

/** Messages whose secrets are kept; WhatsApp allows edits for 15 minutes. */
const REMEMBERED = 1_000;
const TAG_BYTES = 16;

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;
const SEALED_EDIT = proto.Message.SecretEncryptedMessage.SecretEncType.MESSAGE_EDIT;

/** The message itself unless it is sealed and can be opened. */
export type Unseal = (message: WAMessage, me: Me) => WAMessage;

/**
 * Edits are sealed with the original's secret (since 2026); Baileys 7.0.0-rc14 does not decrypt them (its
 * issue 2541). In memory only: after a restart, edits of earlier messages stay on the phone.
 */
export function sealedEdits(): Unseal {
  const secrets = boundedCache(REMEMBERED);
  return (message, me) => {
    const content = normalizeMessageContent(message.message);
    const secret =
      message.message?.messageContextInfo?.messageSecret ?? content?.messageContextInfo?.messageSecret;
    // A copy: the original keeps its whole buffer alive.
    if (secret && message.key.id) secrets.set(message.key.id, Uint8Array.from(secret));
    const sealed = content?.secretEncryptedMessage;
    const id = sealed?.targetMessageKey?.id;
    const known = id ? secrets.get<Uint8Array>(id) : undefined;
    if (!sealed || !id || !known || sealed.secretEncType !== SEALED_EDIT) return message;
    for (const author of authorsOf(message, me)) {
      const editedMessage = open(sealed, known, `${id}${author}${author}Message Edit`);
      if (!editedMessage) continue;
      return { ...message, message: { protocolMessage: { type: MESSAGE_EDIT, key: { id }, editedMessage } } };
    }
    return message;
  };
}

/** The author, under either address. */
export function authorsOf({ key }: WAMessage, me: Me): string[] {
  const { participant, participantAlt, remoteJid, remoteJidAlt } = key;
  const named = key.fromMe ? [me.lid, me.id] : [participant, participantAlt, remoteJid, remoteJidAlt];
  return named.flatMap((jid) => (jid && (isLidUser(jid) || isPnUser(jid)) ? jidNormalizedUser(jid) : []));
}

/** Null if not sealed this way. */
function open(
  { encPayload, encIv }: proto.Message.ISecretEncryptedMessage,
  secret: Uint8Array,
  use: string,
): proto.IMessage | null {
  if (!encPayload || !encIv || encPayload.length <= TAG_BYTES) return null;
  try {
    const key = Buffer.from(hkdfSync("sha256", secret, "", use, 32));
    const opener = createDecipheriv("aes-256-gcm", key, encIv, { authTagLength: TAG_BYTES });
    opener.setAuthTag(encPayload.subarray(-TAG_BYTES));
    const plain = Buffer.concat([opener.update(encPayload.subarray(0, -TAG_BYTES)), opener.final()]);
    return proto.Message.decode(plain).protocolMessage?.editedMessage ?? null;
  } catch {
    return null;
  }
}
