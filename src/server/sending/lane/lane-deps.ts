import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Db, Prepared } from "../../db/client.ts";
import type { Transport } from "../../transports/transport.ts";
import type { AddressBook } from "../addresses/addresses.ts";
import type { HiddenListener } from "../addresses/hidden-addresses.ts";
import type { Move, MoveOptions } from "../ledger/settle.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import type { Accepted } from "../receipts/provider-messages.ts";
import type { AcceptedIds } from "./accepted-ids.ts";
import type { SendingFigures } from "./figures.ts";
import type { ReadFile } from "./media.ts";

export type LaneDeps = {
  connectionId: number;
  fence: number;
  db: Db;
  prepared: Prepared;
  transport: Transport;
  clock: Clock;
  after: (ms: number, call: () => void) => () => void;
  random: () => number;
  log: Logger;
  times: LaneTimes;
  messageKey: Buffer;
  readFile: ReadFile;
  /** Stores ids of a transport with its own; absent where none return. */
  accepted?: AcceptedIds | undefined;
  figures?: { kind: string; attempted: SendingFigures["attempted"] } | undefined;
  book?: AddressBook;
  hidden?: HiddenListener | undefined;
  resendsDoubts: boolean;
  mayAct(): boolean;
  /** False: opt-outs may be unknown, so campaigns claim no one; `wake` follows. Absent: always known. */
  optOutsKnown?: (() => boolean) | undefined;
  /**
   * False: an earlier pairing's doubts are not settled yet, and a resend would be another message. Absent:
   * always settled.
   */
  doubtsSettled?: (() => boolean) | undefined;
  /** Own number, used for channel checks; null or absent: unknown. */
  ownPhone?: () => string | null;
  changed(accountId: string, campaignId: number, over: boolean): void;
  /** The lane ended by itself (ownership lost or database error): acquire it again. */
  ended(reason: "lost" | "database"): void;
};

/** Certain outcomes not recorded while the database was away: settle before release. */
export type UnrecordedOutcome = UnrecordedMoves | { accepted: Accepted[] };
export type UnrecordedMoves = { campaignId: number; moves: Move[]; options?: MoveOptions };
