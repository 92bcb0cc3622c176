import { AppError } from "../../domain/errors.ts";
import { codeOf } from "../base/start-error.ts";
import { FileError } from "../transports/transport.ts";

const DISK_CODES = new Set(["ENOSPC", "EDQUOT", "EIO", "EROFS", "EMFILE", "ENFILE"]);

/** Of writing a body: the disk, or a sender that hung up. */
export function uploadError(error: unknown): AppError | FileError {
  if (error instanceof AppError || error instanceof FileError) return error;
  if (DISK_CODES.has(codeOf(error))) return new AppError("unavailable", { retryAfter: 60 });
  return new AppError("invalid_request");
}
