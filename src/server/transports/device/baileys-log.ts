import type { SocketConfig } from "baileys";
import type { Logger } from "pino";

type BaileysLogger = SocketConfig["logger"];

/** No objects: Baileys logs stanzas, credentials and sessions. */
function harmless(fields: unknown): Record<string, unknown> {
  if (typeof fields !== "object" || fields === null) return {};
  const kept: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) {
    if (value instanceof Error) kept[key] = value.message;
    else if (typeof value === "number" || typeof value === "boolean") kept[key] = value;
    else if (typeof value === "string" && (key === "trace" || key === "msgId" || key === "reason")) {
      kept[key] = value.slice(0, 300);
    }
  }
  return kept;
}

const ignore = (): void => undefined;

/** Baileys' warnings are mostly about what it repairs itself, so they become debug lines. */
export function baileysLog(log: Logger): BaileysLogger {
  const say = (fields: unknown, message?: string) => {
    log.debug(harmless(fields), typeof fields === "string" ? fields.slice(0, 300) : message);
  };
  const logger: BaileysLogger = {
    // At trace or debug Baileys renders every stanza as text first.
    level: "warn",
    child: () => logger,
    trace: ignore,
    debug: ignore,
    info: ignore,
    warn: say,
    error: say,
  };
  return logger;
}
