import type { Receipt } from "../../transports/transport.ts";
import type { Delivered } from "./delivered.ts";

/** Called for each message: must cost nothing. */
export type SendingFigures = {
  attempted(kind: string, outcome: Delivered["to"], ms: number): void;
  receipt(status: Receipt["status"]): void;
};
