import {
  areJidsSameUser,
  type BinaryNode,
  decryptMessageNode,
  isLidUser,
  isPnUser,
  proto,
  type WAMessage,
  type WASocket,
} from "baileys";
import type { Logger } from "pino";
import { baileysLog } from "./baileys-log.ts";
import { isIgnored } from "./ignored.ts";

export type Sealed = {
  message: WAMessage;
  /** Also resolves when decryption fails. */
  open(): Promise<void>;
};

/**
 * Prepares decryption as Baileys does: LID mapping, sessions. Null: nothing to decrypt, or malformed. A
 * view-once message has no content but counts.
 */
export async function readSealed(sock: WASocket, node: BinaryNode, log: Logger): Promise<Sealed | null> {
  const { me } = sock.authState.creds;
  const seenOnce = isSeenOnce(node);
  if (!me || !(seenOnce || isEncrypted(node))) return null;
  try {
    const { fullMessage, author, decrypt } = decryptMessageNode(
      node,
      me.id,
      me.lid ?? "",
      sock.signalRepository,
      baileysLog(log),
    );
    await learnAddresses(sock, fullMessage, author, [me.id, me.lid ?? ""]);
    if (seenOnce) fullMessage.key.isViewOnce = true;
    return {
      message: fullMessage,
      open: async () => {
        if (seenOnce) return;
        try {
          await decrypt();
        } catch (error) {
          // The stanza also holds the sender's name, which may be any bytes.
          log.debug({ err: error }, "a message that cannot be opened");
          fullMessage.messageStubType = proto.WebMessageInfo.StubType.CIPHERTEXT;
        }
      },
    };
  } catch (error) {
    log.debug({ err: error }, "a message that cannot be read");
    return null;
  }
}

const isAside = ({ attrs: { from = "" } }: BinaryNode) => isIgnored(from);

function isSeenOnce(node: BinaryNode): boolean {
  if (isAside(node) || !Array.isArray(node.content)) return false;
  const kept = node.content.find(({ tag }) => tag === "unavailable");
  return kept?.attrs.type?.startsWith("view_once") === true && !node.content.some(({ tag }) => tag === "enc");
}

function isEncrypted(node: BinaryNode): boolean {
  if (isAside(node) || !Array.isArray(node.content)) return false;
  const sealed = node.content.filter(({ tag }) => tag === "enc");
  // Answers of bots are encrypted differently.
  return sealed.length > 0 && sealed.every(({ attrs }) => attrs.type !== "msmsg");
}

async function learnAddresses(
  sock: WASocket,
  { key }: WAMessage,
  author: string,
  own: readonly string[],
): Promise<void> {
  const { lidMapping, ...signal } = sock.signalRepository;
  const other = key.participantAlt ?? key.remoteJidAlt;
  const primary = key.participant ?? key.remoteJid;
  // In a message typed on the phone the second address may be our own.
  if (other && key.fromMe && own.some((jid) => areJidsSameUser(jid, other))) return;
  if (other && primary) {
    const [lid, pn] = isLidUser(other) ? [other, primary] : [primary, other];
    if (isLidUser(other) && (await lidMapping.getPNForLID(lid))) return;
    await lidMapping.storeLIDPNMappings([{ lid, pn }]);
    await signal.migrateSession(pn, lid);
  } else if (isPnUser(author)) {
    // WhatsApp may be queried, which must not happen under the key lock.
    await lidMapping.getLIDForPN(author);
  }
}

export const isOpened = ({ message }: Sealed): boolean =>
  Boolean(message.message) && message.messageStubType === undefined;

/**
 * With decrypted content, because its keys are used up. A group key learnt again would restart the session.
 */
export function openedNode(node: BinaryNode, { message }: Sealed): BinaryNode {
  const content = proto.Message.create({ ...message.message });
  content.senderKeyDistributionMessage = null;
  const rest = Array.isArray(node.content) ? node.content.filter(({ tag }) => tag !== "enc") : [];
  const plain = { tag: "plaintext", attrs: {}, content: proto.Message.encode(content).finish() };
  return { ...node, content: [...rest, plain] };
}
