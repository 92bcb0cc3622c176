import type { Logger } from "pino";
import { AppError } from "../../domain/errors.ts";
import type { ReceivedState } from "../../domain/received-file.ts";
import { FileError } from "../transports/transport.ts";

export type BroughtFile = { state: ReceivedState; attachmentId: number | null };

export function stateOf(error: unknown, log: Pick<Logger, "info">): ReceivedState {
  log.info({ err: error }, "a received file was not kept");
  if (error instanceof FileError && error.cause !== "changed" && error.cause !== "unreachable")
    return error.cause;
  if (!(error instanceof AppError)) return "failed";
  if (error.code === "limit_reached") return "no_room";
  return error.code === "unavailable" ? "disk_full" : "failed";
}
