import { randomBytes } from "node:crypto";
import { createRequire } from "node:module";

type Session = {
  currentRatchet: object;
  indexInfo: { baseKey: Buffer; baseKeyType: number; closed: number };
};
type SessionRecord = {
  setSession(session: Session): void;
  closeSession(session: Session): void;
  openSession(session: Session): void;
};
type Libsignal = { new (): SessionRecord; createEntry(): Session };

if (process.argv[2] === "shims") {
  const { installShims } = await import("../../src/server/transports/device/shims.ts");
  installShims();
}
const SessionRecord = createRequire(import.meta.resolve("baileys"))(
  "libsignal/src/session_record.js",
) as Libsignal;
const session = SessionRecord.createEntry();
session.currentRatchet = {
  ephemeralKeyPair: { pubKey: randomBytes(33), privKey: Buffer.from("private-key-of-a-ratchet-32bytes") },
};
session.indexInfo = { baseKey: randomBytes(33), baseKeyType: 1, closed: -1 };
const record = new SessionRecord();
record.setSession(session);
record.closeSession(session);
record.closeSession(session);
record.openSession(session);
globalThis.console.log("some library:", {
  deep: { privKey: Buffer.from("private-key-of-a-ratchet-32bytes") },
});
globalThis.console.log("another one:", { chain: { bytes: Buffer.from("private-key-of-a-ratchet-32bytes") } });
globalThis.console.log("harmless", { count: 1 });
