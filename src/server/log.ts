import pino, { type Logger } from "pino";

/**
 * The program's own log: JSON lines on the error stream. Of a fault only what tells it apart is kept: drivers and HTTP
 * clients hang whole connections on their errors, with addresses and credentials among them.
 */
export function createLog(level: string): Logger {
  const output = pino.destination({ dest: 2, sync: true });
  // Nobody reads any more (a closed terminal, a dead parent): that must not be what ends the server.
  output.on("error", () => undefined);
  return pino({ level, serializers: { err: slim } }, output);
}

function slim(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  const code = "code" in error ? error.code : undefined;
  return { type: name, message, code, stack, ...(cause === undefined ? {} : { cause: slim(cause) }) };
}
