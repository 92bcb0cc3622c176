import { proto, type WAMessageKey } from "baileys";
import type { FileField, FoundFile } from "../content/said-file.ts";

export type FileSource = {
  key: WAMessageKey;
  field: FileField;
  mediaKey: Uint8Array;
  directPath: string;
  fileSha256: Uint8Array | null;
};

type Part = {
  mediaKey?: Uint8Array | null;
  directPath?: string | null;
  fileSha256?: Uint8Array | null;
};

/** Only from WhatsApp's host, because the sender chooses the address. */
export const isPath = (directPath: string) => /^\/[\w-]/.test(directPath);

export function packSource({ id, remoteJid, fromMe, participant }: WAMessageKey, found: FoundFile) {
  const { mediaKey, directPath, fileSha256 } = found.part as Part;
  if (!mediaKey || !directPath || !isPath(directPath)) return null;
  return proto.WebMessageInfo.encode(
    proto.WebMessageInfo.fromObject({
      key: { id, remoteJid, fromMe, participant },
      message: { [found.field]: { mediaKey, directPath, fileSha256 } },
    }),
  ).finish();
}

export function unpackSource(bytes: Uint8Array): FileSource | null {
  const { key, message } = proto.WebMessageInfo.decode(bytes);
  const [named] = Object.entries(message ?? {}).filter(
    ([, part]) => typeof part === "object" && part !== null,
  );
  const [field, part] = (named ?? []) as [FileField?, Part?];
  if (!key || !field || !part?.mediaKey || !part.directPath || !isPath(part.directPath)) return null;
  const { mediaKey, directPath, fileSha256 = null } = part;
  return { key, field, mediaKey, directPath, fileSha256: fileSha256?.length ? fileSha256 : null };
}
