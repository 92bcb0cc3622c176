import { type BinaryNode, isJidBroadcast, isPnUser, jidNormalizedUser, proto, type WAMessage } from "baileys";
import { innermost, readContent } from "../content/message-content.ts";
import { fileIn } from "../content/said-file.ts";
import type { IncomingFile, IncomingMessage } from "../transport.ts";
import { packSource } from "./file-source.ts";
import { isIgnored } from "./ignored.ts";

export type Me = { id: string; lid?: string | undefined };

/**
 * A received message, or one typed on our phone. Null for keys, settings, deletions and undecryptable
 * messages. `node`: its stanza, which may name more addresses than Baileys passes on.
 */
export function readIncoming(message: WAMessage, node: BinaryNode | null, me: Me): IncomingMessage | null {
  const { key } = message;
  const content = contentOf(message);
  if (!key.id || !key.remoteJid || !content || isIgnored(key.remoteJid)) return null;
  const fromMe = key.fromMe === true;
  const group = key.remoteJid.endsWith("@g.us");
  const toMany = isJidBroadcast(key.remoteJid) === true;
  // Our list has no chat with all its members.
  if (fromMe && toMany) return null;
  return {
    ...content,
    providerId: key.id,
    chat: group ? [key.remoteJid] : addressesOf(message, node, me),
    fromMe,
    viaApi: false,
    pushName: fromMe ? null : (message.pushName ?? null),
    participant: group && !fromMe ? participantOf(message) : null,
    file: fileOf(message),
    toMany,
    at: new Date(Number(message.messageTimestamp) * 1_000),
  };
}

type Content = Pick<
  IncomingMessage,
  "kind" | "text" | "quotedId" | "quoted" | "details" | "edits" | "deletes"
>;

const { MESSAGE_EDIT, REVOKE } = proto.Message.ProtocolMessage.Type;

function contentOf({ message, key, messageStubType }: WAMessage): Content | null {
  if (messageStubType) return null;
  // WhatsApp hides these from linked devices; only their existence is known.
  if (!message) return key.isViewOnce === true ? { kind: "other", text: "", quotedId: null } : null;
  const protocol = coreOf(message)?.protocolMessage;
  if (protocol?.type === REVOKE)
    return protocol.key?.id ? { kind: "other", text: "", quotedId: null, deletes: protocol.key.id } : null;
  const isEdit = protocol?.type === MESSAGE_EDIT;
  const read = readContent(isEdit ? protocol?.editedMessage : message, null);
  if (!read) return null;
  return isEdit ? { ...read, edits: protocol?.key?.id ?? null } : read;
}

/** In our own message our addresses name the writer, not the chat, unless the chat is with ourselves. */
function addressesOf({ key }: WAMessage, node: BinaryNode | null, me: Me): string[] {
  const own = new Set([me.id, me.lid].flatMap((jid) => (jid ? [jidNormalizedUser(jid)] : [])));
  const { recipient_pn, recipient_lid, peer_recipient_pn, peer_recipient_lid } = node?.attrs ?? {};
  // From the writer, as on the phone.
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

function fileOf(message: WAMessage): IncomingFile | null {
  const found = fileIn(message.message, null);
  return found && { ...found.said, source: packSource(message.key, found), content: null };
}
