import type { Logger } from "pino";
import type { Clock } from "../../../domain/clock.ts";
import type { Db, Prepared } from "../../db/client.ts";
import type { Transport } from "../../transports/transport.ts";
import type { AddressBook } from "../addresses/addresses.ts";
import type { HiddenTold } from "../addresses/hidden-addresses.ts";
import type { Move, MoveOptions } from "../ledger/settle.ts";
import type { LeftOut } from "../ledger/signals.ts";
import type { LaneTimes } from "../ledger/timing.ts";
import type { Accepted } from "../receipts/provider-messages.ts";
import type { LaneAccepted } from "./accepted-ids.ts";
import type { SendingFigures } from "./figures.ts";

export type LaneDeps = {
  connectionId: number;
  fence: number;
  db: Db;
  prepared: Prepared;
  transport: Transport;
  clock: Clock;
  /** Calls back after so many milliseconds; answers how to call it off. */
  after: (ms: number, call: () => void) => () => void;
  random: () => number;
  log: Logger;
  times: LaneTimes;
  messageKey: Buffer;
  /** Keeps the ids of a transport that gives its own; absent where none comes back for them. */
  accepted?: LaneAccepted | undefined;
  /** Told of each message; `kind` is the connection's. */
  figures?: { kind: string; attempted: SendingFigures["attempted"] } | undefined;
  /** Where its look-ups are kept; everybody's unless said. */
  book?: AddressBook;
  /** Hears of hidden addresses that look-ups tell. */
  hidden?: HiddenTold | undefined;
  /** False: doubts are left to humans (RECADO_RESEND=never). */
  resendsDoubts: boolean;
  mayAct(): boolean;
  /** False: who left may not be known yet, and nobody of a campaign is handed out; the lane is woken once it is. Absent: it is known. */
  caughtUp?: (() => boolean) | undefined;
  /** The number it sends from, which the channel can be asked about at any time; null or absent: unknown. */
  ownPhone?: () => string | null;
  /** Screens that show this campaign are out of date; `over`: those too that say what its connection is doing. */
  changed(accountId: string, campaignId: number, over: boolean): void;
  /** The lane ended by itself: its ownership is lost, or the database failed it. It must be taken over anew. */
  ended(reason: "lost" | "database"): void;
};

export type Lane = {
  /** Something changed in the database: look again. */
  wake(): void;
  /** A single message is stored: it goes before people, and holds up nothing. */
  single(): void;
  /** A person is left out of campaigns from now on: what is in hand for them and not on the wire yet is put aside. */
  leave(phone: string, why: LeftOut): void;
  /** Changes may not have been told of: those in the queue go back, to be handed out again if they still may be. */
  missed(): void;
  /** Stops claiming, waits for what is on the wire (up to `ms`), records it and gives the rest back. Answers what it still owes. */
  close(ms: number): Promise<UnrecordedOutcome[]>;
};

/** What is certain and the ledger could not be told of (the database was away): to be settled before the lane is given up. */
export type UnrecordedOutcome = UnrecordedMoves | { accepted: Accepted[] };
export type UnrecordedMoves = { campaignId: number; moves: Move[]; options?: MoveOptions };
