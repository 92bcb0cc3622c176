import type { Receipt } from "../../transports/transport.ts";
import type { Delivered } from "./deliver.ts";

/** What the operator's figures hear of sending. Called for each message: it must cost nothing. */
export type SendingFigures = {
  /** A message was handed to its transport, of a device or an instance; what became of it, and after how many milliseconds. */
  attempted(kind: string, outcome: Delivered["to"], ms: number): void;
  receipt(status: Receipt["status"]): void;
};
