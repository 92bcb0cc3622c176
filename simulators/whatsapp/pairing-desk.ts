import type { CodePairing } from "./phone.ts";
import type { Session } from "./session.ts";

export type PairingDesk = { refs: Map<string, Session>; codes: Map<Session, CodePairing> };

export const makePairingDesk = (): PairingDesk => ({ refs: new Map(), codes: new Map() });
