import pino, { type Logger } from "pino";
import { clean, cleanText } from "./log-clean.ts";
import { currentRequest } from "./request-context.ts";

/**
 * The program's own log: JSON lines on the error stream, each with the id of the request it belongs to, if any. Of a fault only what tells
 * it apart is kept: drivers and HTTP clients hang whole connections on their errors, with addresses and credentials among them.
 */
export function createLog(level: string): Logger {
  const output = pino.destination({ dest: 2, sync: true });
  // Nobody reads any more (a closed terminal, a dead parent): that must not be what ends the server.
  output.on("error", () => undefined);
  return logTo(level, output);
}

/** The same to any stream. */
export function logTo(level: string, output: pino.DestinationStream): Logger {
  return pino(
    {
      level,
      mixin: requestOf,
      // What a child log carries along is not asked: ids alone.
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

/** The log of a command: what goes wrong, on the screen of whoever runs it. */
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
 * What libraries print by themselves becomes lines like all others, cleaned: the HTTP server's prints the fault, as it is, of each answer
 * that broke off while it was sent. Of other things than faults and texts nobody knows what is in them.
 */
export function takeConsole(log: Logger): void {
  for (const [name, level] of Object.entries(PRINTED))
    Object.assign(globalThis.console, {
      [name]: (...printed: unknown[]) => {
        const err = printed.find(isFault);
        const words = printed.filter((one) => typeof one === "string").join(" ");
        log[level](err ? { err } : {}, words || "printed by a library");
      },
    });
}

function requestOf(): object {
  const visit = currentRequest();
  return visit ? { requestId: visit.requestId } : {};
}

/** The job library tells its faults as plain objects, which have their words all the same. */
function isFault(error: unknown): error is Error {
  if (error instanceof Error) return true;
  return (
    typeof error === "object" && error !== null && "message" in error && typeof error.message === "string"
  );
}

function slim(error: unknown): unknown {
  if (!isFault(error)) return cleanText(String(error));
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return {
    ...{ type: name, code },
    message: cleanText(message),
    stack: stack === undefined ? undefined : cleanText(stack),
    ...(cause === undefined ? {} : { cause: slim(cause) }),
  };
}
