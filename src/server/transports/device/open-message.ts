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

/** A stanza read, not yet opened. */
export type Sealed = {
  message: WAMessage;
  /** Opens it into `message`. Resolves also when it cannot be opened. */
  open(): Promise<void>;
};

/**
 * Reads who wrote a stanza and sees to what opening it needs, as Baileys does before it: which hidden address belongs to which number, and
 * sessions kept under the right one of the two. Null: nothing to open here, or malformed; Baileys knows what to answer. What may be seen
 * once comes with nothing to open as well, and is a message all the same.
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
          // Beside what is sealed it reads a name that a sender may have written any bytes into.
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

/** Of nobody whom we talk to: status updates, channels. */
const isAside = ({ attrs: { from = "" } }: BinaryNode) => isIgnored(from);

/** WhatsApp keeps it from linked devices, and says so. */
function isSeenOnce(node: BinaryNode): boolean {
  if (isAside(node) || !Array.isArray(node.content)) return false;
  const kept = node.content.find(({ tag }) => tag === "unavailable");
  return kept?.attrs.type?.startsWith("view_once") === true && !node.content.some(({ tag }) => tag === "enc");
}

function isEncrypted(node: BinaryNode): boolean {
  if (isAside(node) || !Array.isArray(node.content)) return false;
  const sealed = node.content.filter(({ tag }) => tag === "enc");
  // Answers of bots, which are sealed in another way.
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
  // Beside the other side of a message typed on the phone: the number that wrote it.
  if (other && key.fromMe && own.some((jid) => areJidsSameUser(jid, other))) return;
  if (other && primary) {
    const [lid, pn] = isLidUser(other) ? [other, primary] : [primary, other];
    // Known to be so: neither stored nor migrated again.
    if (isLidUser(other) && (await lidMapping.getPNForLID(lid))) return;
    await lidMapping.storeLIDPNMappings([{ lid, pn }]);
    await signal.migrateSession(pn, lid);
  } else if (isPnUser(author)) {
    // Where it is not known it is asked of WhatsApp, which must not happen while the keys are held.
    await lidMapping.getLIDForPN(author);
  }
}

/** True when the content is there. */
export const isOpened = ({ message }: Sealed): boolean =>
  Boolean(message.message) && message.messageStubType === undefined;

/**
 * The stanza with its content open, as Baileys takes it as well: the keys that opened it are used up. A group key that came with it was
 * learnt already; learnt again it would begin anew.
 */
export function openedNode(node: BinaryNode, { message }: Sealed): BinaryNode {
  const content = proto.Message.create({ ...message.message });
  content.senderKeyDistributionMessage = null;
  const rest = Array.isArray(node.content) ? node.content.filter(({ tag }) => tag !== "enc") : [];
  const plain = { tag: "plaintext", attrs: {}, content: proto.Message.encode(content).finish() };
  return { ...node, content: [...rest, plain] };
}
