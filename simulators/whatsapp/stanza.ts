import { type BinaryNode, getBinaryNodeChild, getBinaryNodeChildren } from "baileys";

export const SERVER = "@s.whatsapp.net";

type Attributes = Record<string, string | number | undefined>;

export function stanza(
  tag: string,
  attributes: Attributes = {},
  content?: BinaryNode["content"],
): BinaryNode {
  const attrs: Record<string, string> = {};
  for (const name in attributes) {
    const value = attributes[name];
    if (value !== undefined) attrs[name] = String(value);
  }
  return content === undefined ? { tag, attrs } : { tag, attrs, content };
}

export function firstChild(node: BinaryNode): BinaryNode | undefined {
  return Array.isArray(node.content) ? node.content[0] : undefined;
}

export const childOf = getBinaryNodeChild;
export const childrenOf = getBinaryNodeChildren;

/** A missing child breaks the protocol, and the socket is ended. */
export function needChild(node: BinaryNode | undefined, tag: string): BinaryNode {
  const child = getBinaryNodeChild(node, tag);
  if (!child) throw new Error(`stanza ${node?.tag ?? "?"} lacks ${tag}`);
  return child;
}

export function bytesOf(node: BinaryNode | undefined): Buffer {
  const content = node?.content;
  if (content instanceof Uint8Array)
    return Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  if (typeof content === "string") return Buffer.from(content);
  throw new Error(`stanza ${node?.tag ?? "?"} carries no bytes`);
}

export function uintOf(bytes: Uint8Array): number {
  let value = 0;
  for (const byte of bytes) value = value * 256 + byte;
  return value;
}

export const unixSeconds = (now: number) => Math.floor(now / 1000);
