import { Readable } from "node:stream";
import type { OutgoingFile } from "../../src/server/transports/transport.ts";

export const outgoingFile = (bytes: Uint8Array, facts: Partial<OutgoingFile> = {}): OutgoingFile => ({
  kind: "image",
  mime: "image/jpeg",
  name: "",
  size: bytes.byteLength,
  width: null,
  height: null,
  seconds: null,
  open: async () => Readable.from([bytes]),
  ...facts,
});
