import { type BinaryNode, isJidBroadcast, isPnUser, jidNormalizedUser, proto, type WAMessage } from "baileys";
import { innermost, readContent } from "../content/message-content.ts";
import type { IncomingMessage } from "../transport.ts";
import { isIgnored } from "./ignored.ts";

/** The two names of our own number. */
export type Me = { id: string; lid?: string | undefined };

/**
 * A message of Baileys as chats take it: what others wrote, and what was typed on the phone or another device of ours. Null for what
 * nobody said: keys between devices, settings, deletions (what was received stays), a message that could not be opened. `node`: the
 * stanza it came in, which may name more addresses than Baileys hands on.
 */
export function readIncoming(message: WAMessage, node: BinaryNode | null, me: Me): IncomingMessage | null {
  const { key } = message;
  const content = contentOf(message);
  if (!key.id || !key.remoteJid || !content || isIgnored(key.remoteJid)) return null;
  const fromMe = key.fromMe === true;
  const group = key.remoteJid.endsWith("@g.us");
  const toMany = isJidBroadcast(key.remoteJid) === true;
  // To a list of ours: there is no conversation with all who are in it.
  if (fromMe && toMany) return null;
  return {
    ...content,
    providerId: key.id,
    chat: group ? [key.remoteJid] : addressesOf(message, node, me),
    fromMe,
    viaApi: false,
    pushName: fromMe ? null : (message.pushName ?? null),
    participant: group && !fromMe ? participantOf(message) : null,
    image: null,
    toMany,
    at: new Date(Number(message.messageTimestamp) * 1_000),
  };
}

type Content = Pick<IncomingMessage, "kind" | "text" | "quotedId" | "edits">;

const { MESSAGE_EDIT } = proto.Message.ProtocolMessage.Type;

function contentOf({ message, key, messageStubType }: WAMessage): Content | null {
  if (messageStubType) return null;
  // WhatsApp keeps these from linked devices: that there was something is all we know.
  if (!message) return key.isViewOnce === true ? { kind: "other", text: "", quotedId: null } : null;
  const protocol = coreOf(message)?.protocolMessage;
  const isEdit = protocol?.type === MESSAGE_EDIT;
  const read = readContent(isEdit ? protocol?.editedMessage : message, null);
  if (!read) return null;
  return isEdit ? { ...read, edits: protocol?.key?.id ?? null } : read;
}

/** All names of the other side. Of a message that we wrote, our own names say who wrote it: they name the chat only when it is with us. */
function addressesOf({ key }: WAMessage, node: BinaryNode | null, me: Me): string[] {
  const own = new Set([me.id, me.lid].flatMap((jid) => (jid ? [jidNormalizedUser(jid)] : [])));
  const { recipient_pn, recipient_lid, peer_recipient_pn, peer_recipient_lid } = node?.attrs ?? {};
  // What somebody wrote to a list of theirs is from them, as on the phone.
  const first = jidNormalizedUser(
    (isJidBroadcast(key.remoteJid ?? "") && key.participant) || key.remoteJid || "",
  );
  const more = [
    key.remoteJidAlt,
    ...(key.fromMe ? [recipient_pn, recipient_lid, peer_recipient_pn, peer_recipient_lid] : []),
  ];
  const others = more.flatMap((jid) => (jid ? [jidNormalizedUser(jid)] : []));
  return [...new Set([first, ...others.filter((jid) => !own.has(jid) || own.has(first))])];
}

function participantOf({ key }: WAMessage): string | null {
  const { participant, participantAlt } = key;
  const named = isPnUser(participantAlt ?? "") ? participantAlt : (participant ?? participantAlt);
  return named ? jidNormalizedUser(named) : null;
}

const coreOf = (message: WAMessage["message"]) => innermost(message) as proto.IMessage | null | undefined;

/** The picture that a message carries, in whichever envelope. */
export function pictureOf({ message }: WAMessage): proto.Message.IImageMessage | null {
  return coreOf(message)?.imageMessage ?? null;
}
