import type { CodePairing } from "./phone.ts";
import type { Session } from "./session.ts";

/** Who is waiting to be linked: by the reference in a QR code, and by a typed code. */
export type PairingDesk = { refs: Map<string, Session>; codes: Map<Session, CodePairing> };

export const makePairingDesk = (): PairingDesk => ({ refs: new Map(), codes: new Map() });
