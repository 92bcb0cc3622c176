import pino, { type Logger } from "pino";
import { clean, cleanText } from "./log-clean.ts";
import { currentRequest } from "./request-context.ts";

/** Errors keep only identifying fields: drivers attach connections with addresses and credentials. */
export function createLog(level: string): Logger {
  const output = pino.destination({ dest: 2, sync: true });
  // A closed terminal or dead parent must not end the server.
  output.on("error", () => undefined);
  return logTo(level, output);
}

export function logTo(level: string, output: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      mixin: requestOf,
      // Child bindings are not cleaned: they hold ids only.
      formatters: { log: clean },
      serializers: { err: slim },
      hooks: {
        logMethod(args, method) {
          const [first, second] = args;
          if (typeof first === "string") args[0] = cleanText(first);
          else if (typeof second === "string") args[1] = cleanText(second);
          method.apply(this, args);
        },
      },
    },
    output,
  );
}

export const commandLog = (): Logger => pino({ level: "warn" }, pino.destination({ dest: 2, sync: true }));

const PRINTED = {
  log: "info",
  info: "info",
  warn: "warn",
  error: "error",
  debug: "debug",
  trace: "debug",
} as const;

/**
 * Cleans what libraries print, such as raw errors of the HTTP server. Other values are dropped, as their
 * content is unknown.
 */
export function takeConsole(log: Logger): void {
  for (const [name, level] of Object.entries(PRINTED))
    Object.assign(globalThis.console, {
      [name]: (...printed: unknown[]) => {
        const err = printed.find(isErrorObject);
        const words = printed.filter((one) => typeof one === "string").join(" ");
        log[level](err ? { err } : {}, words || "printed by a library");
      },
    });
}

function requestOf(): object {
  const visit = currentRequest();
  return visit ? { requestId: visit.requestId } : {};
}

/** pg-boss reports errors as plain objects. */
function isErrorObject(error: unknown): error is Error {
  if (error instanceof Error) return true;
  return (
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
  );
}

function slim(error: unknown): unknown {
  if (!isErrorObject(error)) return cleanText(String(error));
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return {
    type: name,
    code,
    message: cleanText(message),
    stack: stack === undefined ? undefined : cleanText(stack),
    ...(cause === undefined ? {} : { cause: slim(cause) }),
  };
}
